/* SPDX-License-Identifier: Apache-2.0
 * clock.h: the one clock. Everything that the emulation does in time reads it: buckets, table states, and later
 * expiry, streams and metrics.
 *
 * real    the machine's time, `rate` times as fast since the rate was set (1.0: wall time)
 * manual  stands still and moves only when told
 * Time never moves backwards: a change of mode or rate continues from the present instant.
 * Threads: td_clock_now from any thread without a lock; the setters are serialised inside. */
#ifndef THERMODYN_CLOCK_H
#define THERMODYN_CLOCK_H

#include "thermodyn/base.h"
#include "thermodyn/status.h"

typedef struct td_clock td_clock;

typedef enum td_clock_mode { TD_CLOCK_REAL, TD_CLOCK_MANUAL } td_clock_mode;

typedef struct td_clock_state {
    td_clock_mode mode;
    double rate; /* 0.01 to 100000; kept while in manual mode */
    td_time_us now_us;
} td_clock_state;

TD_MUST_USE td_clock *td_clock_new(void); /* real, rate 1 */
void td_clock_free(td_clock *clock);

td_time_us td_clock_now(const td_clock *clock);
td_clock_state td_clock_get_state(const td_clock *clock);

/* Answers false, and changes nothing, when the rate is outside 0.01 to 100000. */
TD_MUST_USE bool td_clock_set_real(td_clock *clock, double rate);
void td_clock_set_manual(td_clock *clock);

/* Manual mode only; false when the mode is another or `now_us` lies in the past. */
TD_MUST_USE bool td_clock_move_to(td_clock *clock, td_time_us now_us);

/* As a clock was that somebody kept: its instant too, which may be earlier. Before anybody has read this one. */
void td_clock_set_state(td_clock *clock, const td_clock_state *state);

/* Back to wall time at rate 1, even if that is earlier: only for a reset of everything that had read the clock. */
void td_clock_reset(td_clock *clock);

/* How much real time passes until the clock shows due_us (0 when it has passed, INT64_MAX in manual mode). */
int64_t td_clock_real_us_until(const td_clock *clock, td_time_us due_us);

/* The machine's own time of day, which may step: for what is signed elsewhere (never for the emulation). */
td_time_us td_wall_time(void);

/* Monotonic time of the machine, for measuring durations of our own work (never for the emulation). */
int64_t td_monotonic_us(void);

#endif
