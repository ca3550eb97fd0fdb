/* SPDX-License-Identifier: MIT
 * html_page.c: a run as one page: story, figures, curves, heat maps and tables; see report.h. */
#include "figures.h"
#include "report.h"

static const char style_sheet[] =
    ":root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1c2430;--soft:#5b6676;--line:#e3e7ed;"
    "--accepted:#4a86d8;--offered:#1c2430;--range:#e8613c;--prov:#eeb02f;--account:#8a5fc4;--max:#cc4f95;"
    "--index:#8c7a68;--split:#2a9d6f;--border:rgba(28,36,48,.45);--h0:#eef1f5;--h1:#fde9c9;--h2:#fcd29a;"
    "--h3:#fab46c;--h4:#f59150;--h5:#e86c3f;--h6:#d1462f;--h7:#a92a2b;--h8:#74162a}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--text:#e6eaf0;--soft:#9aa6b6;"
    "--line:#2d3542;--accepted:#5792e6;--offered:#e6eaf0;--range:#f2744e;--prov:#f0bb4b;--account:#a886e0;"
    "--max:#e070b0;--index:#ab9883;--split:#45c290;--border:rgba(230,234,240,.5);--h0:#232b36;--h1:#3b2d3f;"
    "--h2:#5c2f4b;--h3:#84344f;--h4:#ad3f4a;--h5:#d2553f;--h6:#ea7a3c;--h7:#f7a84e;--h8:#fde08a}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}h1{font-size:27px;line-height:1.2;margin:0 0 6px}"
    "h2{font-size:19px;margin:40px 0 10px}h2 small{font-weight:400;color:var(--soft);font-size:14px}"
    ".facts{color:var(--soft);margin:0 0 18px}.story{max-width:76ch}.story p{margin:0 0 10px}"
    ".tiles{display:flex;flex-wrap:wrap;gap:12px;margin:22px 0}.tile{background:var(--card);"
    "border:1px solid var(--line);border-radius:10px;padding:10px 16px;min-width:150px}"
    ".tile b{display:block;font-size:22px;line-height:1.25}.tile span{color:var(--soft);font-size:13px}"
    "figure{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0 0 14px;"
    "padding:14px 16px 8px}figcaption{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:center;margin:0 0 8px}"
    ".legend{display:inline-flex;align-items:center;gap:6px;font-size:13px;color:var(--soft);white-space:nowrap}"
    ".legend i{width:12px;height:12px;border-radius:3px;display:inline-block}.legend i.dash{height:2px;border-radius:0;"
    "background:var(--offered)}.scale{margin-left:auto;font-size:13px;color:var(--soft);"
    "display:inline-flex;align-items:center}.scale i{width:18px;height:12px;display:inline-block}"
    ".scale i:first-of-type{margin-left:6px}.scale i:last-of-type{margin-right:6px}"
    "svg{display:block;width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}"
    ".tick{text-anchor:end}.time{text-anchor:middle}.grid{stroke:var(--line);fill:none}"
    ".axis{stroke:var(--soft);fill:none}.phase{stroke:var(--soft);stroke-dasharray:3 3;fill:none}"
    "svg .name{fill:var(--text)}.line{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".l-offered{stroke:var(--offered);stroke-width:1.3}.l-partitions{stroke:var(--split)}"
    ".l-write{stroke:var(--range)}.l-read{stroke:var(--accepted)}.c-accepted{fill:var(--accepted)}"
    ".c-range{fill:var(--range)}.c-prov{fill:var(--prov)}.c-account{fill:var(--account)}.c-max{fill:var(--max)}"
    ".c-index{fill:var(--index)}.e-split{fill:var(--split)}.e-veto{fill:var(--range)}.e-action{fill:var(--account)}"
    ".h-none{fill:var(--h0)}.border{stroke:var(--border);stroke-width:1;fill:none}"
    ".h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}"
    ".h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}"
    ".b1{background:var(--h1)}.b2{background:var(--h2)}.b3{background:var(--h3)}.b4{background:var(--h4)}"
    ".b5{background:var(--h5)}.b6{background:var(--h6)}.b7{background:var(--h7)}.b8{background:var(--h8)}"
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px;margin:0 0 14px}"
    "table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}"
    "th,td{padding:6px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}"
    "tr:first-child th{border-top:0}th{font-weight:600;color:var(--soft)}th.l,td.l{text-align:left}"
    "td.wrap{white-space:normal}details{margin:0 0 14px}summary{cursor:pointer;color:var(--soft);margin:0 0 8px}"
    "footer{color:var(--soft);font-size:13px;margin-top:40px}";

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
static void write_tile(td_buf *buf, const char *figure, const char *meaning);
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
    td_buf_append_format(buf,
                         "<footer>thermodyn %s, simulate. The same scenario and seed give the same page.</footer>\n"
                         "</main></body></html>\n",
                         TD_VERSION);
}

