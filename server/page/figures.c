/* SPDX-License-Identifier: Apache-2.0
 * figures.c: see figures.h. */
#include "figures.h"

#include <math.h>
#include <stdio.h>

static size_t unfit_len(td_slice text, size_t at);

const char *td_page_grouped(uint64_t number, char ret_text[TD_PAGE_FIGURE_BYTES])
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

const char *td_page_short(double number, char ret_text[TD_PAGE_FIGURE_BYTES])
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    double shown = number;
    while (fabs(shown) >= 999.5 && unit + 1 < TD_COUNT_OF(units)) {
        shown /= 1000;
        unit++;
    }
    snprintf(ret_text, TD_PAGE_FIGURE_BYTES, "%.3g%s", shown, units[unit]);
    return ret_text;
}

const char *td_page_duration(td_time_us us, char ret_text[TD_PAGE_FIGURE_BYTES])
{
    long long hours = us / (3600 * TD_US_PER_S);
    long long minutes = us / (60 * TD_US_PER_S) % 60;
    double seconds = (double)(us % (60 * TD_US_PER_S)) / (double)TD_US_PER_S;
    size_t len = 0;
    ret_text[0] = '\0';
    if (hours > 0) len += (size_t)snprintf(ret_text, TD_PAGE_FIGURE_BYTES, "%lld h", hours);
    if (minutes > 0) {
        len += (size_t)snprintf(ret_text + len, TD_PAGE_FIGURE_BYTES - len, "%s%lld min", len > 0 ? " " : "", minutes);
    }
    if (seconds > 0 || len == 0) {
        snprintf(ret_text + len, TD_PAGE_FIGURE_BYTES - len, "%s%.6g s", len > 0 ? " " : "", seconds);
    }
    return ret_text;
}

const char *td_page_clock(td_time_us us, char ret_text[TD_PAGE_FIGURE_BYTES])
{
    long long second = us / TD_US_PER_S;
    snprintf(ret_text, TD_PAGE_FIGURE_BYTES, "%lld:%02lld:%02lld", second / 3600, second / 60 % 60, second % 60);
    return ret_text;
}

double td_page_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

void td_page_append_html(td_buf *buf, td_slice text)
{
    for (size_t i = 0; i < text.len;) {
        size_t unfit = unfit_len(text, i);
        if (unfit > 0) {
            td_buf_append_lit(buf, "\xef\xbf\xbd");
            i += unfit;
            continue;
        }
        switch (text.ptr[i]) {
        case '&': td_buf_append_lit(buf, "&amp;"); break;
        case '<': td_buf_append_lit(buf, "&lt;"); break;
        case '>': td_buf_append_lit(buf, "&gt;"); break;
        case '"': td_buf_append_lit(buf, "&quot;"); break;
        case '\'': td_buf_append_lit(buf, "&#39;"); break;
        default: td_buf_append_byte(buf, text.ptr[i]); break;
        }
        i++;
    }
}

/* Bytes of the character at `at` when XML does not allow it: controls but for tab and line ends, U+FFFE, U+FFFF. Those
 * of DEL and C1 are allowed, and as unfit for reading. Else 0. */
static size_t unfit_len(td_slice text, size_t at)
{
    const uint8_t *byte = text.ptr + at;
    size_t left = text.len - at;
    bool is_c0 = byte[0] < 0x20 && byte[0] != '\t' && byte[0] != '\n' && byte[0] != '\r';
    if (is_c0 || byte[0] == 0x7f) return 1;
    if (byte[0] == 0xc2 && left > 1 && byte[1] < 0xa0) return 2;
    return byte[0] == 0xef && left > 2 && byte[1] == 0xbf && byte[2] >= 0xbe ? 3 : 0;
}
