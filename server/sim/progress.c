/* SPDX-License-Identifier: Apache-2.0
 * progress.c: see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "thermodyn/clock.h"

#define SILENT_US (2 * TD_US_PER_S)
#define ON_TERMINAL_US (TD_US_PER_S / 4)
#define ELSEWHERE_US (5 * TD_US_PER_S)

static void write_time(char *text, size_t size, td_time_us at_us)
{
    long long second = at_us / TD_US_PER_S;
    snprintf(text, size, "%lld:%02lld:%02lld", second / 3600, second / 60 % 60, second % 60);
}

void td_sim__progress_init(td_sim_progress *progress, bool is_quiet)
{
    *progress = (td_sim_progress){
        .is_quiet = is_quiet, .is_terminal = isatty(STDERR_FILENO) == 1, .began_us = td_monotonic_us()};
    progress->shown_us = progress->began_us;
}

void td_sim__progress_show(td_sim_progress *progress, double share, td_time_us at_us, td_time_us duration_us,
                           uint64_t operations)
{
    if (progress->is_quiet) return;
    int64_t now_us = td_monotonic_us();
    int64_t every_us = progress->is_terminal ? ON_TERMINAL_US : ELSEWHERE_US;
    if (now_us - progress->began_us < SILENT_US || now_us - progress->shown_us < every_us) return;
    progress->shown_us = now_us;
    progress->has_shown = true;
    char at[32];
    char end[32];
    write_time(at, sizeof at, at_us);
    write_time(end, sizeof end, duration_us);
    double left_s = share > 0 ? (double)(now_us - progress->began_us) / 1e6 * (1 - share) / share : 0;
    fprintf(stderr, "%s%3.0f %%  virtual time %s of %s, %.1f million operations, about %.0f s left%s",
            progress->is_terminal ? "\r" : "", share * 100, at, end, (double)operations / 1e6, left_s,
            progress->is_terminal ? "\x1b[K" : "\n");
    fflush(stderr);
}

void td_sim__progress_done(td_sim_progress *progress)
{
    if (progress->has_shown && progress->is_terminal) fputs("\r\x1b[K", stderr);
}
