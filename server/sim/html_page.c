/* SPDX-License-Identifier: Apache-2.0
 * html_page.c: a run as one page: story, figures, curves, heat maps and tables; see report.h. */
#include "page/figures.h"
#include "page/page.h"
#include "report.h"

static const struct {
    const char *colour;
    td_sim_cause cause;
} causes[] = {{"range", (td_sim_cause)TD_LIMITED_BY_KEY_RANGE},
              {"prov", (td_sim_cause)TD_LIMITED_BY_PROVISIONED},
              {"account", (td_sim_cause)TD_LIMITED_BY_ACCOUNT},
              {"max", (td_sim_cause)TD_LIMITED_BY_MAX_ON_DEMAND},
              {"index", TD_SIM_BY_INDEX}};

static void write_head(const td_sim_record *record, td_buf *buf);
static void write_tiles(const td_sim_record *record, td_buf *buf);
static void write_place(const td_sim_record *record, uint32_t place, td_buf *buf);
static void write_load_legend(const td_sim_place *place, td_buf *buf);
static void write_legend(td_buf *buf, const char *colour, const char *name, uint64_t count, uint64_t of);
static void write_phases(const td_sim_record *record, td_buf *buf);
static void write_phase_row(const td_sim_record *record, uint32_t phase, const td_sim_place *place, td_buf *buf);
static void write_hot_keys(const td_sim_place *place, td_buf *buf);
static void write_rows(const td_sim_record *record, const td_sim_place *place, td_buf *buf);
static void write_events(const td_sim_record *record, td_buf *buf);
static void write_cell(td_buf *buf, uint64_t number);
static void write_place_name(const td_sim_place *place, td_buf *buf);

void td_sim__write_html(const td_sim_record *record, td_buf *buf)
{
    write_head(record, buf);
    write_tiles(record, buf);
    write_phases(record, buf);
    for (uint32_t i = 0; i < record->place_count; i++) {
        if (record->places[i].total.offered > 0) write_place(record, i, buf);
    }
    write_events(record, buf);
    td_page_end(buf, "thermodyn " TD_VERSION ", simulate. The same scenario and seed give the same page.");
}

static void write_head(const td_sim_record *record, td_buf *buf)
{
    const td_sim_scenario *scenario = record->scenario;
    char figure[TD_PAGE_FIGURE_BYTES];
    td_page_begin(buf, scenario->name);
    td_buf_append_format(buf, "<p class=\"facts\">%s of virtual time, seed %llu",
                         td_page_duration(record->duration_us, figure), (unsigned long long)scenario->seed);
    if (scenario->preset.len > 0) {
        td_buf_append_lit(buf, ", preset ");
        td_page_append_html(buf, scenario->preset);
    }
    if (record->scale != 1) td_buf_append_format(buf, ", all rates multiplied by %g", record->scale);
    td_buf_append_lit(buf, "</p>\n<div class=\"story\">");
    for (uint32_t i = 0; i < scenario->story_count; i++) {
        td_buf_append_lit(buf, "<p>");
        td_page_append_html(buf, scenario->story[i]);
        td_buf_append_lit(buf, "</p>");
    }
    td_buf_append_lit(buf, "</div>\n");
}

/* Of all tables together; what was sent to an index counts too. */
static void write_tiles(const td_sim_record *record, td_buf *buf)
{
    uint64_t offered = 0;
    uint64_t throttled = 0;
    uint64_t splits = 0;
    for (uint32_t i = 0; i < record->place_count; i++) {
        const td_sim_place *place = &record->places[i];
        for (uint32_t j = 0; j < record->phase_count; j++)
            splits += place->phases[j].splits;
        if (place->index.len > 0) continue;
        offered += place->total.offered;
        throttled += td_sim__throttled(&place->total);
    }
    char figure[TD_PAGE_FIGURE_BYTES];
    td_buf_append_lit(buf, "<div class=\"tiles\">");
    td_page_write_tile(buf, td_page_grouped(offered, figure), "operations on tables");
    td_buf_append_format(buf, "<div class=\"tile\"><b>%s</b><span>throttled, %.1f %%</span></div>",
                         td_page_grouped(throttled, figure), td_page_percent(throttled, offered));
    td_page_write_tile(buf, td_page_grouped(splits, figure), "partitions split");
    td_buf_append_lit(buf, "</div>\n");
}

