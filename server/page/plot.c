/* SPDX-License-Identifier: Apache-2.0
 * plot.c: see plot.h. */
#include "plot.h"

#include <math.h>

#include "figures.h"

#define SMALL_HEIGHT 170 /* up to which four steps suffice */
#define TIME_AXIS_HEIGHT 40

static void draw_time_axis(const td_page_plot *plot);

void td_page_plot_begin(td_page_plot *plot, td_buf *buf, td_time_us duration_us, const char *label, int height,
                        double max, const char *unit)
{
    double step = td_page_nice_step(max, height > SMALL_HEIGHT ? 5 : 4);
    if (step < 1) step = 1;
    double top = ceil(max / step - 1e-9) * step;
    *plot = (td_page_plot){
        .buf = buf, .duration_us = duration_us, .bottom = height - TIME_AXIS_HEIGHT, .max = top > 0 ? top : step};
    td_buf_append_format(buf, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", TD_PAGE_PLOT_WIDTH, height,
                         label);
    for (double value = 0; value <= plot->max * 1.0001 && max >= 0; value += step) {
        char text[TD_PAGE_FIGURE_BYTES];
        double y = td_page_plot_y(plot, value);
        td_buf_append_format(
            buf, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\">%s</text>",
            TD_PAGE_PLOT_LEFT, y, TD_PAGE_PLOT_RIGHT, TD_PAGE_PLOT_LEFT - 8, y + 4, td_page_short(value, text));
    }
    td_buf_append_format(buf, "<text class=\"unit\" x=\"4\" y=\"12\">%s</text>", unit);
}

void td_page_plot_end(const td_page_plot *plot)
{
    draw_time_axis(plot);
    td_buf_append_lit(plot->buf, "</svg>\n");
}

double td_page_plot_x(const td_page_plot *plot, td_time_us at_us)
{
    double share = (double)at_us / (double)plot->duration_us;
    return TD_PAGE_PLOT_LEFT + share * (TD_PAGE_PLOT_RIGHT - TD_PAGE_PLOT_LEFT);
}

double td_page_plot_y(const td_page_plot *plot, double value)
{
    double shown = value < 0 ? 0 : value;
    return plot->bottom - shown / plot->max * (plot->bottom - TD_PAGE_PLOT_TOP);
}

void td_page_plot_number(td_buf *buf, double value)
{
    long long tenths = llround(value * 10);
    if (tenths % 10 == 0) {
        td_buf_append_format(buf, "%lld", tenths / 10);
    } else {
        td_buf_append_format(buf, "%lld.%lld", tenths / 10, tenths % 10);
    }
}

double td_page_nice_step(double max, int parts)
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

static void draw_time_axis(const td_page_plot *plot)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    double seconds = (double)plot->duration_us / (double)TD_US_PER_S;
    size_t unit = seconds <= 180 ? 0 : seconds <= 3 * 3600 ? 1 : 2;
    double length = seconds / units[unit].seconds;
    double step = td_page_nice_step(length, 12);
    if (unit == 1 && step == 20) step = 15;
    td_buf_append_format(plot->buf, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>", TD_PAGE_PLOT_LEFT, plot->bottom,
                         TD_PAGE_PLOT_RIGHT);
    for (double at = 0; at <= length * 1.0001; at += step) {
        double x = td_page_plot_x(plot, (td_time_us)(at * units[unit].seconds * (double)TD_US_PER_S));
        td_buf_append_format(
            plot->buf, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/><text class=\"time\" x=\"%.1f\" y=\"%.1f\">%g</text>",
            x, plot->bottom, x, plot->bottom + 17, at);
    }
    td_buf_append_format(plot->buf, "<text class=\"time\" x=\"%d\" y=\"%.1f\">time (%s)</text>",
                         (TD_PAGE_PLOT_LEFT + TD_PAGE_PLOT_RIGHT) / 2, plot->bottom + 33, units[unit].name);
}
