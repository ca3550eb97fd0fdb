/* SPDX-License-Identifier: MIT
 * html_chart.c: curves over time: load, partitions, what is left of the burst; see report.h and html_chart.h. */
#include "html_chart.h"

#include <math.h>
#include <stdio.h>

#include "figures.h"
#include "report.h"

#define LOAD_HEIGHT 300
#define SMALL_HEIGHT 170
#define TIME_AXIS_HEIGHT 40

/* What the stairs of a place show. */
typedef struct stair {
    const td_sim_record *record;
    const td_sim_place *place;
    int layers;    /* accepted and so many causes, one upon the other */
    int direction; /* of a balance */
} stair;

static double per_second(const td_sim_record *record, uint32_t bucket, uint64_t count);
static double stacked(const void *context, uint32_t bucket);
static double partitions(const void *context, uint32_t bucket);
static double balance(const void *context, uint32_t bucket);
static double largest(const td_sim_record *record, double (*value_of)(const void *, uint32_t), const void *context);
static void draw_layer(td_sim_chart *chart, const stair *upper, const char *class_name);
static void draw_line(td_sim_chart *chart, double (*value_of)(const void *, uint32_t), const void *context,
                      const char *class_name);
static void draw_events(td_sim_chart *chart, uint32_t place);
static void draw_time_axis(td_sim_chart *chart);
static void draw_phases(td_sim_chart *chart);

void td_sim__draw_load(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    static const char *const classes[TD_SIM_CAUSE_COUNT] = {"c-prov", "c-range", "c-account", "c-max", "c-index"};
    stair all = {.record = record, .place = place, .layers = TD_SIM_CAUSE_COUNT};
    td_sim_chart chart;
    td_sim__chart_begin(&chart, record, buf, "Operations a second over time, accepted and throttled", LOAD_HEIGHT,
                        largest(record, stacked, &all), "operations / s");
    stair accepted = {.record = record, .place = place};
    draw_layer(&chart, &accepted, "c-accepted");
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++) {
        stair layer = {.record = record, .place = place, .layers = i + 1};
        if (place->total.throttled[i] > 0) draw_layer(&chart, &layer, classes[i]);
    }
    draw_line(&chart, stacked, &all, "l-offered");
    td_sim__chart_end(&chart);
}

void td_sim__draw_partitions(const td_sim_record *record, uint32_t place, td_buf *buf)
{
    stair it = {.record = record, .place = &record->places[place]};
    td_sim_chart chart;
    td_sim__chart_begin(&chart, record, buf, "Partitions over time", SMALL_HEIGHT, largest(record, partitions, &it),
                        "partitions");
    draw_line(&chart, partitions, &it, "l-partitions");
    draw_events(&chart, place);
    td_sim__chart_end(&chart);
}

void td_sim__draw_balance(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    stair read = {.record = record, .place = place, .direction = TD_READ};
    stair write = {.record = record, .place = place, .direction = TD_WRITE};
    bool has_read = place->total.consumed[TD_READ] > 0;
    bool has_write = place->total.consumed[TD_WRITE] > 0;
    double max_read = has_read ? largest(record, balance, &read) : 0;
    double max_write = has_write ? largest(record, balance, &write) : 0;
    td_sim_chart chart;
    td_sim__chart_begin(&chart, record, buf, "Units left of the burst over time", SMALL_HEIGHT,
                        fmax(max_read, max_write), "units");
    if (has_read) draw_line(&chart, balance, &read, "l-read");
    if (has_write) draw_line(&chart, balance, &write, "l-write");
    td_sim__chart_end(&chart);
}

void td_sim__chart_begin(td_sim_chart *chart, const td_sim_record *record, td_buf *buf, const char *label, int height,
                         double max, const char *unit)
{
    double step = td_sim__nice_step(max, height > SMALL_HEIGHT ? 5 : 4);
    if (step < 1) step = 1;
    double top = ceil(max / step - 1e-9) * step;
    *chart =
        (td_sim_chart){.record = record, .buf = buf, .bottom = height - TIME_AXIS_HEIGHT, .max = top > 0 ? top : step};
    td_buf_append_format(buf, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", TD_SIM_CHART_WIDTH, height,
                         label);
    for (double value = 0; value <= chart->max * 1.0001 && max >= 0; value += step) {
        char text[TD_SIM_FIGURE_BYTES];
        double y = td_sim__chart_y(chart, value);
        td_buf_append_format(
            buf, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\">%s</text>",
            TD_SIM_PLOT_LEFT, y, TD_SIM_PLOT_RIGHT, TD_SIM_PLOT_LEFT - 8, y + 4, td_sim__short(value, text));
    }
    td_buf_append_format(buf, "<text class=\"unit\" x=\"4\" y=\"12\">%s</text>", unit);
}

