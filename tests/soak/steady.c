/* SPDX-License-Identifier: Apache-2.0
 * steady.c: good clients at an even pace, whose waits tell how well a server is (hostile.py).
 *
 *   soak_steady PORT TABLE CONNECTIONS PER_SECOND SECONDS
 *
 * Each connection puts and gets an item of its own by turns. The n-th request of all is due n / PER_SECOND seconds
 * after the start, on the n-th connection, counted round and round. It waits until the kernel has its answer: from its
 * sending, or, where the connection's answer before it had not come when it was due, from then. So how late this
 * program is woken, which is not the server's doing, is in no wait, and a server that holds a client up is charged for
 * each request that was due meanwhile. Every answer is looked at, and all waits are kept: percentiles are exact.
 *
 * Prints: requests, and in microseconds the 50th, 99th, 99.9th and 100th percentile of their waits, then the 99th of
 * how late this program woke. A wrong answer, one that does not come in SILENCE_MS, or a connection that is closed ends
 * it with 1. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SILENCE_MS 60000
#define ANSWER_BYTES_MAX 2048
#define REQUEST_BYTES_MAX 1024
#define CONNECTIONS_MAX 1024
#define REQUESTS_MAX 100000000
#define NS_A_SECOND UINT64_C(1000000000)

typedef struct client {
    int fd;
    uint64_t due; /* requests of its own, so far */
    uint64_t sent;
    uint64_t answered;
    uint64_t waits_from_ns; /* what was sent last */
    uint64_t came_ns;       /* the answer before it */
    size_t len;             /* of what has come of an answer */
    char answer[ANSWER_BYTES_MAX];
} client;

typedef struct load {
    const char *table;
    uint64_t client_count;
    uint64_t request_count;
    uint64_t interval_ns; /* from one request to the next */
    uint64_t start_ns;
    uint64_t due; /* requests of all, so far */
    uint64_t answered;
    uint32_t *waits_us; /* of each that has been answered */
    uint32_t *lags_us;  /* how late each was seen to be due */
    int epoll_fd;
    int timer_fd;
    client *clients;
} load;

static void must(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "soak_steady: %s\n", what);
    exit(1);
}

static uint64_t ns_of(struct timespec time) { return (uint64_t)time.tv_sec * NS_A_SECOND + (uint64_t)time.tv_nsec; }

/* By the clock with which the kernel stamps what it receives. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_of(now);
}

static uint64_t due_ns(const load *it, uint64_t request) { return it->start_ns + request * it->interval_ns; }

static uint32_t us_between(uint64_t then_ns, uint64_t now)
{
    uint64_t passed_us = now > then_ns ? (now - then_ns) / 1000 : 0;
    return passed_us < UINT32_MAX ? (uint32_t)passed_us : UINT32_MAX;
}

static void watch(const load *it, int fd, uint64_t number)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
    must(epoll_ctl(it->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

static int connect_to(int port)
{
    int on = 1;
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(fd >= 0 && connect(fd, (const struct sockaddr *)&server, sizeof server) == 0, "cannot connect");
    must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
    must(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0, "SO_TIMESTAMPNS");
    return fd;
}

/* When the next request is due. */
static void set_timer(const load *it)
{
    uint64_t at = due_ns(it, it->due);
    struct itimerspec when = {.it_value = {(time_t)(at / NS_A_SECOND), (long)(at % NS_A_SECOND)}};
    must(timerfd_settime(it->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0, "timerfd_settime");
}

static bool is_put(uint64_t request) { return request % 2 == 0; }

/* A put's value is its number, which the get behind it is to find. */
static void send_next(const load *it, uint64_t number)
{
    char key[64];
    char body[REQUEST_BYTES_MAX / 2];
    char request[REQUEST_BYTES_MAX];
    client *by = &it->clients[number];
    bool puts = is_put(by->sent);
    int key_len = snprintf(key, sizeof key, "{\"pk\":{\"S\":\"good-%llu\"}", (unsigned long long)number);
    must(key_len > 0 && (size_t)key_len < sizeof key, "a key is too long");
    int body_len = puts ? snprintf(body, sizeof body, "{\"TableName\":\"%s\",\"Item\":%s,\"v\":{\"N\":\"%llu\"}}}",
                                   it->table, key, (unsigned long long)by->sent)
                        : snprintf(body, sizeof body, "{\"TableName\":\"%s\",\"Key\":%s},\"ConsistentRead\":true}",
                                   it->table, key);
    must(body_len > 0 && (size_t)body_len < sizeof body, "the table's name is too long");
    int len = snprintf(request, sizeof request,
                       "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
                       "Authorization: AWS4-HMAC-SHA256 Credential=soak/20261130/us-east-1/dynamodb/aws4_request, "
                       "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\nX-Amz-Date: 20261130T000000Z\r\n"
                       "X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n%s",
                       puts ? "PutItem" : "GetItem", body_len, body);
    must(len > 0 && (size_t)len < sizeof request, "a request is too long");
    uint64_t due = due_ns(it, by->sent * it->client_count + number);
    by->waits_from_ns = by->came_ns > due ? due : now_ns();
    must(send(by->fd, request, (size_t)len, MSG_NOSIGNAL) == len, "a request could not be sent");
    by->sent++;
}

/* 0: it is not whole. */
static size_t whole_len(const client *by)
{
    static const char blank[] = "\r\n\r\n";
    static const char length[] = "\r\nContent-Length: ";
    const char *end = memmem(by->answer, by->len, blank, sizeof blank - 1);
    if (end == NULL) return 0;
    size_t head_len = (size_t)(end - by->answer) + sizeof blank - 1;
    const char *line = memmem(by->answer, head_len, length, sizeof length - 1);
    must(line != NULL, "an answer without a length");
    size_t len = head_len + strtoul(line + sizeof length - 1, NULL, 10);
    must(len < ANSWER_BYTES_MAX, "an answer is too long");
    return by->len < len ? 0 : len;
}

static void check_answer(const client *by)
{
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\"v\":{\"N\":\"%llu\"}", (unsigned long long)by->answered - 1);
    bool is_right = strncmp(by->answer, "HTTP/1.1 200 ", 13) == 0;
    if (!is_put(by->answered)) is_right = is_right && strstr(by->answer, wanted) != NULL;
    if (is_right) return;
    (void)fprintf(stderr, "soak_steady: a wrong answer to request %llu:\n%s\n", (unsigned long long)by->answered,
                  by->answer);
    exit(1);
}

