/* SPDX-License-Identifier: Apache-2.0
 * simulated.c: the same random load is put on a server, request by request, and on the simulator, as a scenario. What
 * it used and what was throttled must be equal to the unit, at the table and at each global index: in the simulator's
 * record, and in the server's five accounts (metered_server.h).
 *
 * The load is one whose every operation the scenario determines (docs/simulator.md): steady rates and sequences. So the
 * requests are worked out here from the same description, and not from the simulator's own draws.
 *
 *   TD_PROPERTY_SEED   the first seed of the 20 runs (default 1) */
#include <check.h>

#include "sim/run.h"
#include "wire/json.h"

#include "metered_server.h"
#include "random.h"

enum { RUNS = 20, PHASES = 4, LOADS_MAX = 5, FIELDS_MAX = 8, CURSOR_BYTES = 512, TEXT_BYTES = 200 };

/* 1st, 2nd, … value: `first`, each of the `count` numbers `run` times, and from the start again. */
typedef struct sequence {
    const char *name; /* of the attribute */
    char type;        /* S, which has its name before the number, or N */
    uint64_t first;
    uint64_t count;
    uint64_t run;
    uint64_t drawn;
} sequence;

typedef struct load {
    td_sim_operation operation;
    const char *index; /* "": the table */
    uint32_t rate_per_s;
    uint32_t limit; /* 0: none */
    bool is_consistent;
    sequence keys[2];
    uint32_t key_count;
    sequence attributes[FIELDS_MAX];
    uint32_t attribute_count;
    uint32_t text_count;       /* attributes t0, t1, … of TEXT_BYTES each */
    char cursor[CURSOR_BYTES]; /* where a scan goes on; "": at the start */
    uint64_t sent;
} load;

typedef struct phase {
    uint32_t duration_s;
    load loads[LOADS_MAX];
    uint32_t load_count;
} phase;

static metered_server it;
static phase phases[PHASES];
static char text[TEXT_BYTES + 1];

static uint64_t between(uint64_t from, uint64_t to)
{
    return from + metered_below(&it, to - from + 1);
}

/* ---- a random load ----------------------------------------------------------------------------------------------- */

static sequence make_sequence(const char *name, char type)
{
    return (sequence){.name = name,
                      .type = type,
                      .first = between(0, 3),
                      .count = between(1, type == 'S' ? 4 : 9),
                      .run = between(1, 3)};
}

static void make_item(load *made)
{
    static const struct {
        const char *name;
        char type;
    } attributes[] = {{"l", 'N'}, {"g", 'S'}, {"h", 'S'}};
    for (size_t i = 0; i < TD_COUNT_OF(attributes); i++) {
        if (metered_below(&it, 3) == 0) continue;
        made->attributes[made->attribute_count++] = make_sequence(attributes[i].name, attributes[i].type);
    }
    made->text_count = (uint32_t)metered_below(&it, 19);
}

static void make_read(load *made)
{
    static const char *const scanned[] = {"", "G11", "G22", "L11"};
    static const struct {
        const char *index;
        const char *key;
    } queried[] = {{"", "pk"}, {"L11", "pk"}, {"G11", "g"}, {"G22", "h"}};
    uint64_t pick = metered_below(&it, 4);
    made->limit = random_chance(&it.rng, 50) ? (uint32_t)between(1, 5) : 0;
    if (made->operation == TD_SIM_SCAN) {
        made->index = scanned[pick];
    } else {
        made->index = queried[pick].index;
        made->keys[made->key_count++] = make_sequence(queried[pick].key, 'S');
    }
    made->is_consistent = made->index[0] != 'G' && random_chance(&it.rng, 50);
}

static void make_load(load *made)
{
    static const uint32_t rates[] = {1, 2, 4, 5, 8, 10}; /* operations come at whole microseconds */
    *made = (load){.operation = (td_sim_operation)metered_below(&it, TD_SIM_OPERATION_COUNT),
                   .index = "",
                   .rate_per_s = rates[metered_below(&it, TD_COUNT_OF(rates))]};
    if (made->operation == TD_SIM_QUERY || made->operation == TD_SIM_SCAN) {
        make_read(made);
        return;
    }
    made->keys[made->key_count++] = make_sequence("pk", 'S');
    made->keys[made->key_count++] = make_sequence("sk", 'N');
    made->is_consistent = random_chance(&it.rng, 50);
    if (made->operation == TD_SIM_PUT || made->operation == TD_SIM_UPDATE) make_item(made);
}

