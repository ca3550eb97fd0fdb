/* SPDX-License-Identifier: Apache-2.0
 * writers.c: the write load of the kill tests (kills in ./run): rising numbers over 16 connections until the server is
 * gone, and what was confirmed of them.
 *
 *   durable_writers PORT FILLING_BYTES BOUND_MS
 *
 * Each connection writes to keys of its own, one request after the other: two PutItem to the table Single, then a
 * TransactWriteItems of the same item to Left and Right. What a key holds already is read from the standard input,
 * lines of "TABLE KEY NUMBER".
 * Prints "refused" once each connection was answered 500; in the end, when no connection is left, "CONFIRMED REFUSED",
 * the counts of this run, and for each key "TABLE KEY MUST TRIED": the number that has to be there at least, and the
 * one that was tried last. With a bound, what was confirmed within BOUND_MS before the last confirmed request was sent
 * need not be there. Another answer than 200 and 500, or none in SILENCE_MS, ends it with 1. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 16
#define KEYS 8 /* a connection's, in each table */
#define ANSWER_BYTES_MAX 4096
#define FILLING_BYTES_MAX 100000
#define FILLING_STEP 500 /* an item is up to so much shorter, so that its place changes */
#define SILENCE_MS 30000
#define NS_A_SECOND UINT64_C(1000000000)

typedef enum place { SINGLE, PAIR, PLACE_COUNT } place;

typedef struct key {
    uint64_t tried;
    uint64_t must;
} key;

typedef struct writer {
    int fd; /* -1: it is gone */
    uint64_t at;
    place place; /* of the request under way, with the key and its number */
    key *key;
    uint64_t number;
    uint64_t asked_ns;
    uint64_t refused;
    char *request;
    size_t request_len;
    size_t sent;
    char answer[ANSWER_BYTES_MAX];
    size_t answer_len;
} writer;

typedef struct confirmation {
    key *key;
    uint64_t number;
    uint64_t at_ns;
} confirmation;

typedef struct load {
    size_t filling_bytes;
    int epoll_fd;
    int open_count;
    int refused_count; /* of connections */
    uint64_t last_asked_ns;
    key keys[PLACE_COUNT][CONNECTIONS][KEYS];
    writer writers[CONNECTIONS];
    confirmation *confirmations;
    size_t confirmed;
    size_t room;
} load;

static const char *const table_names[] = {[SINGLE] = "Single", [PAIR] = "Left"};

static void must(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "durable_writers: %s\n", what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_A_SECOND + (uint64_t)now.tv_nsec;
}

static void read_keys(load *it)
{
    char name[16];
    unsigned connection;
    unsigned number;
    unsigned long long there;
    while (scanf("%15s %u-%u %llu", name, &connection, &number, &there) == 4) {
        place where = strcmp(name, table_names[SINGLE]) == 0 ? SINGLE : PAIR;
        must(connection < CONNECTIONS && number < KEYS, "no such key");
        it->keys[where][connection][number] = (key){.tried = there, .must = there};
    }
}

static void leave(load *it, writer *by)
{
    close(by->fd);
    by->fd = -1;
    it->open_count--;
}

/* The rest of the request, as far as the socket takes it. */
static void send_more(load *it, writer *by)
{
    while (by->sent < by->request_len) {
        ssize_t count = send(by->fd, by->request + by->sent, by->request_len - by->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) {
            leave(it, by);
            return;
        }
        by->sent += (size_t)count;
    }
}

static int print_item(char *text, size_t size, uint64_t connection, const writer *by, int filling_len)
{
    return snprintf(text, size, "{\"pk\":{\"S\":\"%llu-%llu\"},\"n\":{\"N\":\"%llu\"},\"filling\":{\"S\":\"%0*d\"}}",
                    (unsigned long long)connection, (unsigned long long)(by->at % KEYS),
                    (unsigned long long)by->number, filling_len, 0);
}

static void send_next(load *it, writer *by)
{
    uint64_t connection = (uint64_t)(by - it->writers);
    by->at++;
    by->place = by->at % 3 == 0 ? PAIR : SINGLE;
    by->key = &it->keys[by->place][connection][by->at % KEYS];
    by->number = ++by->key->tried;
    size_t size = 2 * it->filling_bytes + 2048;
    char *item = malloc(size);
    char *body = malloc(size);
    must(item != NULL && body != NULL, "no memory");
    must(print_item(item, size, connection, by, (int)(it->filling_bytes - by->number % FILLING_STEP)) > 0, "an item");
    int body_len = by->place == SINGLE
                       ? snprintf(body, size, "{\"TableName\":\"Single\",\"Item\":%s}", item)
                       : snprintf(body, size,
                                  "{\"TransactItems\":[{\"Put\":{\"TableName\":\"Left\",\"Item\":%s}},"
                                  "{\"Put\":{\"TableName\":\"Right\",\"Item\":%s}}]}", item, item);
    must(body_len > 0 && (size_t)body_len < size, "a body is too long");
    int len = snprintf(by->request, size + 1024,
                       "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
                       "Authorization: AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/dynamodb/aws4_request, "
                       "SignedHeaders=host, Signature=x\r\nX-Amz-Date: 20260101T000000Z\r\n"
                       "X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n%s",
                       by->place == SINGLE ? "PutItem" : "TransactWriteItems", body_len, body);
    must(len > 0 && (size_t)len < size + 1024, "a request is too long");
    free(body);
    free(item);
    by->request_len = (size_t)len;
    by->sent = by->answer_len = 0;
    by->asked_ns = now_ns();
    send_more(it, by);
}

