/* SPDX-License-Identifier: Apache-2.0
 * tag.c: tests of tags: at creation and later, in order, and no more than there may be. */
#include "suites.h"
#include "thermodyn/tag.h"
#include "world.h"

#define TAG(tag_key, tag_value) ((td_tag){td_slice_of_cstr(tag_key), td_slice_of_cstr(tag_value)})

static td_status try_tag(td_world *world, const char *key, const char *value)
{
    td_tag tag = TAG(key, value);
    return td_tag_put(&world->call, &tag, 1, &world->fixture.error);
}

static void untag(td_world *world, const char *key)
{
    td_slice slice = td_slice_of_cstr(key);
    ck_assert_int_eq(td_tag_remove(&world->call, &slice, 1, &world->fixture.error), TD_OK);
}

/* "a=1 b=" */
static const char *show_tags(td_world *world)
{
    td_tag *tags;
    uint32_t count;
    ck_assert_int_eq(td_tag_list(&world->call, &tags, &count, &world->fixture.error), TD_OK);
    td_slice text = TD_LIT("");
    ck_assert(td_arena_format(world->call.arena, &text, "%s", ""));
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(td_arena_format(world->call.arena, &text, "%.*s%s%.*s=%.*s", (int)text.len, (const char *)text.ptr,
                                  i == 0 ? "" : " ", (int)tags[i].key.len, (const char *)tags[i].key.ptr,
                                  (int)tags[i].value.len, (const char *)tags[i].value.ptr));
    }
    return (const char *)text.ptr;
}

START_TEST(tags_are_put_replaced_and_removed_in_the_order_of_keys)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    ck_assert_str_eq(show_tags(&world), "");
    ck_assert_int_eq(try_tag(&world, "b", "1"), TD_OK);
    ck_assert_int_eq(try_tag(&world, "a", "2"), TD_OK);
    ck_assert_int_eq(try_tag(&world, "c", ""), TD_OK);
    ck_assert_str_eq(show_tags(&world), "a=2 b=1 c=");
    ck_assert_int_eq(try_tag(&world, "b", "longer than before"), TD_OK);
    untag(&world, "a");
    untag(&world, "missing");
    ck_assert_str_eq(show_tags(&world), "b=longer than before c=");
    untag(&world, "b");
    untag(&world, "c");
    ck_assert_str_eq(show_tags(&world), "");
    world_done(&world);
}
END_TEST

START_TEST(a_table_is_created_with_its_tags)
{
    td_world world;
    world_init(&world);
    td_tag tags[] = {TAG("z", "1"), TAG("a", "2")};
    make_table(&world, "T", KEY("pk", S), .tags = tags, .tag_count = 2);
    ck_assert_str_eq(show_tags(&world), "a=2 z=1");
    world_done(&world);
}
END_TEST

START_TEST(there_are_fifty_tags_at_most)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    char keys[51][8];
    td_tag tags[51];
    for (int i = 0; i < 51; i++) {
        snprintf(keys[i], sizeof keys[i], "k%02d", i);
        tags[i] = TAG(keys[i], "v");
    }
    td_error *error = &world.fixture.error;
    REFUSED(&world, td_tag_put(&world.call, tags, 51, error), TD_VALIDATION,
            "Number of Tags exceed the current limit for the provided ResourceArn");
    ck_assert_str_eq(show_tags(&world), "");
    ck_assert_int_eq(td_tag_put(&world.call, tags, 50, error), TD_OK);
    ck_assert_int_eq(td_tag_put(&world.call, tags, 50, error), TD_OK); /* all replaced */
    REFUSED(&world, try_tag(&world, "one more", "v"), TD_VALIDATION,
            "Number of Tags exceed the current limit for the provided ResourceArn");
    td_table_spec spec = SPEC(KEY("pk", S), .tags = tags, .tag_count = 51);
    REFUSED(&world, try_make_table(&world, "U", spec), TD_VALIDATION,
            "Number of Tags exceed the current limit for the provided ResourceArn");
    world_done(&world);
}
END_TEST

START_TEST(tags_of_no_table_are_refused)
{
    td_world world;
    world_init(&world);
    world_use(&world, "missing");
    td_tag *tags;
    uint32_t count;
    ck_assert_int_eq(try_tag(&world, "a", "1"), TD_RESOURCE_NOT_FOUND);
    ck_assert_int_eq(td_tag_list(&world.call, &tags, &count, &world.fixture.error), TD_RESOURCE_NOT_FOUND);
    td_slice key = TD_LIT("a");
    ck_assert_int_eq(td_tag_remove(&world.call, &key, 1, &world.fixture.error), TD_RESOURCE_NOT_FOUND);
    world_done(&world);
}
END_TEST

TCase *tag_tests(void)
{
    TCase *tests = tcase_create("tag");
    tcase_add_test(tests, tags_are_put_replaced_and_removed_in_the_order_of_keys);
    tcase_add_test(tests, a_table_is_created_with_its_tags);
    tcase_add_test(tests, there_are_fifty_tags_at_most);
    tcase_add_test(tests, tags_of_no_table_are_refused);
    return tests;
}
