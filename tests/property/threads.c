/* SPDX-License-Identifier: Apache-2.0
 * threads.c: worlds and the parties in them. */
#include "threads.h"

#include <inttypes.h>
#include <stdio.h>

#define STEP_BYTES_MAX (16u << 20)
#define START_US INT64_C(1794571200000000)

static void *run_body(void *context);

void world_open(world *it, td_enforce enforce, uint64_t steps, td_time_us step_us)
{
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1};
    td_capacity_settings_init(&options.capacity);
    options.capacity.enforce = enforce;
    *it = (world){.store = td_store_new(&options), .step_us = step_us, .steps = steps, .now_us = START_US};
    ck_assert_ptr_nonnull(it->store);
}

void world_close(world *it)
{
    td_store_free(it->store);
}

void party_init(party *it, world *shared, uint32_t number, void *own)
{
    *it = (party){.world = shared, .number = number, .own = own};
    td_rng_init(&it->rng, number + 1);
    td_arena_init(&it->arena, STEP_BYTES_MAX);
    it->error.arena = &it->arena;
}

void party_done(party *it)
{
    td_arena_done(&it->arena);
}

void party_start(party *it, void (*body)(party *it))
{
    it->body = body;
    ck_assert_int_eq(pthread_create(&it->thread, NULL, run_body, it), 0);
}

static void *run_body(void *context)
{
    party *it = context;
    it->body(it);
    return NULL;
}

void parties_join(party *parties, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ck_assert_int_eq(pthread_join(parties[i].thread, NULL), 0);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(!has_failed(&parties[i]), "party %" PRIu32 ": %s", i, parties[i].failure);
}

void party_take_steps(party *it, void (*step)(party *it, uint64_t number))
{
    world *shared = it->world;
    for (uint64_t i = 0; i < shared->steps && !has_failed(it); i++) {
        td_arena_reset(&it->arena);
        it->error = (td_error){.arena = &it->arena};
        td_time_us now_us = atomic_fetch_add(&shared->now_us, shared->step_us) + shared->step_us;
        if (td_store_next_due(shared->store) <= now_us) td_store_run_due(shared->store, now_us);
        step(it, i);
    }
}

void expect(party *it, bool holds, const char *what)
{
    if (holds || has_failed(it)) return;
    snprintf(it->failure, sizeof it->failure, "not so: %s (status %d: %.*s)", what, (int)it->error.status,
             (int)it->error.text.len, (const char *)it->error.text.ptr);
}

bool has_failed(const party *it)
{
    return it->failure[0] != '\0';
}

td_call call_of(party *it, const char *table)
{
    return (td_call){.store = it->world->store,
                     .arena = &it->arena,
                     .now_us = atomic_load(&it->world->now_us),
                     .region = TD_LIT("us-east-1"),
                     .table = td_slice_of_cstr(table)};
}

td_table_spec table_by_pk(td_slice name)
{
    static td_attribute_definition definition = {TD_LIT_INIT("pk"), TD_TYPE_S};
    return (td_table_spec){.name = name,
                           .definitions = &definition,
                           .definition_count = 1,
                           .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                           .billing = TD_BILLING_ON_DEMAND};
}

static td_index_spec index_by(const char *index, const char *attribute)
{
    return (td_index_spec){.name = td_slice_of_cstr(index),
                           .is_global = true,
                           .key = {.hash_count = 1, .parts = {{td_slice_of_cstr(attribute), TD_TYPE_S}}},
                           .projection = TD_PROJECT_ALL};
}

void create_table(party *it, const char *table, const char *index, const char *attribute)
{
    td_call call = call_of(it, table);
    td_table_spec spec = table_by_pk(call.table);
    td_attribute_definition definitions[2] = {{TD_LIT("pk"), TD_TYPE_S}};
    td_index_spec spec_of_index;
    if (index != NULL) {
        definitions[1] = (td_attribute_definition){td_slice_of_cstr(attribute), TD_TYPE_S};
        spec_of_index = index_by(index, attribute);
        spec.definitions = definitions;
        spec.definition_count = 2;
        spec.indexes = &spec_of_index;
        spec.index_count = 1;
    }
    td_table_info info;
    expect(it, td_table_create(&call, &spec, &info, &it->error) == TD_OK, "a table is created");
    expect(it, td_table_describe(&call, &info, &it->error) == TD_OK, "it is described");
    expect(it, info.status == TD_TABLE_ACTIVE, "it is ACTIVE");
}

void change_index(party *it, const char *table, const char *attribute)
{
    td_call call = call_of(it, table);
    td_attribute_definition definitions[] = {{TD_LIT("pk"), TD_TYPE_S}, {td_slice_of_cstr(attribute), TD_TYPE_S}};
    td_index_change change = {.action = TD_INDEX_DELETE, .spec.name = TD_LIT("fleeting")};
    if (td_rng_below(&it->rng, 2) == 0) {
        change = (td_index_change){.action = TD_INDEX_CREATE, .spec = index_by("fleeting", attribute)};
        change.spec.projection = TD_PROJECT_KEYS_ONLY;
    }
    td_table_change update = {.definitions = definitions, .definition_count = 2, .indexes = &change, .index_count = 1};
    td_table_info info;
    td_status status = td_table_update(&call, &update, &info, &it->error);
    expect(it,
           status == TD_OK || status == TD_VALIDATION || status == TD_RESOURCE_NOT_FOUND ||
               status == TD_RESOURCE_IN_USE || status == TD_LIMIT_EXCEEDED,
           "an index is changed, or may not be now");
    expect(it, td_table_describe(&call, &info, &it->error) == TD_OK, "the table is described");
}

int run_one_test(const char *name, const TTest *test)
{
    return run_tests(name, &test, 1);
}

int run_tests(const char *name, const TTest *const *tests_of, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 0);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tests, tests_of[i]);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
