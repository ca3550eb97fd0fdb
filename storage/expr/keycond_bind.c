/* SPDX-License-Identifier: Apache-2.0
 * keycond_bind.c: a key condition meets a key schema and becomes a range of one item collection.
 * Model: every partition key attribute needs an equality; sort key attributes need equalities from the first on without
 * a gap, and only the last one that is named may have another condition. A key of one attribute each is the case that
 * always was; several are those of global indexes.
 * Sources of texts and their order: dynalite's tests of Query; messages.md §1.6; the multi-attribute texts as captured.
 * Not here: bytes of keys (storage/value/key.c); the walk (storage/engine). */
#include "keycond.h"

static td_status check_count(const td_key_condition *condition, const td_key_schema *schema, td_error *error);
static td_status check_operands(const td_restriction *restriction, const td_key_part *part, td_error *error);
static td_status check_empty(const td_restriction *restriction, const td_key_part *part, td_error *error);
static td_status bind_hash(const td_key_condition *condition, const td_key_schema *schema, td_key_range *range,
                           td_error *error);
static td_status bind_range(const td_key_condition *condition, const td_key_schema *schema, td_key_range *range,
                            td_error *error);
static td_status raise_gap(const td_key_condition *condition, const td_key_schema *schema, uint32_t later,
                           td_error *error);
static td_range_kind range_kind(td_restriction_kind kind);

td_status td_key_condition_bind(const td_key_condition *condition, const td_key_schema *schema, td_key_range *ret_range,
                                td_error *error)
{
    TD_ASSERT(schema->hash_count >= 1 && schema->hash_count <= TD_LIMIT_INDEX_HASH_PARTS_MAX);
    TD_ASSERT(schema->range_count <= TD_LIMIT_INDEX_RANGE_PARTS_MAX);
    td_key_range range = {.kind = TD_RANGE_ALL};
    TD_TRY(td_key_condition_check(condition, error));
    TD_TRY(check_count(condition, schema, error));
    TD_TRY(bind_hash(condition, schema, &range, error));
    TD_TRY(bind_range(condition, schema, &range, error));
    *ret_range = range;
    return TD_OK;
}

static td_status check_count(const td_key_condition *condition, const td_key_schema *schema, td_error *error)
{
    uint32_t parts = td_key_part_count(schema);
    if (condition->count <= parts) return TD_OK;
    return TD_RAISE(error, parts == 1 ? TD_MSG_KEYCOND_COUNT_HASH_ONLY : TD_MSG_KEYCOND_COUNT,
                    td_error_int(error, condition->count), td_error_int(error, parts));
}

/* An operation that keys know, operands of the part's type. */
static td_status check_operands(const td_restriction *restriction, const td_key_part *part, td_error *error)
{
    if (restriction->kind == TD_RESTRICTION_NOT_INDEXABLE) return TD_RAISE(error, TD_MSG_KEYCOND_NOT_INDEXABLE);
    bool fits = restriction->low->type == part->type &&
                (restriction->high == NULL || restriction->high->type == part->type) &&
                (restriction->kind != TD_RESTRICTION_BEGINS_WITH || part->type != TD_TYPE_N);
    return fits ? TD_OK : TD_RAISE(error, TD_MSG_KEYCOND_TYPE);
}

/* No stored key is empty, and the service refuses to look for one. */
static td_status check_empty(const td_restriction *restriction, const td_key_part *part, td_error *error)
{
    if (part->type == TD_TYPE_N) return TD_OK;
    bool is_empty =
        restriction->low->bytes.len == 0 || (restriction->high != NULL && restriction->high->bytes.len == 0);
    if (!is_empty) return TD_OK;
    return TD_RAISE(error, part->type == TD_TYPE_S ? TD_MSG_KEYCOND_EMPTY_STRING : TD_MSG_KEYCOND_EMPTY_BINARY,
                    part->name);
}