static void write_place(const td_sim_record *record, uint32_t place, td_buf *buf)
{
    const td_sim_place *it = &record->places[place];
    bool is_provisioned = it->billing == TD_BILLING_PROVISIONED;
    td_buf_append_lit(buf, "<h2>");
    write_place_name(it, buf);
    td_buf_append_format(buf, " <small>%s</small></h2>\n<figure><figcaption><b>Operations a second</b>",
                         is_provisioned ? "provisioned" : "on-demand");
    write_load_legend(it, buf);
    td_buf_append_lit(buf, "</figcaption>\n");
    td_sim__draw_load(record, it, buf);
    td_buf_append_lit(buf, "</figure>\n<figure><figcaption><b>Partitions</b>"
                           "<span class=\"legend\"><i style=\"background:var(--split)\"></i>split</span>"
                           "<span class=\"legend\"><i style=\"background:var(--range)\"></i>not split</span>"
                           "<span class=\"legend\"><i style=\"background:var(--account)\"></i>action</span>"
                           "</figcaption>\n");
    td_sim__draw_partitions(record, place, buf);
    td_buf_append_lit(buf, "</figure>\n");
    if (is_provisioned) {
        td_buf_append_lit(buf, "<figure><figcaption><b>Units left of the burst</b>"
                               "<span class=\"legend\"><i style=\"background:var(--accepted)\"></i>read</span>"
                               "<span class=\"legend\"><i style=\"background:var(--range)\"></i>write</span>"
                               "</figcaption>\n");
        td_sim__draw_balance(record, it, buf);
        td_buf_append_lit(buf, "</figure>\n");
    }
    td_sim__draw_heat(record, it, buf);
    write_hot_keys(it, buf);
    write_rows(record, it, buf);
}

static void write_load_legend(const td_sim_place *place, td_buf *buf)
{
    char figure[TD_PAGE_FIGURE_BYTES];
    const td_sim_counts *total = &place->total;
    td_buf_append_format(buf, "<span class=\"legend\"><i class=\"dash\"></i>offered %s</span>",
                         td_page_grouped(total->offered, figure));
    write_legend(buf, "accepted", "accepted", total->accepted, total->offered);
    for (size_t i = 0; i < TD_COUNT_OF(causes); i++) {
        uint64_t count = total->throttled[causes[i].cause];
        if (count > 0) write_legend(buf, causes[i].colour, td_sim_cause_names[causes[i].cause], count, total->offered);
    }
}

static void write_legend(td_buf *buf, const char *colour, const char *name, uint64_t count, uint64_t of)
{
    char figure[TD_PAGE_FIGURE_BYTES];
    td_buf_append_format(buf, "<span class=\"legend\"><i style=\"background:var(--%s)\"></i>%s %s (%.1f %%)</span>",
                         colour, name, td_page_grouped(count, figure), td_page_percent(count, of));
}

static void write_phases(const td_sim_record *record, td_buf *buf)
{
    td_buf_append_lit(buf,
                      "<div class=\"scroll\"><table><tr><th class=\"l\">phase</th><th class=\"l\">table or index</th>"
                      "<th>offered</th><th>accepted</th><th>throttled</th><th>%</th><th>read units</th>"
                      "<th>write units</th><th>partitions</th><th>splits</th></tr>\n");
    for (uint32_t i = 0; i < record->phase_count; i++) {
        for (uint32_t j = 0; j < record->place_count; j++)
            write_phase_row(record, i, &record->places[j], buf);
    }
    td_buf_append_lit(buf, "</table></div>\n");
}

static void write_phase_row(const td_sim_record *record, uint32_t phase, const td_sim_place *place, td_buf *buf)
{
    const td_sim_phase_sum *sum = &place->phases[phase];
    uint64_t throttled = td_sim__throttled(&sum->counts);
    td_slice name = record->scenario->phases[phase].name;
    td_buf_append_lit(buf, "<tr><td class=\"l\">");
    if (name.len == 0) td_buf_append_format(buf, "%u", (unsigned)(phase + 1));
    td_page_append_html(buf, name);
    td_buf_append_lit(buf, "</td><td class=\"l\">");
    write_place_name(place, buf);
    td_buf_append_lit(buf, "</td>");
    write_cell(buf, sum->counts.offered);
    write_cell(buf, sum->counts.accepted);
    write_cell(buf, throttled);
    td_buf_append_format(buf, "<td>%.1f</td>", td_page_percent(throttled, sum->counts.offered));
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        write_cell(buf, (uint64_t)(sum->counts.consumed[i] / TD_UNITS_ONE));
    if (sum->partitions_before == sum->partitions_after) {
        td_buf_append_format(buf, "<td>%u</td>", (unsigned)sum->partitions_after);
    } else {
        td_buf_append_format(buf, "<td>%u → %u</td>", (unsigned)sum->partitions_before,
                             (unsigned)sum->partitions_after);
    }
    write_cell(buf, sum->splits);
    td_buf_append_lit(buf, "</tr>\n");
}

