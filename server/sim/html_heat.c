/* SPDX-License-Identifier: MIT
 * html_heat.c: heat maps: time from left to right, the key space from top to bottom, and the borders of partitions
 * since they are there; see report.h. Cells of one shade are one path, which keeps pages small. */
#include <math.h>

#include "figures.h"
#include "html_chart.h"
#include "report.h"

#define SHADES 8
#define PLOT_HEIGHT 256
#define AXIS_HEIGHT 40

static const char *const titles[TD_HEAT_METRIC_COUNT] = {[TD_HEAT_READ] = "Read units consumed",
                                                         [TD_HEAT_WRITE] = "Write units consumed",
                                                         [TD_HEAT_THROTTLE] = "Requests throttled"};

static void draw_map(const td_sim_record *record, const td_sim_place *place, td_heat_metric metric, td_buf *buf);
static void draw_cells(td_sim_chart *chart, const td_heatmap *map, double top);
static void draw_shade(td_sim_chart *chart, const td_heatmap *map, double top, int shade);
static int shade_of(double share);
static double top_of(const td_sim_record *record, const td_sim_place *place, td_heat_metric metric);
static void draw_borders(td_sim_chart *chart, const td_sim_place *place);
static void draw_key(double top, double cap, td_buf *buf);
static double cap_of(const td_sim_record *record, td_heat_metric metric);

void td_sim__draw_heat(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    for (int metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        if (place->heat[metric].row_count > 0) draw_map(record, place, (td_heat_metric)metric, buf);
    }
}

static void draw_map(const td_sim_record *record, const td_sim_place *place, td_heat_metric metric, td_buf *buf)
{
    const td_heatmap *map = &place->heat[metric];
    double top = top_of(record, place, metric);
    td_buf_append_format(buf, "<figure><figcaption><b>%s</b> by place in the key space", titles[metric]);
    draw_key(top, cap_of(record, metric), buf);
    td_buf_append_lit(buf, "</figcaption>\n");
    td_sim_chart chart = {.record = record, .buf = buf, .bottom = TD_SIM_PLOT_TOP + PLOT_HEIGHT, .max = 1};
    td_buf_append_format(buf, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Heat map: %s\">",
                         TD_SIM_CHART_WIDTH, TD_SIM_PLOT_TOP + PLOT_HEIGHT + AXIS_HEIGHT, titles[metric]);
    td_buf_append_lit(buf, "<text class=\"unit\" x=\"4\" y=\"12\">key space</text>");
    for (int i = 0; i <= 4; i++) {
        td_buf_append_format(buf, "<text class=\"tick\" x=\"%d\" y=\"%d\">%d %%</text>", TD_SIM_PLOT_LEFT - 8,
                             TD_SIM_PLOT_TOP + PLOT_HEIGHT * i / 4 + 4, 25 * i);
    }
    td_buf_append_format(buf, "<path class=\"h-none\" d=\"M%d %dH%dV%dH%dZ\"/>", TD_SIM_PLOT_LEFT, TD_SIM_PLOT_TOP,
                         TD_SIM_PLOT_RIGHT, TD_SIM_PLOT_TOP + PLOT_HEIGHT, TD_SIM_PLOT_LEFT);
    draw_cells(&chart, map, top);
    draw_borders(&chart, place);
    td_sim__chart_end(&chart);
    td_buf_append_lit(buf, "</figure>\n");
}

static void draw_cells(td_sim_chart *chart, const td_heatmap *map, double top)
{
    double column_s = (double)map->column_us / (double)TD_US_PER_S;
    for (int shade = 1; shade <= SHADES; shade++)
        draw_shade(chart, map, top * (double)TD_UNITS_ONE * column_s, shade);
}