static bool is_whole(const writer *by)
{
    static const char blank[] = "\r\n\r\n";
    static const char length[] = "\r\nContent-Length: ";
    const char *end = memmem(by->answer, by->answer_len, blank, sizeof blank - 1);
    if (end == NULL) return false;
    size_t head_len = (size_t)(end - by->answer) + sizeof blank - 1;
    const char *line = memmem(by->answer, head_len, length, sizeof length - 1);
    must(line != NULL, "an answer without a length");
    size_t len = head_len + strtoul(line + sizeof length - 1, NULL, 10);
    must(len < ANSWER_BYTES_MAX && by->answer_len <= len, "an answer is too long");
    return by->answer_len == len;
}

static void confirm(load *it, const writer *by)
{
    if (it->confirmed == it->room) {
        it->room = it->room == 0 ? 4096 : it->room * 2;
        it->confirmations = realloc(it->confirmations, it->room * sizeof *it->confirmations);
        must(it->confirmations != NULL, "no memory");
    }
    it->confirmations[it->confirmed++] = (confirmation){by->key, by->number, now_ns()};
    if (by->asked_ns > it->last_asked_ns) it->last_asked_ns = by->asked_ns;
}

static void refuse(load *it, writer *by)
{
    if (by->refused++ > 0) return;
    it->refused_count++;
    if (it->refused_count < CONNECTIONS) return;
    puts("refused");
    (void)fflush(stdout);
}

static void receive(load *it, writer *by)
{
    ssize_t count = recv(by->fd, by->answer + by->answer_len, ANSWER_BYTES_MAX - 1 - by->answer_len, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        leave(it, by);
        return;
    }
    by->answer_len += (size_t)count;
    by->answer[by->answer_len] = '\0';
    if (!is_whole(by)) return;
    if (strncmp(by->answer, "HTTP/1.1 200 ", 13) == 0) {
        confirm(it, by);
    } else if (strncmp(by->answer, "HTTP/1.1 500 ", 13) == 0) {
        refuse(it, by);
    } else {
        must(false, by->answer);
    }
    send_next(it, by);
}

static void connect_all(load *it, int port)
{
    int on = 1;
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < CONNECTIONS; i++) {
        writer *by = &it->writers[i];
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = by};
        by->request = malloc(2 * it->filling_bytes + 4096);
        by->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        must(by->request != NULL && by->fd >= 0, "no memory or socket");
        it->open_count++;
        if (connect(by->fd, (const struct sockaddr *)&server, sizeof server) != 0) { /* it has been killed already */
            leave(it, by);
            continue;
        }
        must(setsockopt(by->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
        must(fcntl(by->fd, F_SETFL, O_NONBLOCK) == 0, "O_NONBLOCK");
        must(epoll_ctl(it->epoll_fd, EPOLL_CTL_ADD, by->fd, &event) == 0, "epoll_ctl");
        send_next(it, by);
    }
}

static void run(load *it)
{
    struct epoll_event events[CONNECTIONS];
    while (it->open_count > 0) {
        int count = epoll_wait(it->epoll_fd, events, CONNECTIONS, SILENCE_MS);
        must(count > 0, "an answer does not come");
        for (int i = 0; i < count; i++) {
            writer *by = events[i].data.ptr;
            if (by->fd >= 0 && (events[i].events & EPOLLOUT) != 0) send_more(it, by);
            if (by->fd >= 0 && (events[i].events & ~(uint32_t)EPOLLOUT) != 0) receive(it, by);
        }
    }
}

static void print_keys(load *it, uint64_t bound_ms)
{
    uint64_t bound_ns = bound_ms * (NS_A_SECOND / 1000);
    uint64_t until_ns = bound_ns == 0 ? UINT64_MAX : it->last_asked_ns > bound_ns ? it->last_asked_ns - bound_ns : 0;
    uint64_t refused = 0;
    for (size_t i = 0; i < it->confirmed; i++) {
        const confirmation *each = &it->confirmations[i];
        if (each->at_ns <= until_ns && each->number > each->key->must) each->key->must = each->number;
    }
    for (int i = 0; i < CONNECTIONS; i++)
        refused += it->writers[i].refused;
    printf("%zu %llu\n", it->confirmed, (unsigned long long)refused);
    for (int where = 0; where < PLACE_COUNT; where++) {
        for (int i = 0; i < CONNECTIONS * KEYS; i++) {
            const key *each = &it->keys[where][i / KEYS][i % KEYS];
            if (each->tried == 0) continue;
            printf("%s %d-%d %llu %llu\n", table_names[where], i / KEYS, i % KEYS, (unsigned long long)each->must,
                   (unsigned long long)each->tried);
        }
    }
}

int main(int argc, char **argv)
{
    must(argc == 4, "usage: durable_writers PORT FILLING_BYTES BOUND_MS");
    static load it;
    it.filling_bytes = strtoul(argv[2], NULL, 10);
    must(it.filling_bytes >= FILLING_STEP && it.filling_bytes <= FILLING_BYTES_MAX, "no such filling");
    it.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    must(it.epoll_fd >= 0, "epoll_create1");
    read_keys(&it);
    connect_all(&it, (int)strtol(argv[1], NULL, 10));
    run(&it);
    print_keys(&it, strtoul(argv[3], NULL, 10));
    for (int i = 0; i < CONNECTIONS; i++)
        free(it.writers[i].request);
    free(it.confirmations);
    close(it.epoll_fd);
    return 0;
}
