/* SPDX-License-Identifier: Apache-2.0
 * bare.c: the fastest server that the HTTP library can be: libmicrohttpd in external epoll mode on a libuv loop, as in
 * server/http, which takes any body and answers /N with a constant body of N bytes.
 *
 * It listens on a free port of 127.0.0.1 and prints "bare listening on http://127.0.0.1:PORT". */
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { BODY_BYTES_MAX = 16 * 1024 * 1024, RUNS_PER_WAKE_MAX = 16 };

typedef struct bare_server {
    uv_loop_t loop;
    uv_poll_t poll;
    uv_timer_t timer;
    uv_signal_t stop;
    struct MHD_Daemon *daemon;
    size_t filled_bytes; /* of body, which takes no memory before somebody asks for so much */
    char body[BODY_BYTES_MAX];
} bare_server;

static int listen_on_free_port(int *ret_port);
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context);
static void wake(uv_poll_t *poll, int status, int events);
static void wake_by_timer(uv_timer_t *timer);
static void pump(bare_server *bare);
static void stop(uv_signal_t *signal, int number);

int main(void)
{
    static bare_server server;
    int port = 0;
    int listen_fd = listen_on_free_port(&port);
    if (listen_fd < 0) return EXIT_FAILURE;
    server.daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, handle, &server, MHD_OPTION_LISTEN_SOCKET, listen_fd,
                                     MHD_OPTION_CONNECTION_TIMEOUT, 0U, MHD_OPTION_END);
    if (server.daemon == NULL || uv_loop_init(&server.loop) != 0) return EXIT_FAILURE;
    int epoll_fd = MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    uv_timer_init(&server.loop, &server.timer);
    server.timer.data = server.poll.data = server.stop.data = &server;
    if (uv_poll_init(&server.loop, &server.poll, epoll_fd) != 0) return EXIT_FAILURE;
    uv_poll_start(&server.poll, UV_READABLE, wake);
    uv_signal_init(&server.loop, &server.stop);
    uv_signal_start(&server.stop, stop, SIGTERM);
    printf("bare listening on http://127.0.0.1:%d\n", port);
    fflush(stdout);
    uv_run(&server.loop, UV_RUN_DEFAULT);
    MHD_stop_daemon(server.daemon);
    return EXIT_SUCCESS;
}

static int listen_on_free_port(int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 4096) != 0) return -1;
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0) return -1;
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context)
{
    (void)method;
    (void)version;
    (void)upload;
    bare_server *bare = cls;
    bool is_first_call = *context == NULL;
    *context = bare;
    if (is_first_call) return MHD_YES;
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    unsigned long len = strtoul(url + 1, NULL, 10);
    if (len > sizeof bare->body) len = sizeof bare->body;
    if (len > bare->filled_bytes) {
        memset(bare->body, 'x', len);
        bare->filled_bytes = len;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(len, bare->body, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/x-amz-json-1.0");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static void wake(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    pump(poll->data);
}

static void wake_by_timer(uv_timer_t *timer)
{
    pump(timer->data);
}

static void pump(bare_server *bare)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    bool wants_time = true;
    for (int runs = 0; runs < RUNS_PER_WAKE_MAX && wants_time && wait_ms == 0; runs++) {
        MHD_run(bare->daemon);
        wants_time = MHD_get_timeout(bare->daemon, &wait_ms) == MHD_YES;
    }
    if (wants_time) uv_timer_start(&bare->timer, wake_by_timer, wait_ms, 0);
    else uv_timer_stop(&bare->timer);
}

static void stop(uv_signal_t *signal, int number)
{
    (void)number;
    uv_stop(signal->loop);
}
