/* SPDX-License-Identifier: Apache-2.0
 * log.c: one record is one line and one write, so that lines of several threads never mix.
 *   text  2026-01-31T12:00:00.123Z info  throttled table=Orders count=12
 *   json  {"time":"2026-01-31T12:00:00.123Z","level":"info","event":"throttled","table":"Orders","count":12}
 * The time is the machine's, also when the server's clock is manual: a log tells what happened when.
 * A record longer than LOG_LINE_BYTES_MAX loses its last fields. */
#include "log.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "thermodyn/clock.h"
#include "thermodyn/memory.h"
#include "thermodyn/text.h"

#define LOG_LINE_BYTES_MAX 4096

struct td_log {
    td_log_level level;
    bool is_json;
    pthread_mutex_t lock;
    int64_t failures_second; /* this and the rest guarded by lock: the second in which they came */
    uint32_t failures;       /* of that second */
    uint64_t left_out;       /* since the last one that was written */
};

/* A line while it is written; what does not fit whole is left out. */
typedef struct line {
    size_t len;
    char text[LOG_LINE_BYTES_MAX];
} line;

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static bool takes_failure(td_log *log, int64_t now_us, uint64_t *ret_left_out);
static void start_line(line *out, const td_log *log, td_log_level level, const char *event);
static void add_fields(line *out, bool is_json, const td_log_field *fields, size_t count);
static void end_line(line *out, const td_log *log);
static void add_field(line *out, bool is_json, const td_log_field *field);
static void add_quoted(line *out, td_slice text);
static void add_byte(line *out, char byte);
static void add_text(line *out, const char *text);
static bool is_plain_word(td_slice text);

td_log *td_log_new(td_log_level level, bool is_json)
{
    td_log *log = td_alloc_zero(sizeof(*log));
    if (log == NULL) return NULL;
    log->level = level;
    log->is_json = is_json;
    int error = pthread_mutex_init(&log->lock, NULL);
    TD_ASSERT(error == 0);
    return log;
}

void td_log_free(td_log *log)
{
    if (log == NULL) return;
    pthread_mutex_destroy(&log->lock);
    td_free(log);
}

bool td_log_is_on(const td_log *log, td_log_level level) { return level <= log->level; }

void td_log_write(td_log *log, td_log_level level, const char *event, const td_log_field *fields, size_t count)
{
    if (!td_log_is_on(log, level)) return;
    line out = {.len = 0};
    start_line(&out, log, level, event);
    add_fields(&out, log->is_json, fields, count);
    end_line(&out, log);
}

void td_log_write_failure(td_log *log, int64_t now_us, const char *event, const td_log_field *fields, size_t count)
{
    uint64_t left_out = 0;
    if (!takes_failure(log, now_us, &left_out)) return;
    line out = {.len = 0};
    start_line(&out, log, TD_LOG_ERROR, event);
    if (left_out > 0) add_field(&out, log->is_json, &TD_LOG_NUMBER("left_out", left_out));
    add_fields(&out, log->is_json, fields, count);
    end_line(&out, log);
}

static bool takes_failure(td_log *log, int64_t now_us, uint64_t *ret_left_out)
{
    int64_t second = now_us / TD_US_PER_S;
    pthread_mutex_lock(&log->lock);
    if (second != log->failures_second) log->failures = 0;
    log->failures_second = second;
    bool takes = log->failures < TD_LOG_FAILURES_A_SECOND;
    if (takes) {
        log->failures++;
        *ret_left_out = log->left_out;
        log->left_out = 0;
    } else {
        log->left_out++;
    }
    pthread_mutex_unlock(&log->lock);
    return takes;
}

/* As many as fit: the line ends before one that does not. */
static void add_fields(line *out, bool is_json, const td_log_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = out->len;
        add_field(out, is_json, &fields[i]);
        if (out->len >= LOG_LINE_BYTES_MAX - 2) {
            out->len = before;
            return;
        }
    }
}

static void end_line(line *out, const td_log *log)
{
    if (log->is_json) out->text[out->len++] = '}';
    out->text[out->len++] = '\n';
    ssize_t written = write(STDERR_FILENO, out->text, out->len);
    (void)written; /* a log that nobody can read is no reason to stop serving */
}

static void start_line(line *out, const td_log *log, td_log_level level, const char *event)
{
    struct timespec now;
    struct tm utc;
    char time[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t len = strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(time + len, sizeof(time) - len, ".%03ldZ", now.tv_nsec / 1000000);
    if (log->is_json) {
        add_text(out, "{\"time\":\"");
        add_text(out, time);
        add_text(out, "\",\"level\":\"");
        add_text(out, level_names[level]);
        add_text(out, "\",\"event\":");
        add_quoted(out, td_slice_of_cstr(event));
    } else {
        add_text(out, time);
        add_byte(out, ' ');
        add_text(out, level_names[level]);
        add_text(out, strlen(level_names[level]) == 4 ? "  " : " ");
        add_text(out, event);
    }
}

static void add_field(line *out, bool is_json, const td_log_field *field)
{
    if (is_json) {
        add_byte(out, ',');
        add_quoted(out, td_slice_of_cstr(field->name));
        add_byte(out, ':');
    } else {
        add_byte(out, ' ');
        add_text(out, field->name);
        add_byte(out, '=');
    }
    if (field->text.ptr == NULL) {
        char number[24];
        snprintf(number, sizeof(number), "%lld", (long long)field->number);
        add_text(out, number);
    } else if (!is_json && is_plain_word(field->text)) {
        for (size_t i = 0; i < field->text.len; i++) {
            add_byte(out, (char)field->text.ptr[i]);
        }
    } else {
        add_quoted(out, field->text);
    }
}

/* A JSON string; the text form uses the same quoting. Bytes that are no UTF-8 become '?'. */
static void add_quoted(line *out, td_slice text)
{
    bool is_utf8 = td_utf8_is_valid(text);
    add_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (byte == '"' || byte == '\\') {
            add_byte(out, '\\');
            add_byte(out, (char)byte);
        } else if (byte < 0x20 || byte == 0x7f) {
            char escape[8];
            snprintf(escape, sizeof(escape), "\\u%04x", byte);
            add_text(out, escape);
        } else {
            add_byte(out, byte >= 0x80 && !is_utf8 ? '?' : (char)byte);
        }
    }
    add_byte(out, '"');
}

static void add_byte(line *out, char byte)
{
    if (out->len < LOG_LINE_BYTES_MAX - 2) out->text[out->len++] = byte;
}

static void add_text(line *out, const char *text)
{
    for (; *text != '\0'; text++) {
        add_byte(out, *text);
    }
}

static bool is_plain_word(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (byte <= ' ' || byte >= 0x7f || byte == '"' || byte == '\\' || byte == '=') return false;
    }
    return text.len > 0;
}