void td_sim__chart_end(td_sim_chart *chart)
{
    draw_phases(chart);
    draw_time_axis(chart);
    td_buf_append_lit(chart->buf, "</svg>\n");
}

double td_sim__chart_x(const td_sim_chart *chart, td_time_us at_us)
{
    double share = (double)at_us / (double)chart->record->duration_us;
    return TD_SIM_PLOT_LEFT + share * (TD_SIM_PLOT_RIGHT - TD_SIM_PLOT_LEFT);
}

double td_sim__chart_y(const td_sim_chart *chart, double value)
{
    double shown = value < 0 ? 0 : value;
    return chart->bottom - shown / chart->max * (chart->bottom - TD_SIM_PLOT_TOP);
}

void td_sim__chart_number(td_buf *buf, double value)
{
    long long tenths = llround(value * 10);
    if (tenths % 10 == 0) {
        td_buf_append_format(buf, "%lld", tenths / 10);
    } else {
        td_buf_append_format(buf, "%lld.%lld", tenths / 10, tenths % 10);
    }
}

void td_sim__chart_stair(const td_sim_chart *chart, bool is_backward,
                         double (*value_of)(const void *context, uint32_t bucket), const void *context)
{
    const td_sim_record *record = chart->record;
    td_buf *buf = chart->buf;
    double last_y = -1;
    for (uint32_t i = 0; i < record->bucket_count; i++) {
        uint32_t bucket = is_backward ? record->bucket_count - 1 - i : i;
        td_time_us begins_us = bucket == 0 ? 0 : td_sim__bucket_end_us(record, bucket - 1);
        td_time_us ends_us = td_sim__bucket_end_us(record, bucket);
        double y = td_sim__chart_y(chart, value_of(context, bucket));
        if (i > 0 && llround(y * 10) == llround(last_y * 10)) continue;
        td_buf_append_byte(buf, i > 0 ? 'H' : is_backward ? 'L' : 'M');
        td_sim__chart_number(buf, td_sim__chart_x(chart, is_backward ? ends_us : begins_us));
        td_buf_append_byte(buf, i > 0 ? 'V' : ' ');
        td_sim__chart_number(buf, y);
        last_y = y;
    }
    td_buf_append_byte(buf, 'H');
    td_sim__chart_number(buf, is_backward ? TD_SIM_PLOT_LEFT : TD_SIM_PLOT_RIGHT);
}

static double per_second(const td_sim_record *record, uint32_t bucket, uint64_t count)
{
    td_time_us begins_us = bucket == 0 ? 0 : td_sim__bucket_end_us(record, bucket - 1);
    td_time_us width_us = td_sim__bucket_end_us(record, bucket) - begins_us;
    return (double)count * (double)TD_US_PER_S / (double)width_us;
}

static double stacked(const void *context, uint32_t bucket)
{
    const stair *it = context;
    const td_sim_counts *counts = &it->place->samples[bucket].counts;
    uint64_t sum = counts->accepted;
    for (int i = 0; i < it->layers; i++)
        sum += counts->throttled[i];
    return per_second(it->record, bucket, sum);
}

static double partitions(const void *context, uint32_t bucket)
{
    return ((const stair *)context)->place->samples[bucket].partitions;
}

static double balance(const void *context, uint32_t bucket)
{
    const stair *it = context;
    return it->place->samples[bucket].balance[it->direction];
}

static double largest(const td_sim_record *record, double (*value_of)(const void *, uint32_t), const void *context)
{
    double max = 0;
    for (uint32_t i = 0; i < record->bucket_count; i++)
        max = fmax(max, value_of(context, i));
    return max;
}

