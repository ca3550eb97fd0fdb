/* SPDX-License-Identifier: Apache-2.0
 * calls.c: any text as calls to one server, one a line: an operation and its body, or a method, a control endpoint and
 * its body. Each is answered with a document that is JSON, and with no failure of the server's own; but a line of
 * "memory" and a number gives the call behind it no more bytes than that for what it makes, so that it may fail.
 *
 *   CreateTable {"TableName":"TTT",…}
 *   POST /_thermodyn/faults {"inject":{…}}
 *   memory 2000
 *   GetItem {"TableName":"TTT",…} */
#include "fuzz/fuzz.h"

#include <stdio.h>

#include "control/control.h"
#include "thermodyn/text.h"
#include "wire/json.h"

enum {
    CALLS_MAX = 64,
    ARENA_BYTES_MAX = 64 << 20,
    REPLY_BYTES_MAX = 32 << 20,
    REPLY_ARENA_BYTES_MAX = 512 << 20,
    TARGET_BYTES = 128,
};

#define NOW_US (INT64_C(4102444800) * TD_US_PER_S) /* 2100-01-01: manual clocks go on from the machine's time */

typedef struct served {
    td_config config;
    td_service service;
    td_arena arena; /* of the last call */
    td_buf reply;
    size_t arena_bytes_max; /* of the next call */
    bool may_fail;          /* a fault rule, or the arena's limit, may be to blame for an error */
} served;

static td_slice cut(td_slice *rest, uint8_t end)
{
    const uint8_t *at = rest->len == 0 ? NULL : memchr(rest->ptr, end, rest->len);
    size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
    size_t passed = at == NULL ? len : len + 1;
    td_slice part = td_slice_of(rest->ptr, len);
    *rest = td_slice_of(rest->ptr + passed, rest->len - passed);
    return part;
}

static void served_init(served *it)
{
    *it = (served){.config = {.account = "000000000000", .preset = TD_PRESET_UNIT_TEST, .init = ""}};
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1};
    td_capacity_settings_init(&options.capacity);
    it->service = (td_service){.config = &it->config,
                               .store = td_store_new(&options),
                               .clock = td_clock_new(),
                               .faults = td_faults_new(options.seed)};
    TD_ASSERT(it->service.store != NULL);
    TD_ASSERT(it->service.clock != NULL);
    TD_ASSERT(it->service.faults != NULL);
    td_clock_set_manual(it->service.clock);
    bool is_set = td_clock_move_to(it->service.clock, NOW_US);
    TD_ASSERT(is_set);
    it->arena_bytes_max = ARENA_BYTES_MAX;
    td_buf_init(&it->reply, REPLY_BYTES_MAX);
}

static void served_done(served *it)
{
    td_buf_done(&it->reply);
    td_faults_free(it->service.faults);
    td_clock_free(it->service.clock);
    td_store_free(it->service.store);
}

/* No document at all: nothing to tell, as of tags, or no memory for it. */
static void check_reply(served *it, int http_status)
{
    td_json *root;
    td_arena arena;
    if (it->reply.len == 0 && (http_status == 200 || (http_status == 500 && it->may_fail))) return;
    td_arena_init(&arena, REPLY_ARENA_BYTES_MAX);
    td_error error = {.arena = &arena};
    TD_ASSERT(td_json_parse(td_buf_contents(&it->reply), &arena, &root, &error) == TD_OK);
    TD_ASSERT(root->type == TD_JSON_OBJECT);
    td_arena_done(&arena);
}

static void call_control(served *it, td_slice method, td_slice line)
{
    td_slice query = cut(&line, ' ');
    td_slice path = cut(&query, '?');
    const td_control_request request = {.method = method, .path = path, .query = query, .body = line};
    td_control_reply answer = td_control_handle(&it->service, &request, &it->arena, &it->reply);
    TD_ASSERT(answer.http_status >= 200);
    TD_ASSERT(answer.http_status < 500 || it->may_fail);
    check_reply(it, answer.http_status);
}

static void call_operation(served *it, td_slice name, td_slice body)
{
    char target[TARGET_BYTES];
    bool is_of_streams = td_operation_find(TD_API_STREAMS, name) != NULL;
    int len = snprintf(target, sizeof(target), "%s_20120810.%.*s", is_of_streams ? "DynamoDBStreams" : "DynamoDB",
                       (int)name.len, (const char *)name.ptr);
    if (len >= (int)sizeof(target)) return;
    td_envelope envelope = {
        .target = td_slice_of(target, (size_t)len),
        .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=wire/20261130/us-east-1/dynamodb/aws4_request, "
                                "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00"),
        .date = TD_LIT("20261130T000000Z"),
        .content_type = TD_LIT("application/x-amz-json-1.0"),
    };
    td_fate fate;
    int http_status = td_dispatch_fated(&it->service, &envelope, body, &it->arena, &it->reply, NULL, &fate);
    TD_ASSERT(http_status == 200 || http_status == 400 || it->may_fail);
    if (!fate.is_dropped) check_reply(it, http_status);
}

static void call(served *it, td_slice line)
{
    int64_t bytes_max = 0;
    td_slice name = cut(&line, ' ');
    if (td_slice_equal(name, TD_LIT("memory"))) {
        if (td_parse_int64(line, &bytes_max) && bytes_max > 0 && bytes_max < ARENA_BYTES_MAX)
            it->arena_bytes_max = (size_t)bytes_max;
        return;
    }
    td_slice body = fuzz_copy(line.ptr, line.len);
    td_arena_init(&it->arena, it->arena_bytes_max);
    it->may_fail = it->arena_bytes_max < ARENA_BYTES_MAX || td_faults_are_set(it->service.faults);
    if (line.len > 0 && line.ptr[0] == '/')
        call_control(it, name, body);
    else
        call_operation(it, name, body);
    td_arena_done(&it->arena);
    it->arena_bytes_max = ARENA_BYTES_MAX;
    fuzz_done(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    served it;
    td_slice text = fuzz_copy(data, size);
    td_slice rest = text;
    served_init(&it);
    for (int i = 0; i < CALLS_MAX && rest.len > 0; i++)
        call(&it, cut(&rest, '\n'));
    served_done(&it);
    fuzz_done(text);
    return 0;
}