/* Neighbours of a row are one rectangle. */
static void draw_shade(td_sim_chart *chart, const td_heatmap *map, double top, int shade)
{
    td_time_us start_us = chart->record->start_us;
    double height = (double)PLOT_HEIGHT / map->row_count;
    td_buf_append_format(chart->buf, "<path class=\"h%d\" d=\"", shade);
    for (uint32_t row = 0; row < map->row_count; row++) {
        const td_units *cells = map->cells + (size_t)row * map->column_count;
        for (uint32_t column = 0; column < map->column_count; column++) {
            if (shade_of((double)cells[column] / top) != shade) continue;
            uint32_t end = column + 1;
            while (end < map->column_count && shade_of((double)cells[end] / top) == shade) {
                end++;
            }
            double x = td_sim__chart_x(chart, map->from_us + column * map->column_us - start_us);
            double x_end = td_sim__chart_x(chart, map->from_us + end * map->column_us - start_us);
            x = fmax(x, TD_SIM_PLOT_LEFT);
            x_end = fmin(x_end, TD_SIM_PLOT_RIGHT);
            column = end - 1;
            if (x_end <= x) continue;
            td_buf_append_byte(chart->buf, 'M');
            td_sim__chart_number(chart->buf, x);
            td_buf_append_byte(chart->buf, ' ');
            td_sim__chart_number(chart->buf, TD_SIM_PLOT_TOP + row * height);
            td_buf_append_byte(chart->buf, 'H');
            td_sim__chart_number(chart->buf, x_end);
            td_buf_append_byte(chart->buf, 'v');
            td_sim__chart_number(chart->buf, height);
            td_buf_append_byte(chart->buf, 'H');
            td_sim__chart_number(chart->buf, x);
            td_buf_append_byte(chart->buf, 'Z');
        }
    }
    td_buf_append_lit(chart->buf, "\"/>");
}

/* 0: nothing at all; 1 to SHADES by square root, so that the cooler places can still be told apart. */
static int shade_of(double share)
{
    if (share <= 0) return 0;
    int shade = (int)ceil(sqrt(share) * SHADES);
    return shade < 1 ? 1 : shade > SHADES ? SHADES : shade;
}

/* A second's worth that has the last shade: what one partition serves, so that even load looks cool and a hot key hot
 * in every picture; or more, when a cell has more. Of throttles: the most there were. */
static double top_of(const td_sim_record *record, const td_sim_place *place, td_heat_metric metric)
{
    const td_heatmap *map = &place->heat[metric];
    double column_s = (double)map->column_us / (double)TD_US_PER_S;
    double most = (double)map->max / (double)TD_UNITS_ONE / column_s;
    return fmax(most, cap_of(record, metric));
}

static double cap_of(const td_sim_record *record, td_heat_metric metric)
{
    if (metric == TD_HEAT_THROTTLE) return 0;
    return record->partition_caps[metric == TD_HEAT_READ ? TD_READ : TD_WRITE];
}

static void draw_borders(td_sim_chart *chart, const td_sim_place *place)
{
    td_buf_append_lit(chart->buf, "<path class=\"border\" d=\"");
    for (uint32_t i = 0; i < place->border_count; i++) {
        const td_sim_border *border = &place->borders[i];
        if (border->share <= 0) continue;
        td_buf_append_byte(chart->buf, 'M');
        td_sim__chart_number(chart->buf, td_sim__chart_x(chart, border->since_us));
        td_buf_append_byte(chart->buf, ' ');
        td_sim__chart_number(chart->buf, TD_SIM_PLOT_TOP + border->share * PLOT_HEIGHT);
        td_buf_append_format(chart->buf, "H%d", TD_SIM_PLOT_RIGHT);
    }
    td_buf_append_lit(chart->buf, "\"/>");
}

/* From cool to hot, with the value of the last shade. cap 0: there is no limit to compare with. */
static void draw_key(double top, double cap, td_buf *buf)
{
    char text[TD_SIM_FIGURE_BYTES];
    td_buf_append_lit(buf, "<span class=\"scale\">0 ");
    for (int i = 1; i <= SHADES; i++)
        td_buf_append_format(buf, "<i class=\"b%d\"></i>", i);
    td_buf_append_format(buf, " %s / s", td_sim__short(top, text));
    if (cap > 0 && cap < top) {
        td_buf_append_format(buf, "; one partition serves %s", td_sim__short(cap, text));
    } else if (cap > 0) {
        td_buf_append_lit(buf, ": what one partition serves");
    }
    td_buf_append_lit(buf, "</span>");
}