static void write_hot_keys(const td_sim_place *place, td_buf *buf)
{
    if (place->hot_key_count == 0) return;
    td_buf_append_lit(buf,
                      "<div class=\"scroll\"><table><tr><th class=\"l\">hottest keys</th><th>share of the units</th>"
                      "<th class=\"l\"></th></tr>\n");
    for (uint32_t i = 0; i < place->hot_key_count; i++) {
        const td_sim_hot_key *key = &place->hot_keys[i];
        td_buf_append_lit(buf, "<tr><td class=\"l\">");
        td_page_append_html(buf, key->text);
        td_buf_append_format(buf, "</td><td>%.1f %%</td><td class=\"l\">%s</td></tr>\n", key->share * 100,
                             key->is_over_limit ? "asks for more than one partition serves" : "");
    }
    td_buf_append_lit(buf, "</table></div>\n");
}

/* The curves in numbers: sixty rows at most; the files of --csv have all. */
static void write_rows(const td_sim_record *record, const td_sim_place *place, td_buf *buf)
{
    uint32_t step = (record->bucket_count + 59) / 60;
    td_buf_append_lit(buf,
                      "<details><summary>The same in numbers</summary><div class=\"scroll\"><table><tr><th>from</th>"
                      "<th>offered</th><th>accepted</th><th>throttled</th>");
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++) {
        if (place->total.throttled[i] > 0) td_buf_append_format(buf, "<th>%s</th>", td_sim_cause_names[i]);
    }
    td_buf_append_lit(buf, "<th>partitions</th></tr>\n");
    for (uint32_t first = 0; first < record->bucket_count; first += step) {
        td_sim_counts sum = {.offered = 0};
        uint32_t bucket = first;
        for (; bucket < first + step && bucket < record->bucket_count; bucket++) {
            const td_sim_counts *counts = &place->samples[bucket].counts;
            sum.offered += counts->offered;
            sum.accepted += counts->accepted;
            for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++)
                sum.throttled[i] += counts->throttled[i];
        }
        char clock[TD_PAGE_FIGURE_BYTES];
        td_buf_append_format(buf, "<tr><td>%s</td>", td_page_clock(first * record->bucket_us, clock));
        write_cell(buf, sum.offered);
        write_cell(buf, sum.accepted);
        write_cell(buf, td_sim__throttled(&sum));
        for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++) {
            if (place->total.throttled[i] > 0) write_cell(buf, sum.throttled[i]);
        }
        write_cell(buf, place->samples[bucket - 1].partitions);
        td_buf_append_lit(buf, "</tr>\n");
    }
    td_buf_append_lit(buf, "</table></div></details>\n");
}

static void write_events(const td_sim_record *record, td_buf *buf)
{
    if (record->event_count == 0) return;
    td_buf_append_format(buf,
                         "<h2>What happened</h2><details><summary>%u splits, vetoes and actions</summary>"
                         "<div class=\"scroll\"><table><tr><th>time</th><th class=\"l\">table or index</th>"
                         "<th class=\"l\">event</th></tr>\n",
                         (unsigned)record->event_count);
    for (uint32_t i = 0; i < record->event_count; i++) {
        const td_sim_event *event = &record->events[i];
        char clock[TD_PAGE_FIGURE_BYTES];
        td_buf_append_format(buf, "<tr><td>%s</td><td class=\"l\">", td_page_clock(event->at_us, clock));
        if (event->place != UINT32_MAX) write_place_name(&record->places[event->place], buf);
        td_buf_append_lit(buf, "</td><td class=\"l wrap\">");
        td_page_append_html(buf, event->text);
        td_buf_append_lit(buf, "</td></tr>\n");
    }
    td_buf_append_lit(buf, "</table></div></details>\n");
    if (record->events_left_out > 0) {
        td_buf_append_format(buf, "<p class=\"facts\">%u more are left out.</p>\n", (unsigned)record->events_left_out);
    }
}

static void write_cell(td_buf *buf, uint64_t number)
{
    char figure[TD_PAGE_FIGURE_BYTES];
    td_buf_append_format(buf, "<td>%s</td>", td_page_grouped(number, figure));
}

static void write_place_name(const td_sim_place *place, td_buf *buf)
{
    td_page_append_html(buf, place->table);
    if (place->index.len == 0) return;
    td_buf_append_lit(buf, " / ");
    td_page_append_html(buf, place->index);
}
