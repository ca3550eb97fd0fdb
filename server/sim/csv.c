/* SPDX-License-Identifier: Apache-2.0
 * csv.c: a run as files of rows; see report.h. */
#include "report.h"

#include "page/figures.h"

static void write_events(const td_sim_record *record, td_buf *buf);
static void write_row(const td_sim_record *record, const td_sim_place *place, uint32_t bucket, td_buf *buf);
static void write_units(td_units units, td_buf *buf);
static void append_field(td_buf *buf, td_slice text);

void td_sim__write_csv(const td_sim_record *record, uint32_t place, td_buf *buf)
{
    if (place == record->place_count) {
        write_events(record, buf);
        return;
    }
    td_buf_append_lit(buf, "from_second,to_second,offered,accepted,throttled,throttled_provisioned,throttled_key_range,"
                           "throttled_account,throttled_on_demand_maximum,throttled_by_index,failed,read_units,"
                           "write_units,partitions,read_balance,write_balance\n");
    for (uint32_t i = 0; i < record->bucket_count; i++)
        write_row(record, &record->places[place], i, buf);
}

void td_sim__csv_name(const td_sim_record *record, uint32_t place, td_buf *buf)
{
    if (place == record->place_count) {
        td_buf_append_lit(buf, "events");
    } else {
        td_buf_append(buf, record->places[place].table);
        if (record->places[place].index.len > 0) td_buf_append_lit(buf, ".");
        td_buf_append(buf, record->places[place].index);
    }
    td_buf_append_lit(buf, ".csv");
}

static void write_events(const td_sim_record *record, td_buf *buf)
{
    td_buf_append_lit(buf, "second,table,index,kind,event\n");
    for (uint32_t i = 0; i < record->event_count; i++) {
        const td_sim_event *event = &record->events[i];
        bool has_place = event->place != UINT32_MAX;
        td_buf_append_format(buf, "%.6g,", (double)event->at_us / (double)TD_US_PER_S);
        append_field(buf, has_place ? record->places[event->place].table : TD_LIT(""));
        td_buf_append_lit(buf, ",");
        append_field(buf, has_place ? record->places[event->place].index : TD_LIT(""));
        td_buf_append_format(buf, ",%s,", event->is_split ? "split" : event->is_veto ? "veto" : "action");
        append_field(buf, event->text);
        td_buf_append_lit(buf, "\n");
    }
}

static void write_row(const td_sim_record *record, const td_sim_place *place, uint32_t bucket, td_buf *buf)
{
    const td_sim_sample *sample = &place->samples[bucket];
    const td_sim_counts *counts = &sample->counts;
    double from_s = (double)(bucket * record->bucket_us) / (double)TD_US_PER_S;
    double to_s = (double)td_sim__bucket_end_us(record, bucket) / (double)TD_US_PER_S;
    td_buf_append_format(buf, "%.10g,%.10g,%llu,%llu,%llu", from_s, to_s, (unsigned long long)counts->offered,
                         (unsigned long long)counts->accepted, (unsigned long long)td_sim__throttled(counts));
    for (int i = 0; i < TD_SIM_CAUSE_COUNT; i++)
        td_buf_append_format(buf, ",%llu", (unsigned long long)counts->throttled[i]);
    td_buf_append_format(buf, ",%llu", (unsigned long long)counts->failed);
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        write_units(counts->consumed[i], buf);
    td_buf_append_format(buf, ",%u", (unsigned)sample->partitions);
    for (int i = 0; i < TD_DIRECTION_COUNT; i++)
        td_buf_append_format(buf, ",%.3f", sample->balance[i]);
    td_buf_append_lit(buf, "\n");
}

/* Exactly: half units occur. */
static void write_units(td_units units, td_buf *buf)
{
    td_buf_append_format(buf, ",%lld", (long long)(units / TD_UNITS_ONE));
    if (units % TD_UNITS_ONE != 0) td_buf_append_format(buf, ".%03lld", (long long)(units % TD_UNITS_ONE));
}

static void append_field(td_buf *buf, td_slice text)
{
    td_buf_append_byte(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') td_buf_append_byte(buf, '"');
        td_buf_append_byte(buf, text.ptr[i]);
    }
    td_buf_append_byte(buf, '"');
}
