/* SPDX-License-Identifier: Apache-2.0
 * clock.c: the one clock: a line through a point, `now = base + rate * (machine - machine at base)`, or a standing
 * instant.
 *
 * Model:   the machine's time is CLOCK_BOOTTIME (it never steps, and runs while a laptop sleeps); wall time is read
 *          once, at new and at reset.
 * Reading: a sequence lock. The writer makes the sequence odd, samples the machine's time, changes the line, makes it
 *          even; a reader samples the machine's time between two equal even readings. Hence whatever a reader saw of
 *          the old line lies before the writer's sample, and time never moves backwards across a change, at any rate.
 *          Acquire loads and release stores stand where a fence would do, since ThreadSanitizer knows no fences. */
#include "thermodyn/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "thermodyn/memory.h"

#define RATE_MIN 0.01
#define RATE_MAX 100000.0
#define NOW_US_MAX (TD_NEVER / 2) /* where a runaway clock stops, so that sums of instants do not overflow */

/* A consistent view of the clock's line. */
typedef struct clock_line {
    td_clock_mode mode;
    double rate;
    td_time_us base_us; /* what the clock showed … */
    int64_t machine_us; /* … at this time of the machine */
} clock_line;

struct td_clock {
    pthread_mutex_t setters;
    _Atomic uint64_t sequence; /* odd while a setter changes what follows */
    _Atomic int mode;
    _Atomic double rate;
    _Atomic int64_t base_us;
    _Atomic int64_t machine_us;
};

static int64_t read_machine_us(clockid_t which);
static clock_line read_line(const td_clock *clock, td_time_us *ret_now_us);
static td_time_us instant_on(const clock_line *line, int64_t machine_us);
static clock_line begin_change(td_clock *clock);
static void end_change(td_clock *clock, const clock_line *line);

td_clock *td_clock_new(void)
{
    td_clock *clock = td_alloc_zero(sizeof *clock);
    if (clock == NULL) return NULL;
    if (pthread_mutex_init(&clock->setters, NULL) != 0) {
        td_free(clock);
        return NULL;
    }
    td_clock_reset(clock);
    return clock;
}

void td_clock_free(td_clock *clock)
{
    if (clock == NULL) return;
    (void)pthread_mutex_destroy(&clock->setters);
    td_free(clock);
}

td_time_us td_clock_now(const td_clock *clock)
{
    td_time_us now_us;
    (void)read_line(clock, &now_us);
    return now_us;
}

td_clock_state td_clock_get_state(const td_clock *clock)
{
    td_time_us now_us;
    clock_line line = read_line(clock, &now_us);
    return (td_clock_state){.mode = line.mode, .rate = line.rate, .now_us = now_us};
}

bool td_clock_set_real(td_clock *clock, double rate)
{
    if (!(rate >= RATE_MIN && rate <= RATE_MAX)) return false; /* refuses NaN too */
    clock_line line = begin_change(clock);
    line.mode = TD_CLOCK_REAL;
    line.rate = rate;
    end_change(clock, &line);
    return true;
}

void td_clock_set_manual(td_clock *clock)
{
    clock_line line = begin_change(clock);
    line.mode = TD_CLOCK_MANUAL;
    end_change(clock, &line);
}

bool td_clock_move_to(td_clock *clock, td_time_us now_us)
{
    clock_line line = begin_change(clock);
    bool can_move = line.mode == TD_CLOCK_MANUAL && now_us >= line.base_us && now_us <= NOW_US_MAX;
    if (can_move) line.base_us = now_us;
    end_change(clock, &line);
    return can_move;
}

void td_clock_set_state(td_clock *clock, const td_clock_state *state)
{
    bool has_rate = state->rate >= RATE_MIN && state->rate <= RATE_MAX;
    clock_line line = begin_change(clock);
    line.mode = state->mode;
    line.rate = has_rate ? state->rate : 1.0;
    line.base_us = state->now_us < NOW_US_MAX ? state->now_us : NOW_US_MAX;
    end_change(clock, &line);
}

void td_clock_reset(td_clock *clock)
{
    clock_line line = begin_change(clock);
    line.mode = TD_CLOCK_REAL;
    line.rate = 1.0;
    line.base_us = read_machine_us(CLOCK_REALTIME);
    end_change(clock, &line);
}

