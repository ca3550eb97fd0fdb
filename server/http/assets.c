/* SPDX-License-Identifier: Apache-2.0
 * assets.c: serving the console: its page to browsers at /_thermodyn/, where all others get the list of endpoints, and
 * its files below.
 *
 * Names do not change with contents, so a browser keeps the files and asks each time whether they are still the same: a
 * console never runs with half of an older version. The policy lets the page load from this server alone and run
 * nothing that stands in data. */
#include "assets.h"

#include "http_private.h"

static const td_http_header_line headers[] = {
    {"Cache-Control", "no-cache"},
    {"Vary", "Accept, Accept-Encoding"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static const td_http_asset *find(td_slice path);
static bool has_tag(td_slice list, const char *etag);

bool td_http__has_asset(const td_http_request *request)
{
    td_slice path = td_slice_of_cstr(request->path);
    if (td_slice_equal(path, TD_LIT("/_thermodyn/")) && !td_http__wants_page(request)) return false;
    return find(path) != NULL;
}

enum MHD_Result td_http__answer_asset(td_http_request *request)
{
    const td_http_asset *asset = find(td_slice_of_cstr(request->path));
    TD_ASSERT(asset != NULL);
    bool is_known = has_tag(request->headers[TD_HTTP_HEADER_IF_NONE_MATCH], asset->etag);
    td_http_answer answer = {.status = is_known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                             .content_type = is_known ? NULL : asset->content_type,
                             .body = is_known ? TD_LIT("") : asset->body,
                             .etag = asset->etag,
                             .lines = headers,
                             .line_count = TD_COUNT_OF(headers),
                             .is_control = true};
    return td_http__answer(request, &answer);
}

bool td_http__wants_page(const td_http_request *request)
{
    td_slice accept = request->headers[TD_HTTP_HEADER_ACCEPT];
    return accept.len > 0 && memmem(accept.ptr, accept.len, "text/html", strlen("text/html")) != NULL;
}

static const td_http_asset *find(td_slice path)
{
    for (size_t i = 0; i < td_http__asset_count; i++) {
        if (td_slice_equal(path, td_http__assets[i].path)) return &td_http__assets[i];
    }
    return NULL;
}

/* The tag stands in the list, or the list is a star. Weak tags match strong ones of the same text. */
static bool has_tag(td_slice list, const char *etag)
{
    const char *tag = strchr(etag, '"');
    if (list.len == 0) return false;
    return td_slice_equal(list, TD_LIT("*")) || memmem(list.ptr, list.len, tag, strlen(tag)) != NULL;
}