/* The band between a stair and the one below it. */
static void draw_layer(td_sim_chart *chart, const stair *upper, const char *class_name)
{
    stair lower = *upper;
    lower.layers--;
    td_buf_append_format(chart->buf, "<path class=\"%s\" d=\"", class_name);
    td_sim__chart_stair(chart, false, stacked, upper);
    if (upper->layers == 0) {
        td_buf_append_format(chart->buf, "V%.1fH%d", chart->bottom, TD_SIM_PLOT_LEFT);
    } else {
        td_sim__chart_stair(chart, true, stacked, &lower);
    }
    td_buf_append_lit(chart->buf, "Z\"/>");
}

static void draw_line(td_sim_chart *chart, double (*value_of)(const void *, uint32_t), const void *context,
                      const char *class_name)
{
    td_buf_append_format(chart->buf, "<path class=\"line %s\" d=\"", class_name);
    td_sim__chart_stair(chart, false, value_of, context);
    td_buf_append_lit(chart->buf, "\"/>");
}

/* A mark on the time axis for each split and action; its text is a tooltip. */
static void draw_events(td_sim_chart *chart, uint32_t place)
{
    for (uint32_t i = 0; i < chart->record->event_count; i++) {
        const td_sim_event *event = &chart->record->events[i];
        if (event->place != place && event->place != UINT32_MAX) continue;
        char clock[TD_SIM_FIGURE_BYTES];
        const char *class_name = event->is_split ? "e-split" : event->is_veto ? "e-veto" : "e-action";
        td_buf_append_format(chart->buf, "<path class=\"%s\" d=\"M", class_name);
        td_sim__chart_number(chart->buf, td_sim__chart_x(chart, event->at_us));
        td_buf_append_format(chart->buf, " %.1fl4 7h-8z\"><title>%s ", chart->bottom - 8,
                             td_sim__clock(event->at_us, clock));
        td_sim__append_html(chart->buf, event->text);
        td_buf_append_lit(chart->buf, "</title></path>");
    }
}

static void draw_time_axis(td_sim_chart *chart)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    double seconds = (double)chart->record->duration_us / (double)TD_US_PER_S;
    size_t unit = seconds <= 180 ? 0 : seconds <= 3 * 3600 ? 1 : 2;
    double length = seconds / units[unit].seconds;
    double step = td_sim__nice_step(length, 12);
    if (unit == 1 && step == 20) step = 15;
    td_buf_append_format(chart->buf, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>", TD_SIM_PLOT_LEFT, chart->bottom,
                         TD_SIM_PLOT_RIGHT);
    for (double at = 0; at <= length * 1.0001; at += step) {
        double x = td_sim__chart_x(chart, (td_time_us)(at * units[unit].seconds * (double)TD_US_PER_S));
        td_buf_append_format(
            chart->buf, "<path class=\"axis\" d=\"M%.1f %.1fv4\"/><text class=\"time\" x=\"%.1f\" y=\"%.1f\">%g</text>",
            x, chart->bottom, x, chart->bottom + 17, at);
    }
    td_buf_append_format(chart->buf, "<text class=\"time\" x=\"%d\" y=\"%.1f\">time (%s)</text>",
                         (TD_SIM_PLOT_LEFT + TD_SIM_PLOT_RIGHT) / 2, chart->bottom + 33, units[unit].name);
}

/* A line where a phase begins, and its name when there is room for it. */
static void draw_phases(td_sim_chart *chart)
{
    const td_sim_scenario *scenario = chart->record->scenario;
    td_time_us begins_us = 0;
    for (uint32_t i = 0; i < chart->record->phase_count && chart->record->phase_count > 1; i++) {
        double x = td_sim__chart_x(chart, begins_us);
        begins_us += scenario->phases[i].duration_us;
        double room = fmin(td_sim__chart_x(chart, begins_us), TD_SIM_PLOT_RIGHT) - x;
        if (i > 0) {
            td_buf_append_format(chart->buf, "<path class=\"phase\" d=\"M%.1f %dV%.1f\"/>", x, TD_SIM_PLOT_TOP - 14,
                                 chart->bottom);
        }
        td_slice name = scenario->phases[i].name;
        double needed = 7.0 * (double)name.len + (i == 0 ? 100 : 8);
        if (name.len == 0 || needed > room) continue;
        td_buf_append_format(chart->buf, "<text class=\"name\" x=\"%.1f\" y=\"12\">", x + (i == 0 ? 60 : 5));
        td_sim__append_html(chart->buf, name);
        td_buf_append_lit(chart->buf, "</text>");
    }
}
