/* SPDX-License-Identifier: Apache-2.0
 * clock.c: GET and PUT /_thermodyn/clock, POST /_thermodyn/clock/advance. */
#include "control_private.h"

/* The end of the year 9999, and a hundred years: a test has no use for more, and no sum overflows. */
#define CLOCK_MS_MAX INT64_C(253402300799999)
#define ADVANCE_MS_MAX INT64_C(3155760000000)

static int set_manual(td_control_call *call, const td_json_node *now);
static int set_real(td_control_call *call, const td_json_node *rate);

int td_control__get_clock(td_control_call *call)
{
    td_clock_state state = td_clock_get_state(call->service->clock);
    td_json_node *root = call->answer->root;
    td_json_put_text(call->answer, root, "mode", state.mode == TD_CLOCK_MANUAL ? TD_LIT("manual") : TD_LIT("real"));
    td_json_put_number(call->answer, root, "rate", state.rate);
    td_json_put_int(call->answer, root, "now", state.now_us / TD_US_PER_MS);
    return 200;
}

int td_control__put_clock(td_control_call *call)
{
    td_control_member members[] = {
        {"mode", TD_JSON_NODE_TEXT, NULL}, {"rate", TD_JSON_NODE_NUMBER, NULL}, {"now", TD_JSON_NODE_NUMBER, NULL}};
    int status = td_control__read_members(call, members, TD_COUNT_OF(members));
    if (status != 200) return status;
    const td_json_node *mode = members[0].node;
    const td_json_node *rate = members[1].node;
    const td_json_node *now = members[2].node;
    if (mode != NULL && td_slice_equal(td_json_node_text(mode), TD_LIT("manual"))) {
        if (rate != NULL) return td_control__refuse(call, 400, "\"rate\" belongs to the mode \"real\"");
        status = set_manual(call, now);
    } else if (mode != NULL && td_slice_equal(td_json_node_text(mode), TD_LIT("real"))) {
        if (now != NULL) return td_control__refuse(call, 400, "\"now\" belongs to the mode \"manual\"");
        status = set_real(call, rate);
    } else {
        return td_control__refuse(call, 400, "\"mode\" must be \"real\" or \"manual\"");
    }
    return status == 200 ? td_control__get_clock(call) : status;
}

int td_control__advance_clock(td_control_call *call)
{
    td_control_member members[] = {{"ms", TD_JSON_NODE_NUMBER, NULL}};
    int status = td_control__read_members(call, members, TD_COUNT_OF(members));
    if (status != 200) return status;
    int64_t ms = 0;
    if (members[0].node == NULL || !td_json_node_int(members[0].node, &ms) || ms < 0 || ms > ADVANCE_MS_MAX) {
        return td_control__refuse(call, 400, "\"ms\" must be a whole number from 0 to %lld", (long long)ADVANCE_MS_MAX);
    }
    td_clock_state state = td_clock_get_state(call->service->clock);
    if (state.mode != TD_CLOCK_MANUAL) {
        return td_control__refuse(call, 409, "the clock is real: PUT /_thermodyn/clock {\"mode\":\"manual\"} first");
    }
    td_time_us target = state.now_us + ms * TD_US_PER_MS;
    if (target > CLOCK_MS_MAX * TD_US_PER_MS) {
        return td_control__refuse(call, 400, "the clock cannot pass the year 9999");
    }
    if (!td_control__move_clock(call->service, target)) {
        return td_control__refuse(call, 409, "another call changed the clock meanwhile");
    }
    td_json_put_int(call->answer, call->answer->root, "now", target / TD_US_PER_MS);
    return 200;
}

bool td_control__move_clock(td_service *service, td_time_us target_us)
{
    td_time_us due = td_store_next_due(service->store);
    while (due <= target_us) {
        td_time_us now = td_clock_now(service->clock);
        if (due > now && !td_clock_move_to(service->clock, due)) return false;
        td_store_run_due(service->store, due > now ? due : now);
        due = td_store_next_due(service->store);
    }
    return td_clock_move_to(service->clock, target_us);
}

static int set_manual(td_control_call *call, const td_json_node *now)
{
    int64_t ms = 0;
    if (now != NULL && (!td_json_node_int(now, &ms) || ms < 0 || ms > CLOCK_MS_MAX)) {
        return td_control__refuse(call, 400, "\"now\" must be milliseconds since 1970, at most %lld",
                                  (long long)CLOCK_MS_MAX);
    }
    td_clock *clock = call->service->clock;
    td_time_us shown = td_clock_now(clock);
    if (now != NULL && ms < shown / TD_US_PER_MS) {
        return td_control__refuse(call, 400, "\"now\" is %lld, but the clock shows %lld already and never goes back",
                                  (long long)ms, (long long)(shown / TD_US_PER_MS));
    }
    td_clock_set_manual(clock);
    if (now == NULL) return 200;
    td_time_us target = ms * TD_US_PER_MS;
    shown = td_clock_now(clock); /* it ran until it was stopped */
    if (!td_control__move_clock(call->service, target > shown ? target : shown)) {
        return td_control__refuse(call, 409, "another call changed the clock meanwhile");
    }
    return 200;
}

static int set_real(td_control_call *call, const td_json_node *rate)
{
    if (!td_clock_set_real(call->service->clock, rate == NULL ? 1.0 : td_json_node_number(rate))) {
        return td_control__refuse(call, 400, "\"rate\" must be a number from 0.01 to 100000");
    }
    return 200;
}
