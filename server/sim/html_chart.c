/* SPDX-License-Identifier: Apache-2.0
 * html_chart.c: curves over time: load, partitions, what is left of the burst; see report.h. */
#include "report.h"

#include <math.h>

#include "page/figures.h"
#include "page/plot.h"

#define LOAD_HEIGHT 300
#define SMALL_HEIGHT 170

/* What the stairs of a place show. */
typedef struct stair {
    const td_sim_record *record;
    const td_sim_place *place;
    int layers;    /* accepted and so many causes, one upon the other */
    int direction; /* of a balance */
} stair;

/* A picture of the record's whole time. */
typedef struct chart {
    const td_sim_record *record;
    td_page_plot plot;
} chart;

static void begin_chart(chart *picture, const td_sim_record *record, td_buf *buf, const char *label, int height,
                        double max, const char *unit);
static void end_chart(const chart *picture);
static void draw_stair(const chart *picture, bool is_backward, double (*value_of)(const void *context, uint32_t bucket),
                       const void *context);
static double per_second(const td_sim_record *record, uint32_t bucket, uint64_t count);
static double stacked(const void *context, uint32_t bucket);
static double partitions(const void *context, uint32_t bucket);
static double balance(const void *context, uint32_t bucket);
static double largest(const td_sim_record *record, double (*value_of)(const void *, uint32_t), const void *context);
static void draw_layer(chart *picture, const stair *upper, const char *class_name);
static void draw_line(chart *picture, double (*value_of)(const void *, uint32_t), const void *context,
                      const char *class_name);
static void draw_events(chart *picture, uint32_t place);

void td_sim__draw_load(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    static const char *const classes[TD_SIM_CAUSE_COUNT] = {"c-prov", "c-range", "c-account", "c-max", "c-index"};
    stair all = {.record = record, .place = place, .layers = TD_SIM_CAUSE_COUNT};
    chart picture;
    begin_chart(&picture, record, buf, "Operations a second over time, accepted and throttled", LOAD_HEIGHT,
                largest(record, stacked, &all), "operations / s");
    stair accepted = {.record = record, .place = place};
    draw_layer(&picture, &accepted, "c-accepted");
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++) {
        stair layer = {.record = record, .place = place, .layers = i + 1};
        if (place->total.throttled[i] > 0) draw_layer(&picture, &layer, classes[i]);
    }
    draw_line(&picture, stacked, &all, "l-offered");
    end_chart(&picture);
}

void td_sim__draw_partitions(const td_sim_record *record, uint32_t place, td_buf *buf)
{
    stair it = {.record = record, .place = &record->places[place]};
    chart picture;
    begin_chart(&picture, record, buf, "Partitions over time", SMALL_HEIGHT, largest(record, partitions, &it),
                "partitions");
    draw_line(&picture, partitions, &it, "l-partitions");
    draw_events(&picture, place);
    end_chart(&picture);
}

void td_sim__draw_balance(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    stair read = {.record = record, .place = place, .direction = TD_READ};
    stair write = {.record = record, .place = place, .direction = TD_WRITE};
    bool has_read = place->total.consumed[TD_READ] > 0;
    bool has_write = place->total.consumed[TD_WRITE] > 0;
    double max_read = has_read ? largest(record, balance, &read) : 0;
    double max_write = has_write ? largest(record, balance, &write) : 0;
    chart picture;
    begin_chart(&picture, record, buf, "Units left of the burst over time", SMALL_HEIGHT, fmax(max_read, max_write),
                "units");
    if (has_read) draw_line(&picture, balance, &read, "l-read");
    if (has_write) draw_line(&picture, balance, &write, "l-write");
    end_chart(&picture);
}

void td_sim__draw_phases(const td_sim_record *record, const td_page_plot *plot)
{
    const td_sim_scenario *scenario = record->scenario;
    td_time_us begins_us = 0;
    for (uint32_t i = 0; i < record->phase_count && record->phase_count > 1; i++) {
        double x = td_page_plot_x(plot, begins_us);
        begins_us += scenario->phases[i].duration_us;
        double room = fmin(td_page_plot_x(plot, begins_us), TD_PAGE_PLOT_RIGHT) - x;
        if (i > 0) {
            td_buf_append_format(plot->buf, "<path class=\"phase\" d=\"M%.1f %dV%.1f\"/>", x, TD_PAGE_PLOT_TOP - 14,
                                 plot->bottom);
        }
        td_slice name = scenario->phases[i].name;
        double needed = 7.0 * (double)name.len + (i == 0 ? 100 : 8);
        if (name.len == 0 || needed > room) continue;
        td_buf_append_format(plot->buf, "<text class=\"name\" x=\"%.1f\" y=\"12\">", x + (i == 0 ? 60 : 5));
        td_page_append_html(plot->buf, name);
        td_buf_append_lit(plot->buf, "</text>");
    }
}

