/* SPDX-License-Identifier: Apache-2.0
 * credentials.c: reads who may sign.
 *
 *   line = blank [ "[" profile "]" | name blank "=" blank value ] [ "#" or ";" anything, at the line's begin ]
 * A profile with aws_access_key_id is one who may sign; its aws_secret_access_key must be there, aws_session_token may.
 * Whatever else clients keep in such files is theirs. */
#include "base/credentials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thermodyn/arena.h"
#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#define FILE_BYTES_MAX ((size_t)1024 * 1024)

enum { ACCESS_KEY, SECRET_KEY, TOKEN, PARTS };

static const struct {
    td_slice name;
    const char *variable;
} parts[PARTS] = {
    [ACCESS_KEY] = {TD_LIT_INIT("aws_access_key_id"), "AWS_ACCESS_KEY_ID"},
    [SECRET_KEY] = {TD_LIT_INIT("aws_secret_access_key"), "AWS_SECRET_ACCESS_KEY"},
    [TOKEN] = {TD_LIT_INIT("aws_session_token"), "AWS_SESSION_TOKEN"},
};

struct td_credentials {
    td_arena arena;
    td_map *by_key; /* access key → td_credential */
};

static bool read_file(td_credentials *credentials, const char *path, td_buf *says);
static bool read_environment(td_credentials *credentials, td_buf *says);
static bool read_member(td_credentials *credentials, td_slice line, td_credential *credential);
static bool add(td_credentials *credentials, const td_credential *credential, td_buf *says);
static td_slice *member_of(td_credential *credential, size_t part);
static td_slice trim(td_slice text);
static bool is_blank(uint8_t byte);

td_credentials *td_credentials_new(void)
{
    td_credentials *credentials = td_alloc_zero(sizeof *credentials);
    if (credentials == NULL) return NULL;
    td_arena_init(&credentials->arena, 16 * FILE_BYTES_MAX);
    credentials->by_key = td_map_new();
    if (credentials->by_key != NULL) return credentials;
    td_credentials_free(credentials);
    return NULL;
}

void td_credentials_free(td_credentials *credentials)
{
    if (credentials == NULL) return;
    td_map_free(credentials->by_key);
    td_arena_done(&credentials->arena);
    td_free(credentials);
}

td_credentials *td_credentials_load(const char *path, td_buf *says)
{
    td_credentials *credentials = td_credentials_new();
    if (credentials == NULL) {
        td_buf_append_lit(says, "there is no memory for the credentials");
        return NULL;
    }
    bool is_read = (path[0] == '\0' || read_file(credentials, path, says)) && read_environment(credentials, says);
    if (is_read && td_map_count(credentials->by_key) == 0) {
        td_buf_append_lit(says, "auth = sigv4 wants somebody who may sign: give --credentials FILE, or "
                                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
        is_read = false;
    }
    if (is_read) return credentials;
    td_credentials_free(credentials);
    return NULL;
}

const td_credential *td_credentials_find(const td_credentials *credentials, td_slice access_key)
{
    return td_map_find(credentials->by_key, access_key);
}

static bool read_file(td_credentials *credentials, const char *path, td_buf *says)
{
    td_buf text;
    td_buf_init(&text, FILE_BYTES_MAX);
    FILE *file = fopen(path, "re");
    uint8_t *place = td_buf_reserve(&text, FILE_BYTES_MAX);
    size_t len = file == NULL || place == NULL ? 0 : fread(place, 1, FILE_BYTES_MAX, file);
    bool is_read = false;
    if (file == NULL || ferror(file) != 0) {
        td_buf_append_format(says, "the credentials file %s cannot be read: %s", path, strerror(errno));
    } else if (place == NULL || len == FILE_BYTES_MAX) {
        td_buf_append_format(says, "the credentials file %s is larger than 1 MiB", path);
    } else {
        is_read = td_credentials__read_text(credentials, path, td_slice_of(place, len), says);
    }
    if (file != NULL) fclose(file);
    td_buf_done(&text);
    return is_read;
}

bool td_credentials__read_text(td_credentials *credentials, const char *path, td_slice text, td_buf *says)
{
    td_credential credential = {.access_key = {NULL, 0}};
    unsigned number = 0;
    for (size_t at = 0; at < text.len;) {
        const uint8_t *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t len = end == NULL ? text.len - at : (size_t)(end - (text.ptr + at));
        td_slice line = trim(td_slice_of(text.ptr + at, len));
        at += len + 1;
        number++;
        if (line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == ';') continue;
        if (line.ptr[0] == '[') {
            if (!add(credentials, &credential, says)) return false;
            credential = (td_credential){.access_key = {NULL, 0}};
        } else if (!read_member(credentials, line, &credential)) {
            td_buf_append_format(says, "%s:%u: a line must be \"[profile]\" or \"name = value\"", path, number);
            return false;
        }
    }
    return add(credentials, &credential, says);
}

static bool read_member(td_credentials *credentials, td_slice line, td_credential *credential)
{
    const uint8_t *equals = memchr(line.ptr, '=', line.len);
    if (equals == NULL) return false;
    td_slice name = trim(td_slice_of(line.ptr, (size_t)(equals - line.ptr)));
    td_slice value = trim(td_slice_of(equals + 1, (size_t)(line.ptr + line.len - equals) - 1));
    for (size_t i = 0; i < PARTS; i++) {
        if (!td_slice_equal(name, parts[i].name)) continue;
        return td_arena_copy(&credentials->arena, value, member_of(credential, i));
    }
    return true;
}

static bool read_environment(td_credentials *credentials, td_buf *says)
{
    td_credential credential = {.access_key = {NULL, 0}};
    for (size_t i = 0; i < PARTS; i++) {
        const char *value = getenv(parts[i].variable);
        if (value == NULL) continue;
        if (!td_arena_copy(&credentials->arena, td_slice_of_cstr(value), member_of(&credential, i))) return false;
    }
    /* Clients set the key of the file in the environment too: what the file says of it stands. */
    if (td_credentials_find(credentials, credential.access_key) != NULL) return true;
    return add(credentials, &credential, says);
}

/* A profile that names no key is none of ours. */
static bool add(td_credentials *credentials, const td_credential *credential, td_buf *says)
{
    td_slice key = credential->access_key;
    if (key.len == 0) return true;
    if (credential->secret_key.len == 0) {
        td_buf_append_format(says, "the access key %.*s has no secret key", (int)key.len, (const char *)key.ptr);
        return false;
    }
    if (td_credentials_find(credentials, key) != NULL) {
        td_buf_append_format(says, "the access key %.*s is given twice", (int)key.len, (const char *)key.ptr);
        return false;
    }
    td_credential *kept = td_arena_alloc(&credentials->arena, sizeof *kept);
    if (kept != NULL) *kept = *credential;
    if (kept != NULL && td_map_put(credentials->by_key, key, kept)) return true;
    td_buf_append_lit(says, "there is no memory for the credentials");
    return false;
}

static td_slice *member_of(td_credential *credential, size_t part)
{
    td_slice *const members[PARTS] = {&credential->access_key, &credential->secret_key, &credential->token};
    return members[part];
}

static td_slice trim(td_slice text)
{
    while (text.len > 0 && is_blank(text.ptr[0]))
        text = td_slice_of(text.ptr + 1, text.len - 1);
    while (text.len > 0 && is_blank(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
