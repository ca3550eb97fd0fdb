/* SPDX-License-Identifier: Apache-2.0
 * listen.c: the listening sockets, and the limit of open files.
 * With one worker there is one socket. With more, each has its own and the kernel spreads connections over them
 * (SO_REUSEPORT); since that option would let a second server take the same port in silence, the port is first taken
 * without it. */
#include "http_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "thermodyn/memory.h"

#define BACKLOG 4096
#define OTHER_FILES 64 /* standard streams, loops, listening sockets, and some room */

typedef struct address {
    struct sockaddr_storage bytes;
    socklen_t len;
} address;

static bool resolve(const td_config *config, address *ret_address, char *reterr_sentence);
static int open_socket(const address *where, bool shares_port);
static bool refuse(const td_config *config, char *reterr_sentence);
static void set_port(address *where, int port);
static int port_of_socket(int fd);
static void write_url(td_server *server, const address *where);
static bool is_loopback(const address *where);

bool td_http__listen(td_server *server, char reterr_sentence[TD_SERVER_ERROR_BYTES])
{
    const td_config *config = server->service->config;
    address where;
    if (!resolve(config, &where, reterr_sentence)) return false;
    int fd = open_socket(&where, false);
    if (fd < 0) return refuse(config, reterr_sentence);
    server->port = port_of_socket(fd);
    set_port(&where, server->port);
    write_url(server, &where);
    server->listen_fds[0] = fd;
    if (server->worker_count > 1) {
        close(fd);
        server->listen_fds[0] = -1;
        for (uint32_t i = 0; i < server->worker_count; i++) {
            server->listen_fds[i] = open_socket(&where, true);
            if (server->listen_fds[i] < 0) return refuse(config, reterr_sentence);
        }
    }
    for (uint32_t i = 0; i < server->worker_count; i++) {
        if (listen(server->listen_fds[i], BACKLOG) != 0) return refuse(config, reterr_sentence);
    }
    if (config->auth == TD_AUTH_OFF && !is_loopback(&where)) {
        TD_LOG(server->service->log, TD_LOG_WARN, "other machines can reach this server, which asks nobody who he is",
               TD_LOG_TEXT("host", td_slice_of_cstr(config->host)), TD_LOG_TEXT("see", TD_LIT("--auth, --host")));
    }
    return true;
}

uint32_t td_http__connections_max(const td_service *service)
{
    rlim_t wanted = (rlim_t)service->config->max_connections + OTHER_FILES;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 1024 - OTHER_FILES;
    if (files.rlim_cur < wanted && files.rlim_cur < files.rlim_max) {
        struct rlimit raised = files;
        raised.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) files = raised;
    }
    if (files.rlim_cur >= wanted) return (uint32_t)service->config->max_connections;
    return files.rlim_cur > 2 * OTHER_FILES ? (uint32_t)(files.rlim_cur - OTHER_FILES) : OTHER_FILES;
}

static bool resolve(const td_config *config, address *ret_address, char *reterr_sentence)
{
    char port[16];
    struct addrinfo *found = NULL;
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    snprintf(port, sizeof(port), "%d", (int)config->port);
    int status = getaddrinfo(config->host, port, &hints, &found);
    if (status != 0) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "host \"%.100s\" is no address to listen on: %s", config->host,
                 gai_strerror(status));
        return false;
    }
    const struct addrinfo *chosen = found;
    for (const struct addrinfo *at = found; at != NULL; at = at->ai_next) {
        if (at->ai_family != AF_INET) continue; /* of a name with both, clients try 127.0.0.1 sooner or later */
        chosen = at;
        break;
    }
    memcpy(&ret_address->bytes, chosen->ai_addr, chosen->ai_addrlen);
    ret_address->len = chosen->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

/* Bound, not yet listening; -1 with errno. */
static int open_socket(const address *where, bool shares_port)
{
    int on = 1;
    int fd = socket(where->bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (shares_port) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
    if (where->bytes.ss_family == AF_INET6) {
        int only_six = 0; /* "::" listens on both kinds */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_six, sizeof(only_six));
    }
    if (bind(fd, (const struct sockaddr *)&where->bytes, where->len) == 0) return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

static bool refuse(const td_config *config, char *reterr_sentence)
{
    if (errno == EADDRINUSE) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES,
                 "port %d on %.100s is in use; choose another with --port, or --port 0 for a free one",
                 (int)config->port, config->host);
    } else {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "cannot listen on port %d of %.100s: %s", (int)config->port,
                 config->host, strerror(errno));
    }
    return false;
}

static void set_port(address *where, int port)
{
    in_port_t bytes = htons((uint16_t)port);
    if (where->bytes.ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)&where->bytes)->sin6_port = bytes;
    } else {
        ((struct sockaddr_in *)&where->bytes)->sin_port = bytes;
    }
}

static int port_of_socket(int fd)
{
    address own = {.len = sizeof(own.bytes)};
    int status = getsockname(fd, (struct sockaddr *)&own.bytes, &own.len);
    TD_ASSERT(status == 0);
    bool is_six = own.bytes.ss_family == AF_INET6;
    return ntohs(is_six ? ((struct sockaddr_in6 *)&own.bytes)->sin6_port
                        : ((struct sockaddr_in *)&own.bytes)->sin_port);
}

static void write_url(td_server *server, const address *where)
{
    char host[INET6_ADDRSTRLEN] = "";
    bool is_six = where->bytes.ss_family == AF_INET6;
    const void *bytes = is_six ? (const void *)&((const struct sockaddr_in6 *)&where->bytes)->sin6_addr
                               : (const void *)&((const struct sockaddr_in *)&where->bytes)->sin_addr;
    inet_ntop(where->bytes.ss_family, bytes, host, sizeof(host));
    snprintf(server->url, sizeof(server->url), "%s://%s%s%s:%d", server->has_tls ? "https" : "http",
             is_six ? "[" : "", host, is_six ? "]" : "", server->port);
}

static bool is_loopback(const address *where)
{
    if (where->bytes.ss_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)&where->bytes)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(six);
    }
    return ntohl(((const struct sockaddr_in *)&where->bytes)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}
