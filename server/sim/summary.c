/* SPDX-License-Identifier: Apache-2.0
 * summary.c: a run as a table for the terminal; see report.h. */
#include <stdio.h>

#include "page/figures.h"
#include "report.h"

#define NAME_COLUMNS 34

static void write_head(const td_sim_record *record, td_buf *buf);
static void write_row(const td_sim_record *record, uint32_t phase, const td_sim_place *place, td_buf *buf);
static void write_causes(const td_sim_counts *counts, td_buf *buf);
static void write_vetoes(const td_sim_phase_sum *sum, td_buf *buf);
static void write_hot_keys(const td_sim_record *record, td_buf *buf);
static void write_name(const td_sim_place *place, const char *before, td_buf *buf);
static void write_figure(uint64_t number, int columns, td_buf *buf);

void td_sim__write_summary(const td_sim_record *record, td_buf *buf)
{
    write_head(record, buf);
    td_buf_append_format(buf, "\n%-*s%15s%15s%15s%8s%15s%15s%12s%8s\n", NAME_COLUMNS, "phase, table or index",
                         "offered", "accepted", "throttled", "%", "read units", "write units", "partitions", "splits");
    for (uint32_t i = 0; i < record->phase_count; i++) {
        td_slice name = record->scenario->phases[i].name;
        if (name.len > 0) {
            td_buf_append(buf, name);
        } else {
            td_buf_append_format(buf, "phase %u", (unsigned)(i + 1));
        }
        td_buf_append_lit(buf, "\n");
        for (uint32_t j = 0; j < record->place_count; j++)
            write_row(record, i, &record->places[j], buf);
    }
    write_hot_keys(record, buf);
    if (record->first_failure.len > 0) {
        td_buf_append_lit(buf, "\nthe first operation that failed: ");
        td_buf_append(buf, record->first_failure);
        td_buf_append_lit(buf, "\n");
    }
}

static void write_head(const td_sim_record *record, td_buf *buf)
{
    char duration[TD_PAGE_FIGURE_BYTES];
    char figure[TD_PAGE_FIGURE_BYTES];
    uint64_t operations = 0;
    for (uint32_t i = 0; i < record->place_count; i++) {
        const td_sim_place *place = &record->places[i];
        if (place->index.len == 0) operations += place->total.offered;
    }
    td_buf_append(buf, record->scenario->name);
    td_buf_append_format(buf, "\n%s of virtual time, %s operations on tables, seed %llu",
                         td_page_duration(record->duration_us, duration), td_page_grouped(operations, figure),
                         (unsigned long long)record->scenario->seed);
    if (record->scale != 1) td_buf_append_format(buf, ", all rates times %g", record->scale);
    td_buf_append_lit(buf, "\n");
}

static void write_row(const td_sim_record *record, uint32_t phase, const td_sim_place *place, td_buf *buf)
{
    const td_sim_phase_sum *sum = &place->phases[phase];
    const td_sim_counts *counts = &sum->counts;
    (void)record;
    uint64_t throttled = td_sim__throttled(counts);
    write_name(place, "  ", buf);
    write_figure(counts->offered, 15, buf);
    write_figure(counts->accepted, 15, buf);
    write_figure(throttled, 15, buf);
    td_buf_append_format(buf, "%8.1f", td_page_percent(throttled, counts->offered));
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        write_figure((uint64_t)(counts->consumed[i] / TD_UNITS_ONE), 15, buf);
    char partitions[TD_PAGE_FIGURE_BYTES];
    snprintf(partitions, sizeof partitions, "%u", (unsigned)sum->partitions_after);
    if (sum->partitions_before != sum->partitions_after) {
        snprintf(partitions, sizeof partitions, "%u to %u", (unsigned)sum->partitions_before,
                 (unsigned)sum->partitions_after);
    }
    td_buf_append_format(buf, "%12s%8u\n", partitions, (unsigned)sum->splits);
    write_causes(counts, buf);
    write_vetoes(sum, buf);
}

static void write_causes(const td_sim_counts *counts, td_buf *buf)
{
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++) {
        if (counts->throttled[i] == 0) continue;
        td_buf_append_format(buf, "    %-*s", NAME_COLUMNS - 4 + 30, td_sim_cause_names[i]);
        write_figure(counts->throttled[i], 15, buf);
        td_buf_append_format(buf, "%8.1f\n", td_page_percent(counts->throttled[i], counts->offered));
    }
    if (counts->failed == 0) return;
    td_buf_append_format(buf, "    %-*s", NAME_COLUMNS - 4 + 30, "failed otherwise");
    write_figure(counts->failed, 15, buf);
    td_buf_append_lit(buf, "\n");
}

static void write_vetoes(const td_sim_phase_sum *sum, td_buf *buf)
{
    for (int i = TD_VETO_NONE + 1; i < TD_VETO_COUNT; i++) {
        if (sum->vetoes[i] == 0) continue;
        td_buf_append_format(buf, "    not split: %s (%u)\n", td_split_veto_name((td_split_veto)i),
                             (unsigned)sum->vetoes[i]);
    }
}

static void write_hot_keys(const td_sim_record *record, td_buf *buf)
{
    bool has_title = false;
    for (uint32_t i = 0; i < record->place_count; i++) {
        const td_sim_place *place = &record->places[i];
        for (uint32_t j = 0; j < place->hot_key_count; j++) {
            const td_sim_hot_key *key = &place->hot_keys[j];
            if (!has_title) td_buf_append_lit(buf, "\nhottest keys\n");
            has_title = true;
            write_name(place, "  ", buf);
            td_buf_append_format(buf, "%8.1f %%  ", key->share * 100);
            td_buf_append(buf, key->text);
            if (key->is_over_limit) td_buf_append_lit(buf, "  (more than one partition serves)");
            td_buf_append_lit(buf, "\n");
        }
    }
}

/* "Orders", "Orders/by-status", padded by characters. */
static void write_name(const td_sim_place *place, const char *before, td_buf *buf)
{
    size_t start = buf->len;
    td_buf_append_format(buf, "%s", before);
    td_buf_append(buf, place->table);
    if (place->index.len > 0) td_buf_append_lit(buf, "/");
    td_buf_append(buf, place->index);
    for (size_t used = buf->len - start; used < NAME_COLUMNS; used++)
        td_buf_append_byte(buf, ' ');
}

static void write_figure(uint64_t number, int columns, td_buf *buf)
{
    char figure[TD_PAGE_FIGURE_BYTES];
    td_buf_append_format(buf, "%*s", columns, td_page_grouped(number, figure));
}