int64_t td_clock_real_us_until(const td_clock *clock, td_time_us due_us)
{
    td_time_us now_us;
    clock_line line = read_line(clock, &now_us);
    if (due_us <= now_us) return 0;
    if (line.mode == TD_CLOCK_MANUAL || due_us == TD_NEVER) return INT64_MAX;
    double real_us = (double)(due_us - now_us) / line.rate;
    /* Rounded up: who sleeps that long finds the instant reached. */
    return real_us >= (double)NOW_US_MAX ? INT64_MAX : (int64_t)real_us + 1;
}

td_time_us td_wall_time(void) { return read_machine_us(CLOCK_REALTIME); }

int64_t td_monotonic_us(void)
{
    return read_machine_us(CLOCK_MONOTONIC);
}

static int64_t read_machine_us(clockid_t which)
{
    struct timespec time;
    int failed = clock_gettime(which, &time);
    TD_ASSERT(failed == 0);
    return (int64_t)time.tv_sec * TD_US_PER_S + time.tv_nsec / 1000;
}

static clock_line read_line(const td_clock *clock, td_time_us *ret_now_us)
{
    for (;;) {
        uint64_t sequence = atomic_load_explicit(&clock->sequence, memory_order_acquire);
        clock_line line = {
            .mode = (td_clock_mode)atomic_load_explicit(&clock->mode, memory_order_acquire),
            .rate = atomic_load_explicit(&clock->rate, memory_order_acquire),
            .base_us = atomic_load_explicit(&clock->base_us, memory_order_acquire),
            .machine_us = atomic_load_explicit(&clock->machine_us, memory_order_acquire),
        };
        int64_t machine_us = line.mode == TD_CLOCK_REAL ? read_machine_us(CLOCK_BOOTTIME) : 0;
        bool is_torn = (sequence & 1) != 0 || sequence != atomic_load_explicit(&clock->sequence, memory_order_relaxed);
        if (is_torn) continue;
        *ret_now_us = instant_on(&line, machine_us);
        return line;
    }
}

static td_time_us instant_on(const clock_line *line, int64_t machine_us)
{
    if (line->mode == TD_CLOCK_MANUAL) return line->base_us;
    int64_t passed_us = machine_us - line->machine_us;
    if (passed_us <= 0) return line->base_us;
    if (line->rate == 1.0) return line->base_us + passed_us;
    double scaled_us = (double)passed_us * line->rate;
    if (scaled_us >= (double)(NOW_US_MAX - line->base_us)) return NOW_US_MAX;
    return line->base_us + (int64_t)scaled_us;
}

/* Locks out other setters and readers; answers the line, moved to start at the present instant. */
static clock_line begin_change(td_clock *clock)
{
    (void)pthread_mutex_lock(&clock->setters);
    /* A read-modify-write in total order: the odd sequence is visible before the machine's time is sampled. */
    (void)atomic_fetch_add_explicit(&clock->sequence, 1, memory_order_seq_cst);
    clock_line line = {
        .mode = (td_clock_mode)atomic_load_explicit(&clock->mode, memory_order_relaxed),
        .rate = atomic_load_explicit(&clock->rate, memory_order_relaxed),
        .base_us = atomic_load_explicit(&clock->base_us, memory_order_relaxed),
        .machine_us = atomic_load_explicit(&clock->machine_us, memory_order_relaxed),
    };
    int64_t machine_us = read_machine_us(CLOCK_BOOTTIME);
    line.base_us = instant_on(&line, machine_us);
    line.machine_us = machine_us;
    return line;
}

static void end_change(td_clock *clock, const clock_line *line)
{
    atomic_store_explicit(&clock->mode, (int)line->mode, memory_order_release);
    atomic_store_explicit(&clock->rate, line->rate, memory_order_release);
    atomic_store_explicit(&clock->base_us, line->base_us, memory_order_release);
    atomic_store_explicit(&clock->machine_us, line->machine_us, memory_order_release);
    (void)atomic_fetch_add_explicit(&clock->sequence, 1, memory_order_release);
    (void)pthread_mutex_unlock(&clock->setters);
}
