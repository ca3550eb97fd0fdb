/* SPDX-License-Identifier: Apache-2.0
 * base.h: the words that every module speaks: byte slices, units of time and capacity, assertions.
 *
 * Slices are (pointer, length) and may hold NUL bytes; they never own what they point to. Each function's
 * documentation says how long a slice that it returns stays valid ("borrowed until …"). */
#ifndef THERMODYN_BASE_H
#define THERMODYN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TD_MUST_USE __attribute__((warn_unused_result))
#define TD_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define TD_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Asserts stand in every build: a broken invariant stops the process with its text (style: "our bugs"). */
#define TD_ASSERT(expr) ((expr) ? (void)0 : td_assert_failed(#expr, __FILE__, __LINE__))
_Noreturn void td_assert_failed(const char *expr, const char *file, int line);

/* Where control never comes, behind a switch over all values of an enum: the text says what was known. */
#define TD_UNREACHABLE(known) td_assert_failed("unreachable: " known, __FILE__, __LINE__)

/* Passes a failure on; the plain form only, there is no variant of it. */
#define TD_TRY(call)                                                                                                   \
    do {                                                                                                               \
        td_status td_try_status = (call);                                                                              \
        if (td_try_status != TD_OK) return td_try_status;                                                              \
    } while (0)

typedef int64_t td_time_us; /* microseconds since the Unix epoch, in the server's clock */
typedef int64_t td_units;   /* capacity: 1000 = one read or write capacity unit, so that half a read unit is exact */

#define TD_UNITS_ONE ((td_units)1000)
#define TD_US_PER_MS ((td_time_us)1000)
#define TD_US_PER_S ((td_time_us)1000000)
#define TD_NEVER ((td_time_us)INT64_MAX)

typedef struct td_slice {
    const uint8_t *ptr; /* may be NULL when len is 0 */
    size_t len;         /* bytes */
} td_slice;

/* A slice of a string literal; TD_LIT_INIT is the same as a constant initialiser. */
#define TD_LIT_INIT(literal) {(const uint8_t *)("" literal), sizeof(literal) - 1}
#define TD_LIT(literal) ((td_slice)TD_LIT_INIT(literal))

static inline td_slice td_slice_of(const void *ptr, size_t len) { return (td_slice){(const uint8_t *)ptr, len}; }
static inline td_slice td_slice_of_cstr(const char *text) { return td_slice_of(text, strlen(text)); }

static inline bool td_slice_equal(td_slice a, td_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Unsigned byte order, the shorter first: the order of DynamoDB's strings, binaries and (encoded) numbers. */
static inline int td_slice_compare(td_slice a, td_slice b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
    if (order != 0) return order;
    return (a.len > b.len) - (a.len < b.len);
}

static inline bool td_slice_has_prefix(td_slice text, td_slice prefix)
{
    return text.len >= prefix.len && (prefix.len == 0 || memcmp(text.ptr, prefix.ptr, prefix.len) == 0);
}

#endif
