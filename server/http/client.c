/* SPDX-License-Identifier: Apache-2.0
 * client.c: one GET over one connection. It asks in HTTP/1.0, so that the answer's end is the connection's. */
#include "client.h"

#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "thermodyn/text.h"

#include "tls.h"

#define READ_BYTES ((size_t)64 * 1024)
#define HEAD_BYTES_MAX ((size_t)4096) /* of a request */

typedef struct connection {
    int fd;
    td_tls_session *session; /* NULL: it is in the clear */
} connection;

static int find_port(const td_config *config);
static int connect_to(const td_client *client);
static bool get(const connection *to, const char *path, td_buf *body);
static bool send_all(const connection *to, const char *bytes, size_t len);
static ssize_t receive(const connection *to, uint8_t *place, size_t room);
static bool cut_head(td_buf *body, int *ret_status);

td_client td_client_of_config(const td_config *config, int timeout_s)
{
    td_client client = {.host = config->host, .port = find_port(config), .timeout_s = timeout_s,
                        .is_tls = td_tls_is_wanted(config)};
    if (strcmp(client.host, "0.0.0.0") == 0) client.host = "127.0.0.1"; /* "all addresses" is none to connect to */
    if (strcmp(client.host, "::") == 0) client.host = "::1";
    return client;
}

bool td_client_get(const td_client *client, const char *path, int *ret_status, td_buf *body)
{
    td_buf_clear(body);
    connection to = {.fd = client->port == 0 ? -1 : connect_to(client)};
    if (to.fd < 0) return false;
    if (client->is_tls) to.session = td_tls_connect(to.fd);
    bool is_connected = !client->is_tls || to.session != NULL;
    bool is_answered = is_connected && get(&to, path, body) && cut_head(body, ret_status);
    td_tls_close(to.session);
    close(to.fd);
    return is_answered;
}

static int find_port(const td_config *config)
{
    int port = (int)config->port;
    if (port != 0 || config->port_file[0] == '\0') return port;
    FILE *file = fopen(config->port_file, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%d", &port) != 1 || port < 1 || port > 65535) port = 0;
    fclose(file);
    return port;
}

static int connect_to(const td_client *client)
{
    char service[16];
    struct addrinfo *found = NULL;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    snprintf(service, sizeof(service), "%d", client->port);
    if (getaddrinfo(client->host, service, &hints, &found) != 0) return -1;
    int fd = -1;
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct timeval timeout = {.tv_sec = client->timeout_s};
        if (fd < 0) continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
        if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) break;
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

/* By whatever name the server was reached, "localhost" is one that it answers to; the check of names is against pages
 * in browsers, and this is none. */
static bool get(const connection *to, const char *path, td_buf *body)
{
    char request[HEAD_BYTES_MAX];
    int len = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path);
    if (len < 0 || (size_t)len >= sizeof(request) || !send_all(to, request, (size_t)len)) return false;
    for (;;) {
        uint8_t *place = td_buf_reserve(body, READ_BYTES);
        if (place == NULL) return false;
        ssize_t more = receive(to, place, READ_BYTES);
        if (more < 0) return false;
        if (more == 0) return true;
        td_buf_commit(body, (size_t)more);
    }
}

static bool send_all(const connection *to, const char *bytes, size_t len)
{
    if (to->session != NULL) return td_tls_send(to->session, bytes, len);
    for (size_t sent = 0; sent < len;) {
        ssize_t more = send(to->fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (more <= 0) return false;
        sent += (size_t)more;
    }
    return true;
}

static ssize_t receive(const connection *to, uint8_t *place, size_t room)
{
    return to->session != NULL ? td_tls_receive(to->session, place, room) : recv(to->fd, place, room, 0);
}

/* Leaves the body. */
static bool cut_head(td_buf *body, int *ret_status)
{
    static const char blank[] = "\r\n\r\n";
    uint8_t *end = body->len == 0 ? NULL : memmem(body->data, body->len, blank, sizeof(blank) - 1);
    if (end == NULL) return false;
    td_slice head = td_slice_of(body->data, (size_t)(end - body->data));
    int64_t status = 0;
    bool is_http = td_slice_has_prefix(head, TD_LIT("HTTP/1.")) && head.len >= 12 &&
                   td_parse_int64(td_slice_of(head.ptr + 9, 3), &status);
    if (!is_http) return false;
    size_t at = head.len + sizeof(blank) - 1;
    memmove(body->data, body->data + at, body->len - at);
    body->len -= at;
    *ret_status = (int)status;
    return true;
}
