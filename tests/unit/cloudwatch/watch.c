/* SPDX-License-Identifier: Apache-2.0
 * watch.c: requests to CloudWatch for tests. */
#include "watch.h"

#include <check.h>
#include <stdio.h>

td_cw_reply watch_reply;

static td_envelope signed_envelope(const char *target);
static void show_cbor(ask_server *server, td_slice bytes);

const char *watch_json(ask_server *server, const char *operation, const char *body)
{
    char target[128];
    td_arena_reset(&server->arena);
    (void)snprintf(target, sizeof target, "GraniteServiceVersion20100801.%s", operation);
    td_slice copy;
    ck_assert(td_arena_copy(&server->arena, td_slice_of_cstr(ask_quoted(server, body)), &copy));
    return watch(server, (td_cw_request){.path = TD_LIT("/"), .body = copy}, signed_envelope(target));
}

const char *watch_query(ask_server *server, const char *form)
{
    char body[4096];
    td_arena_reset(&server->arena);
    (void)snprintf(body, sizeof body, "Version=2010-08-01&%s", form);
    td_cw_request request = {.path = TD_LIT("/"),
                             .content_type = TD_LIT("application/x-www-form-urlencoded; charset=utf-8"),
                             .body = td_slice_of_cstr(body)};
    return watch(server, request, signed_envelope(""));
}

const char *watch_cbor(ask_server *server, const char *operation, const char *hex)
{
    char path[128];
    td_arena_reset(&server->arena);
    (void)snprintf(path, sizeof path, "/service/GraniteServiceVersion20100801/operation/%s", operation);
    td_cw_request request = {.path = td_slice_of_cstr(path),
                             .content_type = TD_LIT("application/cbor"),
                             .protocol = TD_LIT("rpc-v2-cbor"),
                             .body = watch_bytes(server, hex)};
    return watch(server, request, signed_envelope(""));
}

const char *watch(ask_server *server, td_cw_request request, td_envelope envelope)
{
    request.envelope = &envelope;
    request.request_id = TD_LIT("ID");
    ck_assert(td_cw_claims(&request));
    watch_reply = td_cw_handle(&server->service, &request, &server->arena, &server->reply);
    server->http_status = watch_reply.http_status;
    td_slice answer = td_buf_contents(&server->reply);
    ck_assert_uint_lt(answer.len, sizeof server->text);
    if (watch_reply.protocol != NULL) {
        show_cbor(server, answer);
    } else {
        if (answer.len > 0) memcpy(server->text, answer.ptr, answer.len);
        server->text[answer.len] = '\0';
    }
    return server->text;
}

td_slice watch_bytes(ask_server *server, const char *hex)
{
    uint8_t *bytes = td_arena_alloc(&server->arena, strlen(hex));
    ck_assert_ptr_nonnull(bytes);
    size_t len = 0;
    for (const char *at = hex; *at != '\0';) {
        if (*at == ' ') {
            at++;
        } else if (*at == '\'') {
            const char *end = strchr(at + 1, '\'');
            ck_assert_ptr_nonnull(end);
            memcpy(bytes + len, at + 1, (size_t)(end - at - 1));
            len += (size_t)(end - at - 1);
            at = end + 1;
        } else {
            unsigned byte;
            ck_assert_int_eq(sscanf(at, "%2x", &byte), 1);
            bytes[len++] = (uint8_t)byte;
            at += 2;
        }
    }
    return td_slice_of(bytes, len);
}

static td_envelope signed_envelope(const char *target)
{
    return (td_envelope){
        .target = td_slice_of_cstr(target),
        .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=key/21000101/us-east-1/monitoring/aws4_request, "
                                "SignedHeaders=host, Signature=x"),
        .date = TD_LIT("21000101T000000Z"),
    };
}

/* Texts of up to 255 bytes, which is all that tests have, behind their heads in quotes. */
static void show_cbor(ask_server *server, td_slice bytes)
{
    size_t len = 0;
    for (size_t i = 0; i < bytes.len;) {
        uint8_t head = bytes.ptr[i];
        len += (size_t)snprintf(server->text + len, 8, i == 0 ? "%02x" : " %02x", head);
        i++;
        size_t text_len = 0;
        if (head >= 0x60 && head <= 0x77) text_len = head - 0x60;
        if (head == 0x78) text_len = bytes.ptr[i++];
        bool is_text = head >= 0x60 && head <= 0x78;
        if (is_text) {
            len += (size_t)snprintf(server->text + len, 300, " '%.*s'", (int)text_len, (const char *)bytes.ptr + i);
            i += text_len;
        }
        size_t rest = head == 0xfb ? 8 : head == 0x18 ? 1 : head == 0x19 ? 2 : 0;
        for (size_t j = 0; j < rest; j++)
            len += (size_t)snprintf(server->text + len, 4, "%02x", bytes.ptr[i++]);
    }
    server->text[len] = '\0';
}