/* The first load always puts, so that there is something to read; the last phase but one is a pause. */
static void make_phases(void)
{
    for (size_t i = 0; i < PHASES; i++) {
        phases[i] = (phase){.duration_s = (uint32_t)between(3, 15)};
        if (i == PHASES - 2) continue;
        phases[i].load_count = (uint32_t)between(2, LOADS_MAX);
        for (uint32_t k = 0; k < phases[i].load_count; k++)
            make_load(&phases[i].loads[k]);
    }
    load *first = &phases[0].loads[0];
    *first = (load){.operation = TD_SIM_PUT, .index = "", .rate_per_s = 10};
    first->keys[first->key_count++] = make_sequence("pk", 'S');
    first->keys[first->key_count++] = make_sequence("sk", 'N');
    make_item(first);
}

/* ---- as a scenario ----------------------------------------------------------------------------------------------- */

static void say_source(const char *member, const sequence *from)
{
    metered_say(&it, "'%s':{'distribution':'sequence','first':%u,'n':%u,'run':%u", member, (unsigned)from->first,
                (unsigned)from->count, (unsigned)from->run);
    if (from->type == 'S') metered_say(&it, ",'prefix':'%s'", from->name);
    metered_say(&it, "}");
}

static void say_load(const load *of)
{
    metered_say(&it, "{'table':'TTT','rate':%u,'operations':'%s'", of->rate_per_s,
                td_sim_operation_names[of->operation]);
    if (of->index[0] != '\0') metered_say(&it, ",'index':'%s'", of->index);
    if (of->limit > 0) metered_say(&it, ",'limit':%u", of->limit);
    if (of->is_consistent) metered_say(&it, ",'consistent':true");
    static const char *const members[] = {"keys", "sort_keys"};
    for (uint32_t i = 0; i < of->key_count; i++) {
        metered_say(&it, ",");
        say_source(members[i], &of->keys[i]);
    }
    metered_say(&it, ",'attributes':{");
    for (uint32_t i = 0; i < of->attribute_count; i++) {
        if (i > 0) metered_say(&it, ",");
        say_source(of->attributes[i].name, &of->attributes[i]);
    }
    for (uint32_t i = 0; i < of->text_count; i++)
        metered_say(&it, "%s't%u':'%s'", i + of->attribute_count > 0 ? "," : "", i, text);
    metered_say(&it, "}}");
}

static void say_provisioned(metered_resource resource)
{
    metered_say(&it, "'throughput':{'read':%u,'write':%u}", (unsigned)it.provisioned[resource][TD_READ],
                (unsigned)it.provisioned[resource][TD_WRITE]);
}

static void say_scenario(void)
{
    metered_begin(&it);
    metered_say(&it,
                "{'name':'random','start':'%s','table_delays':false,'capacity':{'enforce':'on','burst_window':%d},"
                "'tables':[{'name':'TTT','partition_key':'pk','sort_key':{'name':'sk','type':'N'},"
                "'billing':'provisioned',",
                METERED_START_TEXT, METERED_BURST_WINDOW_S);
    say_provisioned(METERED_TABLE);
    metered_say(&it, ",'indexes':[{'name':'L11','local':true,"
                     "'sort_key':{'name':'l','type':'N'}},{'name':'G11','partition_key':'g',");
    say_provisioned(METERED_G11);
    metered_say(&it, "},{'name':'G22','partition_key':'h','projection':'keys_only',");
    say_provisioned(METERED_G22);
    metered_say(&it, "}]}],'phases':[");
    for (size_t i = 0; i < PHASES; i++) {
        metered_say(&it, "%s{'duration':%u,'load':[", i > 0 ? "," : "", phases[i].duration_s);
        for (uint32_t k = 0; k < phases[i].load_count; k++) {
            if (k > 0) metered_say(&it, ",");
            say_load(&phases[i].loads[k]);
        }
        metered_say(&it, "]}");
    }
    metered_say(&it, "]}");
}

/* ---- as requests ------------------------------------------------------------------------------------------------- */

static uint64_t draw(sequence *from)
{
    return from->first + from->drawn++ / from->run % from->count;
}

