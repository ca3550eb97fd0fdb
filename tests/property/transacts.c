/* SPDX-License-Identifier: Apache-2.0
 * transacts.c: random transactions of writes, and of reads, on one table. */
#include "run.h"

#include "thermodyn/txn.h"

#define ACTIONS_MAX 8

/* One action and what the model makes of it. */
typedef struct expectation {
    td_status status;
    const td_item *old_item;
    td_item *new_item; /* a reference; NULL: none */
} expectation;

static void make_action(model_run *run, td_action *ret_action);
static bool has_duplicates(model_run *run, const td_action *actions, uint32_t count);
static bool is_same_key(const td_key_schema *schema, const td_attribute *a, uint32_t a_count, const td_attribute *b,
                        uint32_t b_count);
static td_status judge(model_run *run, const td_action *actions, expectation *expected, uint32_t count);
static void check_reasons(model_run *run, const td_action *actions, const expectation *expected, uint32_t count);
static void check_consumed(model_run *run, const td_action *actions, const expectation *expected, uint32_t count,
                           const td_transact_write_result *result);
static void add_consumed(td_consumed *sum, const td_consumed *consumed);
static void count_failed(model_run *run, const td_action *actions, const expectation *expected, uint32_t count);

void run_transact_write(model_run *run)
{
    td_action actions[ACTIONS_MAX];
    expectation expected[ACTIONS_MAX];
    uint32_t count = 1 + (uint32_t)td_rng_below(&run->rng, ACTIONS_MAX);
    for (uint32_t i = 0; i < count; i++)
        make_action(run, &actions[i]);
    td_status must_be = judge(run, actions, expected, count);
    bool is_repeated = has_duplicates(run, actions, count);

    td_call call = run_call(run);
    td_transact_write request = {.actions = actions, .count = count};
    td_transact_write_result result;
    td_status status = td_transact_write_items(&call, &request, &result, &run->error);
    CHECK_RUN(run, status == (is_repeated ? TD_VALIDATION : must_be));
    if (status == TD_TRANSACTION_CANCELED) {
        check_reasons(run, actions, expected, count);
        count_failed(run, actions, expected, count);
    }
    if (status == TD_OK) {
        check_consumed(run, actions, expected, count, &result);
        run_count(run, TD_WRITE, &result.tables[0].consumed);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (status == TD_OK && !actions[i].is_check)
            run_swap(run, expected[i].old_item, expected[i].new_item);
        else
            td_item_unref(expected[i].new_item);
    }
}

void run_transact_get(model_run *run)
{
    td_attribute keys[ACTIONS_MAX][2];
    td_transact_get gets[ACTIONS_MAX];
    td_action actions[ACTIONS_MAX]; /* for the comparison of keys */
    uint32_t count = 1 + (uint32_t)td_rng_below(&run->rng, ACTIONS_MAX);
    td_units units = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key_count = run_make_key(run, keys[i]);
        gets[i] = (td_transact_get){.table = run->table.spec.name, .key = keys[i], .key_count = key_count};
        actions[i] = (td_action){.write = {.attributes = keys[i], .attribute_count = key_count}};
        const td_item *item = model_find(&run->model, keys[i], key_count);
        units += 2 * model_units_of_read(item == NULL ? 0 : td_item_size(item), true);
    }
    td_call call = run_call(run);
    td_transact_get_result result;
    td_status status = td_transact_get_items(&call, gets, count, &result, &run->error);
    bool is_repeated = has_duplicates(run, actions, count);
    CHECK_RUN(run, status == (is_repeated ? TD_VALIDATION : TD_OK));
    if (status != TD_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        const td_item *item = model_find(&run->model, keys[i], gets[i].key_count);
        bool is_equal =
            item == NULL ? result.items[i] == NULL : result.items[i] != NULL && td_item_equal(item, result.items[i]);
        CHECK_RUN(run, is_equal);
    }
    CHECK_RUN(run, result.table_count == 1);
    CHECK_RUN(run, result.tables[0].consumed.table == units);
    run_count(run, TD_READ, &result.tables[0].consumed);
}

static void make_action(model_run *run, td_action *ret_action)
{
    *ret_action = (td_action){.table = run->table.spec.name};
    run_make_write(run, &ret_action->write);
    /* A write by key and condition is a check as well. */
    bool can_check = ret_action->write.kind == TD_WRITE_DELETE && ret_action->write.condition != NULL;
    ret_action->is_check = can_check && random_chance(&run->rng, 50);
}

