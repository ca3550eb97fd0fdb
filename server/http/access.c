/* SPDX-License-Identifier: Apache-2.0
 * access.c: who may call: the Host and Origin of control requests, and the origins of the API's CORS.
 *
 * A web page that the developer happens to visit can make his browser send requests to 127.0.0.1, also under a name of
 * its own that it lets point there (DNS rebinding). So control endpoints answer only to names of this server: loopback
 * names, the address listened on, the address that the connection came in by when it is written as an address, and
 * --allow-host; and what changes state also refuses an Origin that is none of these. */
#include "http_private.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

static td_slice host_of(td_slice authority);
static bool is_own_name(const td_http_request *request, td_slice host);
static bool is_local_address(const td_http_request *request, td_slice host);
static bool is_name(td_slice text, const char *name);
static bool is_in_list(const char *list, td_slice text, bool takes_star);

bool td_http__host_is_ours(const td_http_request *request)
{
    td_slice host = host_of(request->headers[TD_HTTP_HEADER_HOST]);
    return host.len > 0 && is_own_name(request, host);
}

bool td_http__origin_is_ours(const td_http_request *request)
{
    td_slice origin = request->headers[TD_HTTP_HEADER_ORIGIN];
    if (origin.len == 0) return true;
    if (is_in_list(request->worker->service->config->cors_origins, origin, false)) return true;
    const uint8_t *authority = memmem(origin.ptr, origin.len, "://", 3);
    if (authority == NULL) return false;
    authority += 3;
    return is_own_name(request, host_of(td_slice_of(authority, (size_t)(origin.ptr + origin.len - authority))));
}

td_slice td_http__allowed_origin(const td_http_request *request)
{
    const char *origins = request->worker->service->config->cors_origins;
    td_slice origin = request->headers[TD_HTTP_HEADER_ORIGIN];
    if (is_in_list(origins, TD_LIT("*"), false)) return TD_LIT("*");
    return is_in_list(origins, origin, false) ? origin : TD_LIT("");
}

/* "name:port", "[::1]:port" → the name. */
static td_slice host_of(td_slice authority)
{
    if (authority.len > 0 && authority.ptr[0] == '[') {
        const uint8_t *end = memchr(authority.ptr, ']', authority.len);
        return end == NULL ? TD_LIT("") : td_slice_of(authority.ptr + 1, (size_t)(end - authority.ptr) - 1);
    }
    const uint8_t *colon = authority.len == 0 ? NULL : memchr(authority.ptr, ':', authority.len);
    return colon == NULL ? authority : td_slice_of(authority.ptr, (size_t)(colon - authority.ptr));
}

static bool is_own_name(const td_http_request *request, td_slice host)
{
    const td_config *config = request->worker->service->config;
    static const char localhost_suffix[] = ".localhost";
    size_t suffix_len = sizeof(localhost_suffix) - 1;
    if (is_name(host, "localhost") || is_name(host, "::1") || is_name(host, config->host)) return true;
    if (host.len > suffix_len && is_name(td_slice_of(host.ptr + host.len - suffix_len, suffix_len), localhost_suffix)) {
        return true;
    }
    return is_in_list(config->allow_host, host, true) || is_local_address(request, host);
}

/* An address of 127.0.0.0/8, or the one that this connection was made to: no other name leads to it. */
static bool is_local_address(const td_http_request *request, td_slice host)
{
    char text[INET6_ADDRSTRLEN];
    if (host.len == 0 || host.len >= sizeof(text)) return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';
    struct in_addr four;
    struct in6_addr six;
    bool is_four = inet_pton(AF_INET, text, &four) == 1;
    if (is_four && ntohl(four.s_addr) >> 24 == 127) return true;
    bool is_six = !is_four && inet_pton(AF_INET6, text, &six) == 1;
    struct sockaddr_storage local;
    socklen_t len = sizeof(local);
    if ((!is_four && !is_six) || getsockname(request->connection->fd, (struct sockaddr *)&local, &len) != 0) {
        return false;
    }
    if (local.ss_family == AF_INET) {
        return is_four && memcmp(&((struct sockaddr_in *)&local)->sin_addr, &four, sizeof(four)) == 0;
    }
    const struct in6_addr *own = &((struct sockaddr_in6 *)&local)->sin6_addr;
    if (is_four) return IN6_IS_ADDR_V4MAPPED(own) && memcmp(&own->s6_addr[12], &four, sizeof(four)) == 0;
    return memcmp(own, &six, sizeof(six)) == 0;
}

static bool is_name(td_slice text, const char *name)
{
    return text.len == strlen(name) && strncasecmp((const char *)text.ptr, name, text.len) == 0;
}

/* A comma separated list, blanks around its elements ignored. */
static bool is_in_list(const char *list, td_slice text, bool takes_star)
{
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, ", ");
        size_t len = strcspn(at, ", ");
        if (takes_star && len == 1 && at[0] == '*') return true;
        if (len > 0 && len == text.len && strncasecmp(at, (const char *)text.ptr, len) == 0) return true;
        at += len;
    }
    return false;
}
