/* SPDX-License-Identifier: Apache-2.0
 * log.h: the only logger: one line a record on standard error, as text or as JSON, by level.
 * Storage never logs; the server does, once per failure. Threads: any; a record is one write. */
#ifndef THERMODYN_BASE_LOG_H
#define THERMODYN_BASE_LOG_H

#include "thermodyn/base.h"

typedef enum td_log_level { TD_LOG_ERROR, TD_LOG_WARN, TD_LOG_INFO, TD_LOG_DEBUG } td_log_level;

typedef struct td_log td_log;

TD_MUST_USE td_log *td_log_new(td_log_level level, bool is_json);
void td_log_free(td_log *log);
bool td_log_is_on(const td_log *log, td_log_level level);

/* A pair of a record: text or number. */
typedef struct td_log_field {
    const char *name;
    td_slice text; /* used when ptr is not NULL */
    int64_t number;
} td_log_field;

#define TD_LOG_TEXT(name, slice) ((td_log_field){(name), (slice), 0})
#define TD_LOG_NUMBER(name, value) ((td_log_field){(name), {NULL, 0}, (int64_t)(value)})

/* `event` is a fixed short sentence; what varies stands in the fields. */
void td_log_write(td_log *log, td_log_level level, const char *event, const td_log_field *fields, size_t count);
#define TD_LOG(log, level, event, ...)                                                                                 \
    td_log_write((log), (level), (event), (const td_log_field[]){{0}, ##__VA_ARGS__} + 1,                              \
                 TD_COUNT_OF(((const td_log_field[]){{0}, ##__VA_ARGS__})) - 1)

/* An error that a request has met, which a client may cause as often as he likes: of all of them the first
 * TD_LOG_FAILURES_A_SECOND of a second are written, and the next one that is tells how many were not (left_out=…).
 * `now_us` is of the monotonic clock. */
#define TD_LOG_FAILURES_A_SECOND 10
void td_log_write_failure(td_log *log, int64_t now_us, const char *event, const td_log_field *fields, size_t count);
#define TD_LOG_FAILURE(log, now_us, event, ...)                                                                        \
    td_log_write_failure((log), (now_us), (event), (const td_log_field[]){{0}, ##__VA_ARGS__} + 1,                     \
                         TD_COUNT_OF(((const td_log_field[]){{0}, ##__VA_ARGS__})) - 1)

#endif