static td_status bind_hash(const td_key_condition *condition, const td_key_schema *schema, td_key_range *range,
                           td_error *error)
{
    for (uint32_t i = 0; i < schema->hash_count; i++) {
        const td_key_part *part = &schema->parts[i];
        const td_restriction *restriction = td_key_condition__find(condition, part->name);
        if (restriction == NULL) return TD_RAISE(error, TD_MSG_KEYCOND_MISSING, part->name);
        TD_TRY(check_operands(restriction, part, error));
        if (restriction->kind != TD_RESTRICTION_EQUAL) return TD_RAISE(error, TD_MSG_KEYCOND_NOT_SUPPORTED);
        TD_TRY(check_empty(restriction, part, error));
        range->hash_parts[i] = restriction->low->bytes;
    }
    return TD_OK;
}

static td_status bind_range(const td_key_condition *condition, const td_key_schema *schema, td_key_range *range,
                            td_error *error)
{
    uint32_t named = schema->hash_count; /* restrictions that found their attribute */
    bool is_open = true;                 /* so far equalities from the first attribute on */
    for (uint32_t i = 0; i < schema->range_count; i++) {
        const td_key_part *part = &schema->parts[schema->hash_count + i];
        const td_restriction *restriction = td_key_condition__find(condition, part->name);
        if (restriction == NULL) {
            is_open = false;
            continue;
        }
        named++;
        if (!is_open) return raise_gap(condition, schema, i, error);
        TD_TRY(check_operands(restriction, part, error));
        TD_TRY(check_empty(restriction, part, error));
        if (restriction->kind == TD_RESTRICTION_EQUAL) {
            range->equal_parts[range->equal_count++] = restriction->low->bytes;
            continue;
        }
        is_open = false;
        range->kind = range_kind(restriction->kind);
        range->low = restriction->low->bytes;
        if (restriction->high != NULL) range->high = restriction->high->bytes;
    }
    if (named == condition->count) return TD_OK;

    /* Some attribute is none of the key's: the service says which of the key's it had room for. */
    for (uint32_t i = schema->hash_count; i < td_key_part_count(schema); i++) {
        if (td_key_condition__find(condition, schema->parts[i].name) == NULL)
            return TD_RAISE(error, TD_MSG_KEYCOND_MISSING, schema->parts[i].name);
    }
    TD_ASSERT(0 && "there are no more restrictions than attributes of the key");
    return TD_OK;
}

/* Names the sort key attributes before `later` that have no equality. */
static td_status raise_gap(const td_key_condition *condition, const td_key_schema *schema, uint32_t later,
                           td_error *error)
{
    td_slice names = TD_LIT("");
    for (uint32_t i = 0; i < later; i++) {
        td_slice name = schema->parts[schema->hash_count + i].name;
        const td_restriction *restriction = td_key_condition__find(condition, name);
        if (restriction != NULL && restriction->kind == TD_RESTRICTION_EQUAL) continue;
        if (!td_arena_format(error->arena, &names, "%.*s%s%.*s", (int)names.len, (const char *)names.ptr,
                             names.len > 0 ? ", " : "", (int)name.len, (const char *)name.ptr))
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_RAISE(error, TD_MSG_KEYCOND_RANGE_GAP, names, schema->parts[schema->hash_count + later].name);
}

static td_range_kind range_kind(td_restriction_kind kind)
{
    switch (kind) {
    case TD_RESTRICTION_LESS: return TD_RANGE_LESS;
    case TD_RESTRICTION_LESS_EQUAL: return TD_RANGE_LESS_EQUAL;
    case TD_RESTRICTION_GREATER: return TD_RANGE_GREATER;
    case TD_RESTRICTION_GREATER_EQUAL: return TD_RANGE_GREATER_EQUAL;
    case TD_RESTRICTION_BETWEEN: return TD_RANGE_BETWEEN;
    case TD_RESTRICTION_BEGINS_WITH: return TD_RANGE_BEGINS_WITH;
    case TD_RESTRICTION_EQUAL:
    case TD_RESTRICTION_NOT_INDEXABLE: break;
    }
    TD_ASSERT(0 && "a restriction of a range");
    return TD_RANGE_ALL;
}
