/* SPDX-License-Identifier: Apache-2.0
 * world.h: a store in virtual time, tables in one line, and requests that must or must not succeed.
 *
 *   world_init(&world);
 *   make_table(&world, "T", KEY("pk", S), PROVISIONED(5, 5));
 *   put(&world, S("pk", "a"), N("n", "1"));
 *   REFUSED(try_put(&world, …), TD_VALIDATION, "One or more …");
 *
 * A world speaks of one table at a time: the last one that was made or named. */
#ifndef THERMODYN_TESTS_UNIT_ENGINE_WORLD_H
#define THERMODYN_TESTS_UNIT_ENGINE_WORLD_H

#include <check.h>
#include <stdio.h>

#include "support/build.h"
#include "thermodyn/observe.h"
#include "thermodyn/read.h"
#include "thermodyn/table.h"
#include "thermodyn/write.h"

#define WORLD_START_US INT64_C(1790000000000000) /* 2026-09-21, 14:13:20 UTC */

typedef struct td_world {
    td_fixture fixture;
    td_store *store;
    td_call call;
    td_consumed consumed;     /* of the last request that succeeded */
    int64_t collection_bytes; /* of the last write */
} td_world;

void world_init(td_world *world);
void world_init_with(td_world *world, td_store_options options);
void world_done(td_world *world);
td_store_options world_options(void); /* service placement, seed 1, no delays, default settings */

void world_move(td_world *world, double seconds); /* and runs what falls due */
void world_use(td_world *world, const char *table);
void world_forget(td_world *world); /* resets the request's arena, as the end of a request does */

/* A key schema: KEY("pk", S), KEY("pk", S, "sk", N). */
#define KEY(hash, hash_type, ...) key_of_parts(KEY_PARTS(hash, hash_type, ##__VA_ARGS__, NULL, S))
#define KEY_PARTS(hash, hash_type, range, range_type, ...) hash, TD_TYPE_##hash_type, range, TD_TYPE_##range_type
td_key_schema key_of_parts(const char *hash, td_type hash_type, const char *range, td_type range_type);

/* An index: GLOBAL("gix", KEY("gh", S)), LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY). */
#define GLOBAL(index, index_key, ...)                                                                                  \
    ((td_index_spec){.name = td_slice_of_cstr(index), .is_global = true, .key = (index_key), ##__VA_ARGS__})
#define LOCAL(index, index_key, ...)                                                                                   \
    ((td_index_spec){.name = td_slice_of_cstr(index), .key = (index_key), ##__VA_ARGS__})
#define INDEXES(...)                                                                                                   \
    .indexes = (td_index_spec[]){__VA_ARGS__}, .index_count = TD_COUNT_OF(((td_index_spec[]){__VA_ARGS__}))
#define INCLUDING(...)                                                                                                 \
    .projection = TD_PROJECT_INCLUDE, .non_key_attributes = (td_slice[]){__VA_ARGS__},                                 \
    .non_key_attribute_count = TD_COUNT_OF(((td_slice[]){__VA_ARGS__}))
#define UNITS(read, write) ((td_throughput){{[TD_READ] = (read), [TD_WRITE] = (write)}})
#define MAXIMA(read, write) ((td_on_demand_max){{[TD_READ] = (read), [TD_WRITE] = (write)}})

/* Definitions are derived from the keys. Without throughput: on-demand. */
#define make_table(world, table, table_key, ...)                                                                       \
    ck_assert_int_eq(try_make_table((world), (table), SPEC(table_key, ##__VA_ARGS__)), TD_OK)
#define SPEC(table_key, ...) ((td_table_spec){.key = (table_key), ##__VA_ARGS__})
#define PROVISIONED(read, write) .throughput = UNITS(read, write)
td_status try_make_table(td_world *world, const char *table, td_table_spec spec);
td_table_info describe(td_world *world);
const td_index_info *find_index(const td_table_info *info, const char *index);

#define put(world, ...) ck_assert_int_eq(try_put((world), __VA_ARGS__), TD_OK)
#define try_put(world, ...) try_write((world), TD_WRITE_PUT, attributes_of(&(world)->fixture.arena, __VA_ARGS__), NULL)
#define erase(world, ...) ck_assert_int_eq(try_delete((world), __VA_ARGS__), TD_OK)
#define try_delete(world, ...)                                                                                         \
    try_write((world), TD_WRITE_DELETE, attributes_of(&(world)->fixture.arena, __VA_ARGS__), NULL)
/* update(&world, "SET a = :v", VALUES(N(":v", "1")), S("pk", "a")) */
#define update(world, text, values, ...) ck_assert_int_eq(try_update((world), (text), (values), __VA_ARGS__), TD_OK)
#define try_update(world, text, values, ...)                                                                           \
    try_write_update((world), (text), (values), attributes_of(&(world)->fixture.arena, __VA_ARGS__))
#define VALUES(...) TD_GIVEN_LIST(__VA_ARGS__)

td_status try_write(td_world *world, td_write_kind kind, td_given_attributes attributes, const char *condition);
td_status try_write_update(td_world *world, const char *text, const td_given *values, td_given_attributes key);
td_status run_write(td_world *world, const td_write *write, td_write_result *ret_result);

/* The item of a key, NULL when there is none; an error stops the test. */
#define get(world, ...) get_item((world), attributes_of(&(world)->fixture.arena, __VA_ARGS__))
const td_item *get_item(td_world *world, td_given_attributes key);

td_key_range range_of(td_world *world, td_given hash); /* all of one partition key value */
td_page read_page(td_world *world, td_page_request request);
/* The named attribute of the page's items, joined: "a b c"; numbers as written. */
const char *show_page(td_world *world, const td_page *page, const char *attribute);
/* LastEvaluatedKey as the next page's starting key. */
td_given_attributes last_key(td_world *world, const td_page *page);

td_units index_units(const td_consumed *consumed, const char *index); /* -1: no arm */

#define REFUSED(world, call, status, message)                                                                          \
    do {                                                                                                               \
        ck_assert_int_eq((call), (status));                                                                            \
        ck_assert_str_eq(error_text(world), (message));                                                                \
    } while (0)
const char *error_text(td_world *world);

#endif
