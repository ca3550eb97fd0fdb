/* SPDX-License-Identifier: Apache-2.0
 * asked.c: builds the server and hands it requests. */
#include "asked.h"

#include <stdio.h>

void asked_init(asked_server *server, uint64_t seed)
{
    memset(server, 0, sizeof(*server));
    server->config.account = "000000000000";
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = seed};
    td_capacity_settings_init(&options.capacity);
    options.capacity.enforce = TD_ENFORCE_OFF;
    server->service.config = &server->config;
    server->service.store = td_store_new(&options);
    server->service.clock = td_clock_new();
    TD_ASSERT(server->service.store != NULL && server->service.clock != NULL);
    td_arena_init(&server->arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_buf_init(&server->reply, TD_LIMIT_REPLY_BYTES_MAX);
}

void asked_done(asked_server *server)
{
    td_arena_done(&server->arena);
    td_buf_done(&server->reply);
    td_store_free(server->service.store);
    td_clock_free(server->service.clock);
}

td_slice asked(asked_server *server, const char *operation, td_slice body)
{
    char target[64];
    (void)snprintf(target, sizeof(target), "DynamoDB_20120810.%s", operation);
    td_envelope envelope = {
        .target = td_slice_of_cstr(target),
        .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=x/21000101/us-east-1/dynamodb/aws4_request, "
                                "SignedHeaders=host, Signature=x"),
        .date = TD_LIT("21000101T000000Z"),
        .content_type = TD_LIT("application/x-amz-json-1.0"),
    };
    td_arena_reset(&server->arena);
    td_fate fate;
    server->http_status = td_dispatch_fated(&server->service, &envelope, body, &server->arena, &server->reply,
                                            server->recorder, &fate);
    return td_buf_contents(&server->reply);
}

td_slice asked_surely(asked_server *server, const char *operation, td_slice body)
{
    td_slice answer = asked(server, operation, body);
    if (server->http_status != 200) {
        printf("%s %.*s\n%.*s\n", operation, (int)body.len, (const char *)body.ptr, (int)answer.len,
               (const char *)answer.ptr);
        (void)fflush(stdout);
        TD_ASSERT(false && "the request succeeds");
    }
    return answer;
}
