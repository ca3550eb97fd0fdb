/* SPDX-License-Identifier: MIT
 * figures.c: see figures.h. */
#include "figures.h"

#include <math.h>
#include <stdio.h>

const char *td_sim__grouped(uint64_t number, char ret_text[TD_SIM_FIGURE_BYTES])
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    size_t at = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) ret_text[at++] = ',';
        ret_text[at++] = digits[i];
    }
    ret_text[at] = '\0';
    return ret_text;
}

const char *td_sim__short(double number, char ret_text[TD_SIM_FIGURE_BYTES])
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    double shown = number;
    while (fabs(shown) >= 999.5 && unit + 1 < TD_COUNT_OF(units)) {
        shown /= 1000;
        unit++;
    }
    snprintf(ret_text, TD_SIM_FIGURE_BYTES, "%.3g%s", shown, units[unit]);
    return ret_text;
}

const char *td_sim__duration(td_time_us us, char ret_text[TD_SIM_FIGURE_BYTES])
{
    long long hours = us / (3600 * TD_US_PER_S);
    long long minutes = us / (60 * TD_US_PER_S) % 60;
    double seconds = (double)(us % (60 * TD_US_PER_S)) / (double)TD_US_PER_S;
    size_t len = 0;
    ret_text[0] = '\0';
    if (hours > 0) len += (size_t)snprintf(ret_text, TD_SIM_FIGURE_BYTES, "%lld h", hours);
    if (minutes > 0) {
        len += (size_t)snprintf(ret_text + len, TD_SIM_FIGURE_BYTES - len, "%s%lld min", len > 0 ? " " : "", minutes);
    }
    if (seconds > 0 || len == 0) {
        snprintf(ret_text + len, TD_SIM_FIGURE_BYTES - len, "%s%.6g s", len > 0 ? " " : "", seconds);
    }
    return ret_text;
}

const char *td_sim__clock(td_time_us us, char ret_text[TD_SIM_FIGURE_BYTES])
{
    long long second = us / TD_US_PER_S;
    snprintf(ret_text, TD_SIM_FIGURE_BYTES, "%lld:%02lld:%02lld", second / 3600, second / 60 % 60, second % 60);
    return ret_text;
}

double td_sim__percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

void td_sim__append_html(td_buf *buf, td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '&': td_buf_append_lit(buf, "&amp;"); break;
        case '<': td_buf_append_lit(buf, "&lt;"); break;
        case '>': td_buf_append_lit(buf, "&gt;"); break;
        case '"': td_buf_append_lit(buf, "&quot;"); break;
        default: td_buf_append_byte(buf, text.ptr[i]); break;
        }
    }
}

void td_sim__append_csv(td_buf *buf, td_slice text)
{
    td_buf_append_byte(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') td_buf_append_byte(buf, '"');
        td_buf_append_byte(buf, text.ptr[i]);
    }
    td_buf_append_byte(buf, '"');
}

double td_sim__nice_step(double max, int parts)
{
    if (!(max > 0)) return 1;
    double least = max / parts;
    double power = pow(10, floor(log10(least)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < TD_COUNT_OF(factors); i++) {
        if (factors[i] * power >= least * (1 - 1e-9)) return factors[i] * power;
    }
    return 10 * power;
}