/* 'pk':{'S':'pk3'} */
static void say_value(sequence *from)
{
    metered_say(&it, "{'%c':'%s%u'}", from->type, from->type == 'S' ? from->name : "", (unsigned)draw(from));
}

static void say_keys(load *of)
{
    for (uint32_t i = 0; i < of->key_count; i++) {
        metered_say(&it, "%s'%s':", i > 0 ? "," : "", of->keys[i].name);
        say_value(&of->keys[i]);
    }
}

static td_slice put(load *of)
{
    metered_say(&it, "'Item':{");
    say_keys(of);
    for (uint32_t i = 0; i < of->attribute_count; i++) {
        metered_say(&it, ",'%s':", of->attributes[i].name);
        say_value(&of->attributes[i]);
    }
    for (uint32_t i = 0; i < of->text_count; i++)
        metered_say(&it, ",'t%u':{'S':'%s'}", i, text);
    metered_say(&it, "}}");
    return metered_send(&it, "PutItem", TD_WRITE, 1);
}

static td_slice update(load *of)
{
    metered_say(&it, "'Key':{");
    say_keys(of);
    metered_say(&it, "}");
    for (uint32_t i = 0; i < of->attribute_count; i++) {
        metered_say(&it, "%s'%s':{'Action':'PUT','Value':", i > 0 ? "," : ",'AttributeUpdates':{",
                    of->attributes[i].name);
        say_value(&of->attributes[i]);
        metered_say(&it, "}");
    }
    for (uint32_t i = 0; i < of->text_count; i++) {
        metered_say(&it, "%s't%u':{'Action':'PUT','Value':{'S':'%s'}}",
                    i + of->attribute_count > 0 ? "," : ",'AttributeUpdates':{", i, text);
    }
    metered_say(&it, "%s}", of->attribute_count + of->text_count > 0 ? "}" : "");
    return metered_send(&it, "UpdateItem", TD_WRITE, 1);
}

static td_slice delete_item(load *of)
{
    metered_say(&it, "'Key':{");
    say_keys(of);
    metered_say(&it, "}}");
    return metered_send(&it, "DeleteItem", TD_WRITE, 1);
}

static td_slice get(load *of)
{
    metered_say(&it, "'ConsistentRead':%s,'Key':{", of->is_consistent ? "true" : "false");
    say_keys(of);
    metered_say(&it, "}}");
    return metered_send(&it, "GetItem", TD_READ, 1);
}

static void say_page(const load *of)
{
    metered_say(&it, "'ConsistentRead':%s", of->is_consistent ? "true" : "false");
    if (of->index[0] != '\0') metered_say(&it, ",'IndexName':'%s'", of->index);
    if (of->limit > 0) metered_say(&it, ",'Limit':%u", of->limit);
}

static td_slice query(load *of)
{
    say_page(of);
    metered_say(&it, ",'KeyConditionExpression':'%s=:k','ExpressionAttributeValues':{':k':", of->keys[0].name);
    say_value(&of->keys[0]);
    metered_say(&it, "}}");
    return metered_send(&it, "Query", TD_READ, 1);
}

/* Page after page, and from the start again; a throttled one is asked for again. */
static td_slice scan(load *of)
{
    static const char member[] = "\"LastEvaluatedKey\":";
    say_page(of);
    if (of->cursor[0] != '\0') metered_say(&it, ",'ExclusiveStartKey':%s", of->cursor);
    metered_say(&it, "}");
    td_slice answer = metered_send(&it, "Scan", TD_READ, 1);
    if (it.asked.http_status != 200) return answer;
    of->cursor[0] = '\0';
    const uint8_t *last = memmem(answer.ptr, answer.len, member, sizeof(member) - 1);
    if (last == NULL) return answer;
    last += sizeof(member) - 1;
    size_t len = 0;
    for (int depth = 0; len == 0 || depth > 0; len++) {
        ck_assert_uint_lt(len + 1, CURSOR_BYTES);
        depth += (last[len] == '{') - (last[len] == '}');
        of->cursor[len] = (char)last[len];
    }
    of->cursor[len] = '\0';
    return answer;
}