static void write_head(const td_sim_record *record, td_buf *buf)
{
    const td_sim_scenario *scenario = record->scenario;
    char figure[TD_SIM_FIGURE_BYTES];
    td_buf_append_lit(buf, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
    td_sim__append_html(buf, scenario->name);
    td_buf_append_format(buf, "</title>\n<style>%s</style></head>\n<body><main><h1>", style_sheet);
    td_sim__append_html(buf, scenario->name);
    td_buf_append_format(buf, "</h1>\n<p class=\"facts\">%s of virtual time, seed %llu",
                         td_sim__duration(record->duration_us, figure), (unsigned long long)scenario->seed);
    if (scenario->preset.len > 0) {
        td_buf_append_lit(buf, ", preset ");
        td_sim__append_html(buf, scenario->preset);
    }
    if (record->scale != 1) td_buf_append_format(buf, ", all rates multiplied by %g", record->scale);
    td_buf_append_lit(buf, "</p>\n<div class=\"story\">");
    for (uint32_t i = 0; i < scenario->story_count; i++) {
        td_buf_append_lit(buf, "<p>");
        td_sim__append_html(buf, scenario->story[i]);
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
    char figure[TD_SIM_FIGURE_BYTES];
    td_buf_append_lit(buf, "<div class=\"tiles\">");
    write_tile(buf, td_sim__grouped(offered, figure), "operations on tables");
    td_buf_append_format(buf, "<div class=\"tile\"><b>%s</b><span>throttled, %.1f %%</span></div>",
                         td_sim__grouped(throttled, figure), td_sim__percent(throttled, offered));
    write_tile(buf, td_sim__grouped(splits, figure), "partitions split");
    td_buf_append_lit(buf, "</div>\n");
}

static void write_tile(td_buf *buf, const char *figure, const char *meaning)
{
    td_buf_append_format(buf, "<div class=\"tile\"><b>%s</b><span>%s</span></div>", figure, meaning);
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
    char figure[TD_SIM_FIGURE_BYTES];
    const td_sim_counts *total = &place->total;
    td_buf_append_format(buf, "<span class=\"legend\"><i class=\"dash\"></i>offered %s</span>",
                         td_sim__grouped(total->offered, figure));
    write_legend(buf, "accepted", "accepted", total->accepted, total->offered);
    for (size_t i = 0; i < TD_COUNT_OF(causes); i++) {
        uint64_t count = total->throttled[causes[i].cause];
        if (count > 0) write_legend(buf, causes[i].colour, td_sim_cause_names[causes[i].cause], count, total->offered);
    }
}

static void write_legend(td_buf *buf, const char *colour, const char *name, uint64_t count, uint64_t of)
{
    char figure[TD_SIM_FIGURE_BYTES];
    td_buf_append_format(buf, "<span class=\"legend\"><i style=\"background:var(--%s)\"></i>%s %s (%.1f %%)</span>",
                         colour, name, td_sim__grouped(count, figure), td_sim__percent(count, of));
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
    td_sim__append_html(buf, name);
    td_buf_append_lit(buf, "</td><td class=\"l\">");
    write_place_name(place, buf);
    td_buf_append_lit(buf, "</td>");
    write_cell(buf, sum->counts.offered);
    write_cell(buf, sum->counts.accepted);
    write_cell(buf, throttled);
    td_buf_append_format(buf, "<td>%.1f</td>", td_sim__percent(throttled, sum->counts.offered));
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
        td_sim__append_html(buf, key->text);
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
        char clock[TD_SIM_FIGURE_BYTES];
        td_buf_append_format(buf, "<tr><td>%s</td>", td_sim__clock(first * record->bucket_us, clock));
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
        char clock[TD_SIM_FIGURE_BYTES];
        td_buf_append_format(buf, "<tr><td>%s</td><td class=\"l\">", td_sim__clock(event->at_us, clock));
        if (event->place != UINT32_MAX) write_place_name(&record->places[event->place], buf);
        td_buf_append_lit(buf, "</td><td class=\"l wrap\">");
        td_sim__append_html(buf, event->text);
        td_buf_append_lit(buf, "</td></tr>\n");
    }
    td_buf_append_lit(buf, "</table></div></details>\n");
    if (record->events_left_out > 0) {
        td_buf_append_format(buf, "<p class=\"facts\">%u more are left out.</p>\n", (unsigned)record->events_left_out);
    }
}

static void write_cell(td_buf *buf, uint64_t number)
{
    char figure[TD_SIM_FIGURE_BYTES];
    td_buf_append_format(buf, "<td>%s</td>", td_sim__grouped(number, figure));
}

static void write_place_name(const td_sim_place *place, td_buf *buf)
{
    td_sim__append_html(buf, place->table);
    if (place->index.len == 0) return;
    td_buf_append_lit(buf, " / ");
    td_sim__append_html(buf, place->index);
}
