/* SPDX-License-Identifier: Apache-2.0
 * envelope.c: any bytes as headers, one a line (target, Authorization, date, query, TableName): every answer is JSON.
 */
#include "wire/envelope.h"

#include "fuzz/fuzz.h"
#include "thermodyn/text.h"
#include "wire/json.h"

enum { ARENA_BYTES_MAX = 64 << 20, LINES = 5 };

static td_slice next_line(td_slice *rest)
{
    const uint8_t *end = rest->len == 0 ? NULL : memchr(rest->ptr, '\n', rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    td_slice line = td_slice_of(rest->ptr, len);
    size_t skip = end == NULL ? len : len + 1;
    *rest = td_slice_of(rest->ptr + skip, rest->len - skip);
    return line;
}

static void check_document(td_error *error, td_slice region, td_slice table)
{
    td_arn_context context = {region, TD_LIT("000000000000"), table};
    td_throttle_reason reason = {
        .kind = TD_LIMITED_BY_ACCOUNT, .direction = TD_READ, .index = TD_LIT_INIT("I")};
    td_throttle throttle = {1, &reason};
    td_buf buf;
    td_json *root;
    td_buf_init(&buf, ARENA_BYTES_MAX);
    error->throttle = &throttle;
    td_error_write(&buf, error, &context);
    TD_ASSERT(td_json_parse(td_buf_contents(&buf), error->arena, &root, error) == TD_OK);
    td_buf_done(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice copy = fuzz_copy(data, size);
    td_slice lines[LINES];
    td_slice rest = copy;
    for (int i = 0; i < LINES; i++)
        lines[i] = next_line(&rest);

    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_envelope envelope = {.authorization = lines[1], .date = lines[2], .query = lines[3]};
    td_identity identity = {.region = TD_LIT_INIT("us-east-1")};
    td_slice table = TD_LIT("T");
    td_slice operation;
    td_api api;
    td_error error = {.arena = &arena};
    if (td_target_parse(lines[0], &api, &operation, &error) != TD_OK) check_document(&error, identity.region, table);
    if (td_identity_parse(&envelope, &identity, &error) != TD_OK) check_document(&error, identity.region, table);
    if (td_utf8_is_valid(lines[4])) {
        td_status status = td_table_name_parse(lines[4], &table, &error);
        if (status == TD_OK) status = TD_RAISE(&error, TD_MSG_JSON_MALFORMED);
        TD_ASSERT(status != TD_OK);
        check_document(&error, identity.region, table);
    }
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