/* What has come, and when. */
static void read_more(client *by)
{
    union {
        struct cmsghdr first;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec place = {by->answer + by->len, ANSWER_BYTES_MAX - 1 - by->len};
    struct msghdr message = {.msg_iov = &place, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t more = recvmsg(by->fd, &message, 0);
    must(more > 0, more == 0 ? "the server has closed a connection" : strerror(errno));
    by->len += (size_t)more;
    const struct cmsghdr *stamp = CMSG_FIRSTHDR(&message);
    by->came_ns = now_ns(); /* the kernel stamps from shortly after it was first asked to */
    if (stamp == NULL || stamp->cmsg_type != SCM_TIMESTAMPNS) return;
    struct timespec came;
    memcpy(&came, CMSG_DATA(stamp), sizeof came);
    by->came_ns = ns_of(came);
}

static void receive(load *it, uint64_t number)
{
    client *by = &it->clients[number];
    read_more(by);
    by->answer[by->len] = '\0';
    size_t len = whole_len(by);
    if (len == 0) return;
    must(len == by->len && by->answered < by->sent, "more has come than was asked for");
    check_answer(by);
    it->waits_us[it->answered++] = us_between(by->waits_from_ns, by->came_ns);
    by->answered++;
    by->len = 0;
    if (by->sent < by->due) send_next(it, number);
}

static void send_due(load *it)
{
    uint64_t expirations;
    must(read(it->timer_fd, &expirations, sizeof expirations) == sizeof expirations, "timerfd");
    while (it->due < it->request_count && due_ns(it, it->due) <= now_ns()) {
        uint64_t number = it->due % it->client_count;
        client *by = &it->clients[number];
        it->lags_us[it->due] = us_between(due_ns(it, it->due), now_ns());
        it->due++;
        by->due++;
        if (by->sent == by->answered) send_next(it, number);
    }
    if (it->due < it->request_count) set_timer(it);
}

static void run(load *it)
{
    struct epoll_event events[CONNECTIONS_MAX];
    it->start_ns = now_ns();
    set_timer(it);
    while (it->answered < it->request_count) {
        int count = epoll_wait(it->epoll_fd, events, CONNECTIONS_MAX, SILENCE_MS);
        must(count > 0, "an answer does not come");
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 == it->client_count)
                send_due(it);
            else
                receive(it, events[i].data.u64);
        }
    }
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* In thousandths; of numbers that are sorted. */
static uint32_t percentile(const load *it, const uint32_t *numbers, uint64_t thousandths)
{
    return numbers[(it->request_count - 1) * thousandths / 1000];
}

int main(int argc, char **argv)
{
    must(argc == 6, "usage: soak_steady PORT TABLE CONNECTIONS PER_SECOND SECONDS");
    double per_second = strtod(argv[4], NULL);
    load it = {.table = argv[2], .client_count = strtoull(argv[3], NULL, 10)};
    must(per_second >= 1 && it.client_count >= 1 && it.client_count <= CONNECTIONS_MAX, "no such rate or connections");
    it.request_count = (uint64_t)(per_second * strtod(argv[5], NULL));
    it.interval_ns = (uint64_t)((double)NS_A_SECOND / per_second);
    must(it.request_count >= 1 && it.request_count <= REQUESTS_MAX, "no such time");
    it.waits_us = calloc(it.request_count, sizeof *it.waits_us);
    it.lags_us = calloc(it.request_count, sizeof *it.lags_us);
    it.clients = calloc(it.client_count, sizeof *it.clients);
    must(it.waits_us != NULL && it.lags_us != NULL && it.clients != NULL, "no memory");
    it.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    it.timer_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
    must(it.epoll_fd >= 0 && it.timer_fd >= 0 && prctl(PR_SET_TIMERSLACK, 1UL) == 0, "no timer");
    watch(&it, it.timer_fd, it.client_count);
    for (uint64_t i = 0; i < it.client_count; i++) {
        it.clients[i].fd = connect_to((int)strtol(argv[1], NULL, 10));
        watch(&it, it.clients[i].fd, i);
    }
    run(&it);
    qsort(it.waits_us, it.request_count, sizeof *it.waits_us, compare);
    qsort(it.lags_us, it.request_count, sizeof *it.lags_us, compare);
    printf("%llu %u %u %u %u %u\n", (unsigned long long)it.request_count, percentile(&it, it.waits_us, 500),
           percentile(&it, it.waits_us, 990), percentile(&it, it.waits_us, 999), percentile(&it, it.waits_us, 1000),
           percentile(&it, it.lags_us, 990));
    for (uint64_t i = 0; i < it.client_count; i++)
        close(it.clients[i].fd);
    close(it.timer_fd);
    close(it.epoll_fd);
    free(it.clients);
    free(it.lags_us);
    free(it.waits_us);
    return 0;
}
