/* SPDX-License-Identifier: Apache-2.0
 * heat.c: see heat.h. */
#include "heat.h"

#include <math.h>

#include "figures.h"

#define SHADES 8
#define PLOT_HEIGHT 256
#define AXIS_HEIGHT 40

static const char *const titles[TD_HEAT_METRIC_COUNT] = {[TD_HEAT_READ] = "Read units consumed",
                                                         [TD_HEAT_WRITE] = "Write units consumed",
                                                         [TD_HEAT_THROTTLE] = "Requests throttled"};

static void draw_cells(const td_page_plot *plot, const td_page_heat *heat, double top);
static void draw_shade(const td_page_plot *plot, const td_page_heat *heat, double top, int shade);
static int shade_of(double share);
static double top_of(const td_page_heat *heat);
static void draw_borders(const td_page_plot *plot, const td_page_heat *heat);
static void draw_key(double top, double cap, td_buf *buf);

void td_page_heat_begin(td_page_plot *plot, const td_page_heat *heat, td_buf *buf)
{
    const char *title = titles[heat->metric];
    double top = top_of(heat);
    td_buf_append_format(buf, "<figure><figcaption><b>%s</b> by place in the key space", title);
    draw_key(top, heat->cap, buf);
    td_buf_append_lit(buf, "</figcaption>\n");
    *plot = (td_page_plot){
        .buf = buf, .duration_us = heat->duration_us, .bottom = TD_PAGE_PLOT_TOP + PLOT_HEIGHT, .max = 1};
    td_buf_append_format(buf, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Heat map: %s\">",
                         TD_PAGE_PLOT_WIDTH, TD_PAGE_PLOT_TOP + PLOT_HEIGHT + AXIS_HEIGHT, title);
    td_buf_append_lit(buf, "<text class=\"unit\" x=\"4\" y=\"12\">key space</text>");
    for (int i = 0; i <= 4; i++) {
        td_buf_append_format(buf, "<text class=\"tick\" x=\"%d\" y=\"%d\">%d %%</text>", TD_PAGE_PLOT_LEFT - 8,
                             TD_PAGE_PLOT_TOP + PLOT_HEIGHT * i / 4 + 4, 25 * i);
    }
    td_buf_append_format(buf, "<path class=\"h-none\" d=\"M%d %dH%dV%dH%dZ\"/>", TD_PAGE_PLOT_LEFT, TD_PAGE_PLOT_TOP,
                         TD_PAGE_PLOT_RIGHT, TD_PAGE_PLOT_TOP + PLOT_HEIGHT, TD_PAGE_PLOT_LEFT);
    draw_cells(plot, heat, top);
    draw_borders(plot, heat);
}

void td_page_heat_end(const td_page_plot *plot)
{
    td_page_plot_end(plot);
    td_buf_append_lit(plot->buf, "</figure>\n");
}

static void draw_cells(const td_page_plot *plot, const td_page_heat *heat, double top)
{
    double column_s = (double)heat->map->column_us / (double)TD_US_PER_S;
    for (int shade = 1; shade <= SHADES; shade++)
        draw_shade(plot, heat, top * (double)TD_UNITS_ONE * column_s, shade);
}

/* Neighbours of a row are one rectangle. */
static void draw_shade(const td_page_plot *plot, const td_page_heat *heat, double top, int shade)
{
    const td_heatmap *map = heat->map;
    double height = (double)PLOT_HEIGHT / map->row_count;
    td_buf_append_format(plot->buf, "<path class=\"h%d\" d=\"", shade);
    for (uint32_t row = 0; row < map->row_count; row++) {
        const td_units *cells = map->cells + (size_t)row * map->column_count;
        for (uint32_t column = 0; column < map->column_count; column++) {
            if (shade_of((double)cells[column] / top) != shade) continue;
            uint32_t end = column + 1;
            while (end < map->column_count && shade_of((double)cells[end] / top) == shade) {
                end++;
            }
            double x = td_page_plot_x(plot, map->from_us + column * map->column_us - heat->start_us);
            double x_end = td_page_plot_x(plot, map->from_us + end * map->column_us - heat->start_us);
            x = fmax(x, TD_PAGE_PLOT_LEFT);
            x_end = fmin(x_end, TD_PAGE_PLOT_RIGHT);
            column = end - 1;
            if (x_end <= x) continue;
            td_buf_append_byte(plot->buf, 'M');
            td_page_plot_number(plot->buf, x);
            td_buf_append_byte(plot->buf, ' ');
            td_page_plot_number(plot->buf, TD_PAGE_PLOT_TOP + row * height);
            td_buf_append_byte(plot->buf, 'H');
            td_page_plot_number(plot->buf, x_end);
            td_buf_append_byte(plot->buf, 'v');
            td_page_plot_number(plot->buf, height);
            td_buf_append_byte(plot->buf, 'H');
            td_page_plot_number(plot->buf, x);
            td_buf_append_byte(plot->buf, 'Z');
        }
    }
    td_buf_append_lit(plot->buf, "\"/>");
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
static double top_of(const td_page_heat *heat)
{
    double column_s = (double)heat->map->column_us / (double)TD_US_PER_S;
    double most = (double)heat->map->max / (double)TD_UNITS_ONE / column_s;
    return fmax(most, heat->cap);
}

static void draw_borders(const td_page_plot *plot, const td_page_heat *heat)
{
    td_buf_append_lit(plot->buf, "<path class=\"border\" d=\"");
    for (uint32_t i = 0; i < heat->border_count; i++) {
        const td_page_border *border = &heat->borders[i];
        if (border->share <= 0) continue;
        td_buf_append_byte(plot->buf, 'M');
        td_page_plot_number(plot->buf, td_page_plot_x(plot, border->since_us));
        td_buf_append_byte(plot->buf, ' ');
        td_page_plot_number(plot->buf, TD_PAGE_PLOT_TOP + border->share * PLOT_HEIGHT);
        td_buf_append_format(plot->buf, "H%d", TD_PAGE_PLOT_RIGHT);
    }
    td_buf_append_lit(plot->buf, "\"/>");
}

/* From cool to hot, with the value of the last shade. cap 0: there is no limit to compare with. */
static void draw_key(double top, double cap, td_buf *buf)
{
    char text[TD_PAGE_FIGURE_BYTES];
    td_buf_append_lit(buf, "<span class=\"scale\">0 ");
    for (int i = 1; i <= SHADES; i++)
        td_buf_append_format(buf, "<i class=\"b%d\"></i>", i);
    td_buf_append_format(buf, " %s / s", td_page_short(top, text));
    if (cap > 0 && cap < top) {
        td_buf_append_format(buf, "; one partition serves %s", td_page_short(cap, text));
    } else if (cap > 0) {
        td_buf_append_lit(buf, ": what one partition serves");
    }
    td_buf_append_lit(buf, "</span>");
}
