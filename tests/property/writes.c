/* SPDX-License-Identifier: Apache-2.0
 * writes.c: random puts, updates and deletes, with and without conditions. */
#include "run.h"

#include "thermodyn/memory.h"

#define ATTRIBUTES_MAX 12
#define FILLER_BYTES_MAX 6000
#define BATCH_MAX 8

/* NULL: an upsert of the bare key. */
static const char *const updates[] = {
    "SET a = :any",
    "REMOVE a",
    "SET gk = :s",
    "REMOVE gk",
    "SET gs = :n",
    "ADD cnt :n",
    "SET gb = :b",
    "SET l = :n REMOVE gb",
    "SET filler = :filler",
    "REMOVE filler",
    "SET b = :any, gb = :b",
    "SET gk = :s, gs = :n",
    NULL,
};

static void write_one(model_run *run, const td_write *write);
static void prepare_put(model_run *run, td_write *write);
static void prepare_update(model_run *run, td_write *write);
static void prepare_delete(model_run *run, td_write *write);
static void add_condition(model_run *run, td_write *write);
static bool condition_holds(const td_write *write, const td_item *old_item);
static td_item *item_after(model_run *run, const td_write *write, const td_item *old_item);
static bool fits_indexes(const model_run *run, const td_item *item, const td_item *unchanged_from);
static void check_result(model_run *run, const td_write_result *result, const td_item *old_item,
                         const td_item *new_item);
static bool same_item(const td_item *a, const td_item *b);
static td_update *compile_update(model_run *run, const char *text);
static td_value random_filler(model_run *run);
static bool has_local_index(const td_table_spec *spec);

void run_write(model_run *run)
{
    td_write write;
    run_make_write(run, &write);
    write_one(run, &write);
}

void run_batch_write(model_run *run)
{
    td_write writes[BATCH_MAX];
    uint32_t count = 1 + (uint32_t)td_rng_below(&run->rng, BATCH_MAX);
    bool is_refused = false;
    for (uint32_t i = 0; i < count; i++) {
        writes[i] = (td_write){.words_keys_as_lookup = true};
        if (random_chance(&run->rng, 60))
            prepare_put(run, &writes[i]);
        else
            prepare_delete(run, &writes[i]);
        td_item *item = item_after(run, &writes[i], NULL);
        bool fits = item == NULL || fits_indexes(run, item, NULL);
        td_item_unref(item);
        td_call call = run_call(run);
        td_slice key;
        CHECK_RUN(run, td_write_check(&call, &writes[i], &key, &run->error) == (fits ? TD_OK : TD_VALIDATION));
        is_refused = is_refused || !fits;
    }
    for (uint32_t i = 0; i < count && !is_refused; i++)
        write_one(run, &writes[i]);
}

void run_make_write(model_run *run, td_write *ret_write)
{
    *ret_write = (td_write){.wants_item_on_failure = random_chance(&run->rng, 50)};
    uint64_t pick = td_rng_below(&run->rng, 10);
    if (pick < 5)
        prepare_put(run, ret_write);
    else if (pick < 8)
        prepare_update(run, ret_write);
    else
        prepare_delete(run, ret_write);
    if (random_chance(&run->rng, 20)) add_condition(run, ret_write);
}

/* A put's item is judged before its condition: it is known from the request alone. */
td_status run_judge_write(model_run *run, const td_write *write, const td_item *old_item, td_item **ret_new_item)
{
    td_item *new_item = item_after(run, write, old_item);
    const td_item *unchanged_from = write->kind == TD_WRITE_UPDATE ? old_item : NULL;
    *ret_new_item = new_item;
    if (new_item != NULL && !fits_indexes(run, new_item, unchanged_from)) return TD_VALIDATION;
    return condition_holds(write, old_item) ? TD_OK : TD_CONDITIONAL_CHECK_FAILED;
}

static void prepare_put(model_run *run, td_write *write)
{
    td_attribute *attributes = td_arena_alloc_array(&run->arena, ATTRIBUTES_MAX, sizeof *attributes);
    ck_assert(attributes != NULL);
    write->kind = TD_WRITE_PUT;
    write->attribute_count = run_make_item(run, attributes, ATTRIBUTES_MAX);
    if (random_chance(&run->rng, 20))
        attributes[write->attribute_count++] = (td_attribute){TD_LIT("filler"), random_filler(run)};
    td_value_sort_attributes(attributes, &write->attribute_count);
    write->attributes = attributes;
}

static void prepare_update(model_run *run, td_write *write)
{
    td_attribute *key = td_arena_alloc_array(&run->arena, 2, sizeof *key);
    ck_assert(key != NULL);
    write->kind = TD_WRITE_UPDATE;
    write->attribute_count = run_make_key(run, key);
    write->attributes = key;
    const char *text = NULL;
    if (run->has_expiry && random_chance(&run->rng, 20))
        text = random_chance(&run->rng, 70) ? "SET dies = :t" : "REMOVE dies";
    else
        text = updates[td_rng_below(&run->rng, TD_COUNT_OF(updates))];
    if (text != NULL) write->update = compile_update(run, text);
}

static void prepare_delete(model_run *run, td_write *write)
{
    td_attribute *key = td_arena_alloc_array(&run->arena, 2, sizeof *key);
    ck_assert(key != NULL);
    write->kind = TD_WRITE_DELETE;
    write->attribute_count = run_make_key(run, key);
    write->attributes = key;
}

static void add_condition(model_run *run, td_write *write)
{
    static const char *const texts[] = {"attribute_exists(pk)", "attribute_not_exists(pk)", "attribute_exists(gk)"};
    td_condition *condition;
    td_slice text = td_slice_of_cstr(texts[td_rng_below(&run->rng, TD_COUNT_OF(texts))]);
    CHECK_RUN(run, td_condition_compile(TD_EXPR_CONDITION, text, NULL, &run->arena, &condition, &run->error) == TD_OK);
    write->condition = condition;
}