static void send(load *of)
{
    static td_slice (*const senders[TD_SIM_OPERATION_COUNT])(load *) = {
        [TD_SIM_PUT] = put,     [TD_SIM_GET] = get,  [TD_SIM_UPDATE] = update, [TD_SIM_DELETE] = delete_item,
        [TD_SIM_QUERY] = query, [TD_SIM_SCAN] = scan};
    metered_begin(&it);
    metered_say(&it, "{'TableName':'TTT','ReturnConsumedCapacity':'INDEXES',");
    (void)senders[of->operation](of);
}

static td_time_us next_us(const load *of)
{
    return (td_time_us)of->sent * TD_US_PER_S / of->rate_per_s;
}

/* By time; those of one instant in the order of the loads. */
static void send_phase(phase *of, td_time_us begins_us)
{
    td_time_us duration_us = of->duration_s * TD_US_PER_S;
    for (;;) {
        load *first = NULL;
        for (uint32_t i = 0; i < of->load_count; i++) {
            if (first == NULL || next_us(&of->loads[i]) < next_us(first)) first = &of->loads[i];
        }
        if (first == NULL || next_us(first) >= duration_us) break;
        ck_assert(td_clock_move_to(it.asked.service.clock, begins_us + next_us(first)));
        send(first);
        first->sent++;
    }
    ck_assert(td_clock_move_to(it.asked.service.clock, begins_us + duration_us));
}

/* ---- the simulator ----------------------------------------------------------------------------------------------- */

static void simulate(td_arena *arena, td_slice scenario_text, td_sim_record *ret_record)
{
    td_sim_reader reader;
    td_sim_scenario scenario;
    td_sim__reader_init(&reader, arena);
    ck_assert_msg(td_sim__scenario_read(&reader, scenario_text, &scenario), "%s", reader.sentence);
    td_sim_progress progress;
    td_sim__progress_init(&progress, true);
    td_sim_run_options options = {
        .scale = 1, .duration_us = td_sim__scenario_duration_us(&scenario), .progress = &progress};
    char sentence[TD_SIM_FAULT_BYTES];
    ck_assert_msg(td_sim__run(&scenario, &options, ret_record, sentence), "%s", sentence);
    ck_assert_uint_eq(ret_record->first_failure.len, 0);
}

/* Answers how many operations it was given. */
static uint64_t check_simulated(const td_sim_record *record, metered_resource resource)
{
    uint32_t at = td_sim__record_find(record, TD_LIT("TTT"), td_slice_of_cstr(metered_names[resource]));
    ck_assert_uint_ne(at, UINT32_MAX);
    const td_sim_counts *total = &record->places[at].total;
    METERED_CHECK_EQUAL(&it, total->consumed[TD_READ], it.told[resource][TD_READ], resource, "simulated reads");
    METERED_CHECK_EQUAL(&it, total->consumed[TD_WRITE], it.told[resource][TD_WRITE], resource, "simulated writes");
    uint64_t throttled = td_sim__throttled(total) - total->throttled[TD_SIM_BY_INDEX];
    METERED_CHECK_EQUAL(&it, throttled, metered_throttle_events(&it, resource), resource, "simulated throttles");
    return throttled;
}

START_TEST(the_simulator_uses_and_throttles_what_the_server_does)
{
    metered_init(&it, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i);
    memset(text, 't', TEXT_BYTES);
    make_phases();
    td_arena arena;
    td_arena_init(&arena, SIZE_MAX);
    say_scenario();
    td_sim_record record;
    simulate(&arena, td_buf_contents(&it.body), &record);

    td_time_us begins_us = METERED_START_US;
    for (size_t i = 0; i < PHASES; i++) {
        send_phase(&phases[i], begins_us);
        begins_us += phases[i].duration_s * TD_US_PER_S;
    }

    metered_check(&it);
    uint64_t throttled = 0;
    for (int i = 0; i < METERED_RESOURCES; i++)
        throttled += check_simulated(&record, (metered_resource)i);
    METERED_CHECK_EQUAL(&it, throttled, it.throttled, METERED_TABLE, "simulated throttles");
    ck_assert_uint_gt(throttled, 0);
    td_sim__record_done(&record);
    td_arena_done(&arena);
    metered_done(&it);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("simulated");
    TCase *tests = tcase_create("accounts");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, the_simulator_uses_and_throttles_what_the_server_does, 0, RUNS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
