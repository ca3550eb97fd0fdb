/* SPDX-License-Identifier: MIT
 * probe.c: `thermodyn health`: the client side of GET /_thermodyn/health, for health checks of images, where no curl
 * is. Blocking, and over within PROBE_TIMEOUT_S. */
#include "server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PROBE_TIMEOUT_S 3

static int find_port(const td_config *config);
static int connect_to(const char *host, int port);
static bool answers_well(int fd);

bool td_server_probe(const td_config *config, char reterr_sentence[TD_SERVER_ERROR_BYTES])
{
    const char *host = config->host;
    if (strcmp(host, "0.0.0.0") == 0) host = "127.0.0.1"; /* "all addresses" is none to connect to */
    if (strcmp(host, "::") == 0) host = "::1";
    int port = find_port(config);
    int fd = port == 0 ? -1 : connect_to(host, port);
    bool is_well = fd >= 0 && answers_well(fd);
    if (port == 0) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the port is not known: give --port, or a --port-file");
    } else if (fd < 0) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "nothing answers on port %d of %.100s", port, host);
    } else if (!is_well) {
        snprintf(reterr_sentence, TD_SERVER_ERROR_BYTES, "the server on port %d of %.100s is not well", port, host);
    }
    if (fd >= 0) close(fd);
    return is_well;
}

/* Port 0 means that the server chose it, and wrote it to its port file. */
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

static int connect_to(const char *host, int port)
{
    char service[16];
    struct addrinfo *found = NULL;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    snprintf(service, sizeof(service), "%d", port);
    if (getaddrinfo(host, service, &hints, &found) != 0) return -1;
    int fd = -1;
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct timeval timeout = {.tv_sec = PROBE_TIMEOUT_S};
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

static bool answers_well(int fd)
{
    static const char request[] = "GET /_thermodyn/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    static const char wanted[] = "HTTP/1.1 200";
    char answer[sizeof(wanted)];
    size_t got = 0;
    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(request) - 1) return false;
    while (got < sizeof(wanted) - 1) {
        ssize_t more = recv(fd, answer + got, sizeof(wanted) - 1 - got, 0);
        if (more <= 0) return false;
        got += (size_t)more;
    }
    return memcmp(answer, wanted, sizeof(wanted) - 1) == 0;
}