static bool condition_holds(const td_write *write, const td_item *old_item)
{
    return write->condition == NULL || td_condition_holds(write->condition, old_item);
}

/* With a reference of its own; NULL: none. */
static td_item *item_after(model_run *run, const td_write *write, const td_item *old_item)
{
    if (write->kind == TD_WRITE_DELETE) return NULL;
    td_attribute *changed = NULL;
    uint32_t count = write->attribute_count;
    if (write->update != NULL)
        CHECK_RUN(run, td_update_apply(write->update, old_item, write->attributes, count, &run->arena, &changed, &count,
                                       &run->error) == TD_OK);
    else if (write->kind == TD_WRITE_UPDATE && old_item != NULL)
        CHECK_RUN(run, td_item_decode(old_item, &run->arena, &changed, &count) == TD_OK);
    td_item *item = td_item_new(changed == NULL ? write->attributes : changed, count);
    ck_assert(item != NULL);
    return item;
}

/* A key attribute of an index may be missing, but not of another type. An update may leave one that has been there
 * since before the index (unchanged_from; NULL: a put). */
static bool fits_indexes(const model_run *run, const td_item *item, const td_item *unchanged_from)
{
    for (uint32_t i = 0; i < run->table.spec.index_count; i++) {
        const td_key_schema *key = &run->table.spec.indexes[i].key;
        for (uint32_t j = 0; j < td_key_part_count(key); j++) {
            td_stored value;
            td_stored before;
            if (!td_item_find(item, key->parts[j].name, &value) || value.type == key->parts[j].type) continue;
            bool is_unchanged = unchanged_from != NULL && td_item_find(unchanged_from, key->parts[j].name, &before) &&
                                before.type == value.type && td_slice_equal(before.bytes, value.bytes);
            if (!is_unchanged) return false;
        }
    }
    return true;
}

static void check_result(model_run *run, const td_write_result *result, const td_item *old_item,
                         const td_item *new_item)
{
    CHECK_RUN(run, same_item(result->old_item, old_item));
    CHECK_RUN(run, same_item(result->new_item, new_item));
    td_consumed expected;
    model_write_units(&run->model, old_item, new_item, &run->arena, &expected);
    CHECK_RUN(run, consumed_equal(&result->consumed, &expected));
    CHECK_RUN(run, (result->collection_bytes >= 0) == has_local_index(&run->table.spec));
}

static bool same_item(const td_item *a, const td_item *b)
{
    if (a == NULL || b == NULL) return a == b;
    return td_item_equal(a, b);
}

static td_update *compile_update(model_run *run, const char *text)
{
    td_expr_value values[] = {
        {.mark = TD_LIT(":any"), .value = random_value(&run->rng, 2, &run->arena)},
        {.mark = TD_LIT(":b"), .value = {.type = TD_TYPE_B, .bytes = random_key(&run->rng, TD_TYPE_B, &run->arena)}},
        {.mark = TD_LIT(":n"), .value = {.type = TD_TYPE_N, .bytes = random_key(&run->rng, TD_TYPE_N, &run->arena)}},
        {.mark = TD_LIT(":filler"), .value = random_filler(run)},
        {.mark = TD_LIT(":s"), .value = {.type = TD_TYPE_S, .bytes = random_key(&run->rng, TD_TYPE_S, &run->arena)}},
        {.mark = TD_LIT(":t"), .value = {.type = TD_TYPE_NULL}},
    };
    if (run->has_expiry) values[TD_COUNT_OF(values) - 1].value = run_make_instant(run).value;
    td_expr_value *kept = td_arena_alloc_array(&run->arena, TD_COUNT_OF(values), sizeof *kept);
    ck_assert(kept != NULL);
    memcpy(kept, values, sizeof values);
    td_expr_marks marks = {.values = kept, .value_count = TD_COUNT_OF(values)};
    td_update *update;
    td_status status = td_update_compile(td_slice_of_cstr(text), &marks, &run->arena, &update, &run->error);
    CHECK_RUN(run, status == TD_OK);
    return update;
}

static td_value random_filler(model_run *run)
{
    size_t len = td_rng_below(&run->rng, FILLER_BYTES_MAX);
    uint8_t *bytes = td_arena_alloc_zero(&run->arena, len + 1);
    ck_assert(bytes != NULL);
    return (td_value){.type = TD_TYPE_B, .bytes = td_slice_of(bytes, len)};
}

/* On both sides. */
static void write_one(model_run *run, const td_write *write)
{
    const td_item *old_item = model_find(&run->model, write->attributes, write->attribute_count);
    td_item *new_item = NULL;
    td_status expected = run_judge_write(run, write, old_item, &new_item);
    td_call call = run_call(run);
    td_write_result result;
    td_status status = td_write_item(&call, write, &result, &run->error);
    CHECK_RUN(run, status == expected);
    if (status == TD_CONDITIONAL_CHECK_FAILED) {
        CHECK_RUN(run, same_item(run->error.item, write->wants_item_on_failure ? old_item : NULL));
        run_count_failed_write(run, old_item, write->kind == TD_WRITE_PUT ? new_item : NULL, 1);
    }
    if (status == TD_OK) {
        check_result(run, &result, old_item, new_item);
        run_count(run, TD_WRITE, &result.consumed);
        run_swap(run, old_item, new_item);
    } else {
        td_item_unref(new_item);
    }
}

static bool has_local_index(const td_table_spec *spec)
{
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (!spec->indexes[i].is_global) return true;
    }
    return false;
}
