/* SPDX-License-Identifier: Apache-2.0
 * clock.c: the server's time over a restart: it never goes back, and a manual clock stands where it stood. */
#include "durable_private.h"

typedef struct kept_clock {
    int64_t now_us;
    double rate;
    int64_t is_manual;
} kept_clock;

void td_durable__restore_clock(td_durable *durable, td_slice document)
{
    kept_clock kept;
    if (document.len != sizeof kept) return;
    memcpy(&kept, document.ptr, sizeof kept);
    if (kept.now_us < 0) return;
    td_clock *clock = durable->options.clock;
    bool is_manual = kept.is_manual != 0;
    td_time_us now_us = td_clock_now(clock);
    bool is_kept = is_manual || kept.now_us > now_us;
    td_clock_state state = {.mode = is_manual ? TD_CLOCK_MANUAL : td_clock_get_state(clock).mode,
                            .rate = kept.rate,
                            .now_us = is_kept ? kept.now_us : now_us};
    td_clock_set_state(clock, &state);
}

void td_durable__put_clock(td_durable *durable)
{
    td_clock_state state = td_clock_get_state(durable->options.clock);
    kept_clock kept = {
        .now_us = state.now_us, .rate = state.rate, .is_manual = state.mode == TD_CLOCK_MANUAL ? 1 : 0};
    td_slice part = td_slice_of(&kept, sizeof kept);
    td_changes_encode_put(&durable->group, TD_SPACE_META, TD_LIT(TD_DURABLE_CLOCK), &part, 1);
}
