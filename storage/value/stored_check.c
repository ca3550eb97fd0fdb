/* SPDX-License-Identifier: Apache-2.0
 * stored_check.c: is a run of foreign bytes a canonical encoding?
 *
 * THE BYTES MAY BE ANYTHING. Each rule of stored.h is checked: shortest lengths that stay inside their container,
 * counts, order without repeats, valid numbers and UTF-8, and nesting below the service's limit, which also bounds the
 * recursion. */
#include "stored.h"

#include "thermodyn/limits.h"
#include "thermodyn/text.h"

#include "varint.h"

/* What is still to be read; `at` becomes NULL at the first fault and stays so. */
typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
} reader;

static void check_attributes(reader *in, uint32_t levels, uint32_t *ret_count);
static void check_value(reader *in, uint32_t levels);
static void check_set(reader *contents, td_type type, uint32_t count);
static void check_scalar(reader *in, td_type type, td_slice payload);
static void fail_unless(reader *in, bool holds);
static uint32_t read_number(reader *in);
static td_slice read_bytes(reader *in);
static bool has_more(const reader *in) { return in->at && in->at < in->end; }

bool td_stored__check(td_slice bytes, uint32_t *ret_count)
{
    if (bytes.len == 0) {
        *ret_count = 0;
        return true;
    }
    reader in = {bytes.ptr, bytes.ptr + bytes.len};
    uint32_t count = 0;
    /* The attribute itself is the first level. */
    check_attributes(&in, TD_LIMIT_NESTING_LEVELS_MAX - 1, &count);
    if (!in.at) return false;
    *ret_count = count;
    return true;
}

/* Attributes up to the end of `in`. */
static void check_attributes(reader *in, uint32_t levels, uint32_t *ret_count)
{
    td_slice last = {NULL, 0};
    uint32_t count = 0;
    for (; has_more(in); count++) {
        td_slice name = read_bytes(in);
        fail_unless(in, td_utf8_is_valid(name));
        fail_unless(in, count == 0 || td_slice_compare(last, name) < 0);
        check_value(in, levels);
        last = name;
    }
    *ret_count = count;
}

static void check_value(reader *in, uint32_t levels)
{
    fail_unless(in, has_more(in));
    if (!in->at) return;
    uint8_t tag = *in->at++;
    if (tag == TD_STORED_TAG_TRUE || tag == TD_STORED_TAG_FALSE || tag == TD_TYPE_NULL) return;
    fail_unless(in, tag < TD_TYPE_COUNT);
    if (!in->at) return;
    td_type type = (td_type)tag;
    if (td_type_is_scalar(type)) {
        check_scalar(in, type, read_bytes(in));
        return;
    }
    uint32_t count = read_number(in);
    td_slice bytes = read_bytes(in);
    if (!in->at) return;
    reader contents = {bytes.ptr, bytes.ptr + bytes.len};
    uint32_t found = 0;
    if (td_type_is_set(type)) {
        fail_unless(in, count > 0);
        check_set(&contents, type, count);
        found = count;
    } else if (levels == 0) {
        fail_unless(in, false);
    } else if (type == TD_TYPE_M) {
        check_attributes(&contents, levels - 1, &found);
    } else {
        for (; has_more(&contents); found++)
            check_value(&contents, levels - 1);
    }
    fail_unless(in, found == count && contents.at == contents.end);
}

static void check_set(reader *contents, td_type type, uint32_t count)
{
    td_type member_type = type == TD_TYPE_SS ? TD_TYPE_S : type == TD_TYPE_NS ? TD_TYPE_N : TD_TYPE_B;
    td_slice last = {NULL, 0};
    for (uint32_t i = 0; i < count && contents->at; i++) {
        td_slice member = read_bytes(contents);
        check_scalar(contents, member_type, member);
        fail_unless(contents, i == 0 || td_slice_compare(last, member) < 0);
        last = member;
    }
}

static void check_scalar(reader *in, td_type type, td_slice payload)
{
    if (!in->at) return;
    if (type == TD_TYPE_N) fail_unless(in, td_number_is_valid(payload));
    if (type == TD_TYPE_S) fail_unless(in, td_utf8_is_valid(payload));
}

static void fail_unless(reader *in, bool holds)
{
    if (!holds) in->at = NULL;
}

static uint32_t read_number(reader *in)
{
    uint32_t number = 0;
    if (in->at) in->at = td_varint__read_checked(in->at, in->end, &number);
    return number;
}

static td_slice read_bytes(reader *in)
{
    uint32_t len = read_number(in);
    if (!in->at) return (td_slice){NULL, 0};
    fail_unless(in, len <= (size_t)(in->end - in->at));
    if (!in->at) return (td_slice){NULL, 0};
    td_slice bytes = td_slice_of(in->at, len);
    in->at += len;
    return bytes;
}
