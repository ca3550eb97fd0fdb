/* SPDX-License-Identifier: Apache-2.0
 * signed.c: what a signature was made of, as libmicrohttpd gives it: any header by name, the body before it was
 * unpacked. */
#include "http_private.h"

#include <strings.h>

/* The values of one header, joined. */
typedef struct header_search {
    td_slice name;
    td_arena *arena;
    td_slice value;
    bool is_found;
    bool has_failed; /* for want of memory */
} header_search;

static bool find_header(const void *headers, td_slice name, td_arena *arena, td_slice *ret_value);
static enum MHD_Result look(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
                            size_t value_len);

const td_signed_request *td_http__signed_form(td_http_request *request)
{
    const td_buf *sent = request->is_unpacked ? &request->packed : &request->body;
    request->signed_form = (td_signed_request){.method = td_slice_of_cstr(request->method),
                                               .path = td_slice_of_cstr(request->path),
                                               .query = request->query,
                                               .body = td_buf_contents(sent),
                                               .find_header = find_header,
                                               .headers = request};
    return &request->signed_form;
}

static bool find_header(const void *headers, td_slice name, td_arena *arena, td_slice *ret_value)
{
    const td_http_request *request = headers;
    header_search search = {.name = name, .arena = arena};
    MHD_get_connection_values_n(request->mhd, MHD_HEADER_KIND, look, &search);
    *ret_value = search.value;
    return search.is_found && !search.has_failed;
}

static enum MHD_Result look(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
                            size_t value_len)
{
    (void)kind;
    header_search *search = cls;
    bool is_it = name_len == search->name.len && strncasecmp(name, (const char *)search->name.ptr, name_len) == 0;
    if (!is_it) return MHD_YES;
    td_slice one = td_slice_of(value, value == NULL ? 0 : value_len);
    if (!search->is_found) {
        search->value = one;
    } else if (!td_arena_format(search->arena, &search->value, "%.*s,%.*s", (int)search->value.len,
                                (const char *)search->value.ptr, (int)one.len, (const char *)one.ptr)) {
        search->has_failed = true;
    }
    search->is_found = true;
    return MHD_YES;
}