static bool has_duplicates(model_run *run, const td_action *actions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const td_write *a = &actions[i].write;
            const td_write *b = &actions[j].write;
            if (is_same_key(&run->table.spec.key, a->attributes, a->attribute_count, b->attributes, b->attribute_count))
                return true;
        }
    }
    return false;
}

static bool is_same_key(const td_key_schema *schema, const td_attribute *a, uint32_t a_count, const td_attribute *b,
                        uint32_t b_count)
{
    for (uint32_t i = 0; i < td_key_part_count(schema); i++) {
        const td_value *of_a = td_value_find(a, a_count, schema->parts[i].name);
        const td_value *of_b = td_value_find(b, b_count, schema->parts[i].name);
        if (!td_slice_equal(of_a->bytes, of_b->bytes)) return false;
    }
    return true;
}

/* Puts that do not fit the indexes are found before any condition is looked at. */
static td_status judge(model_run *run, const td_action *actions, expectation *expected, uint32_t count)
{
    bool has_misfit = false;
    bool has_failed = false;
    for (uint32_t i = 0; i < count; i++) {
        const td_write *write = &actions[i].write;
        expectation *it = &expected[i];
        it->old_item = model_find(&run->model, write->attributes, write->attribute_count);
        it->status = run_judge_write(run, write, it->old_item, &it->new_item);
        has_misfit = has_misfit || it->status == TD_VALIDATION;
        has_failed = has_failed || it->status == TD_CONDITIONAL_CHECK_FAILED;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (has_misfit && expected[i].status == TD_CONDITIONAL_CHECK_FAILED) expected[i].status = TD_OK;
    }
    return has_misfit || has_failed ? TD_TRANSACTION_CANCELED : TD_OK;
}

static void check_reasons(model_run *run, const td_action *actions, const expectation *expected, uint32_t count)
{
    const td_cancellations *cancellations = run->error.cancellations;
    CHECK_RUN(run, cancellations != NULL && cancellations->count == count);
    for (uint32_t i = 0; i < count; i++) {
        const td_cancellation *reason = &cancellations->reasons[i];
        bool has_failed = expected[i].status == TD_CONDITIONAL_CHECK_FAILED;
        const char *code = has_failed                            ? "ConditionalCheckFailed"
                           : expected[i].status == TD_VALIDATION ? "ValidationError"
                                                                 : "None";
        CHECK_RUN(run, td_slice_equal(reason->code, td_slice_of_cstr(code)));
        bool shows_item = has_failed && actions[i].write.wants_item_on_failure && expected[i].old_item != NULL;
        CHECK_RUN(run, (reason->item != NULL) == shows_item);
        if (shows_item) CHECK_RUN(run, td_item_equal(reason->item, expected[i].old_item));
    }
}

/* The table's arm twice, the indexes' once; a check costs what it read. */
static void check_consumed(model_run *run, const td_action *actions, const expectation *expected, uint32_t count,
                           const td_transact_write_result *result)
{
    td_consumed sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        const td_item *old_item = expected[i].old_item;
        td_consumed consumed = {0};
        if (actions[i].is_check)
            consumed.table = model_units_of_write(old_item == NULL ? 0 : td_item_size(old_item));
        else
            model_write_units(&run->model, old_item, expected[i].new_item, &run->arena, &consumed);
        add_consumed(&sum, &consumed);
    }
    CHECK_RUN(run, result->table_count == 1);
    CHECK_RUN(run, consumed_equal(&result->tables[0].consumed, &sum));
}

static void add_consumed(td_consumed *sum, const td_consumed *consumed)
{
    sum->table += 2 * consumed->table;
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        uint32_t at = 0;
        while (at < sum->index_count && !td_slice_equal(sum->indexes[at].name, consumed->indexes[i].name))
            at++;
        if (at == sum->index_count)
            sum->indexes[sum->index_count++] = consumed->indexes[i];
        else
            sum->indexes[at].units += consumed->indexes[i].units;
    }
}

/* A failed condition is charged for every action, an item that does not fit for none. The new item counts where it was
 * made: of a put, and of an update whose own condition holds. */
static void count_failed(model_run *run, const td_action *actions, const expectation *expected, uint32_t count)
{
    bool has_failed = false;
    for (uint32_t i = 0; i < count; i++)
        has_failed = has_failed || expected[i].status == TD_CONDITIONAL_CHECK_FAILED;
    for (uint32_t i = 0; i < count && has_failed; i++) {
        bool is_made = actions[i].write.kind == TD_WRITE_PUT || expected[i].status == TD_OK;
        run_count_failed_write(run, expected[i].old_item, is_made ? expected[i].new_item : NULL, 2);
    }
}