static void begin_chart(chart *picture, const td_sim_record *record, td_buf *buf, const char *label, int height,
                        double max, const char *unit)
{
    picture->record = record;
    td_page_plot_begin(&picture->plot, buf, record->duration_us, label, height, max, unit);
}

static void end_chart(const chart *picture)
{
    td_sim__draw_phases(picture->record, &picture->plot);
    td_page_plot_end(&picture->plot);
}

/* The path of a stair with one step for each bucket: `value_of(context, bucket)`. It begins with 'M', or with 'L' when
 * it goes on from another path; backwards: from the last bucket to the first. */
static void draw_stair(const chart *picture, bool is_backward, double (*value_of)(const void *context, uint32_t bucket),
                       const void *context)
{
    const td_sim_record *record = picture->record;
    td_buf *buf = picture->plot.buf;
    double last_y = -1;
    for (uint32_t i = 0; i < record->bucket_count; i++) {
        uint32_t bucket = is_backward ? record->bucket_count - 1 - i : i;
        td_time_us begins_us = bucket == 0 ? 0 : td_sim__bucket_end_us(record, bucket - 1);
        td_time_us ends_us = td_sim__bucket_end_us(record, bucket);
        double y = td_page_plot_y(&picture->plot, value_of(context, bucket));
        if (i > 0 && llround(y * 10) == llround(last_y * 10)) continue;
        td_buf_append_byte(buf, i > 0 ? 'H' : is_backward ? 'L' : 'M');
        td_page_plot_number(buf, td_page_plot_x(&picture->plot, is_backward ? ends_us : begins_us));
        td_buf_append_byte(buf, i > 0 ? 'V' : ' ');
        td_page_plot_number(buf, y);
        last_y = y;
    }
    td_buf_append_byte(buf, 'H');
    td_page_plot_number(buf, is_backward ? TD_PAGE_PLOT_LEFT : TD_PAGE_PLOT_RIGHT);
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
static void draw_layer(chart *picture, const stair *upper, const char *class_name)
{
    stair lower = *upper;
    lower.layers--;
    td_buf_append_format(picture->plot.buf, "<path class=\"%s\" d=\"", class_name);
    draw_stair(picture, false, stacked, upper);
    if (upper->layers == 0) {
        td_buf_append_format(picture->plot.buf, "V%.1fH%d", picture->plot.bottom, TD_PAGE_PLOT_LEFT);
    } else {
        draw_stair(picture, true, stacked, &lower);
    }
    td_buf_append_lit(picture->plot.buf, "Z\"/>");
}

static void draw_line(chart *picture, double (*value_of)(const void *, uint32_t), const void *context,
                      const char *class_name)
{
    td_buf_append_format(picture->plot.buf, "<path class=\"line %s\" d=\"", class_name);
    draw_stair(picture, false, value_of, context);
    td_buf_append_lit(picture->plot.buf, "\"/>");
}

/* A mark on the time axis for each split and action; its text is a tooltip. */
static void draw_events(chart *picture, uint32_t place)
{
    for (uint32_t i = 0; i < picture->record->event_count; i++) {
        const td_sim_event *event = &picture->record->events[i];
        if (event->place != place && event->place != UINT32_MAX) continue;
        char clock[TD_PAGE_FIGURE_BYTES];
        const char *class_name = event->is_split ? "e-split" : event->is_veto ? "e-veto" : "e-action";
        td_buf_append_format(picture->plot.buf, "<path class=\"%s\" d=\"M", class_name);
        td_page_plot_number(picture->plot.buf, td_page_plot_x(&picture->plot, event->at_us));
        td_buf_append_format(picture->plot.buf, " %.1fl4 7h-8z\"><title>%s ", picture->plot.bottom - 8,
                             td_page_clock(event->at_us, clock));
        td_page_append_html(picture->plot.buf, event->text);
        td_buf_append_lit(picture->plot.buf, "</title></path>");
    }
}
