/* SPDX-License-Identifier: Apache-2.0
 * prometheus.c: the server's own metrics: requests, latencies, connections, the process.
 * Not here: tables and indexes (prometheus_tables.c); what is counted (server/metrics). */
#include "control/prometheus.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "thermodyn/text.h"

#include "durable/durable.h"
#include "exposition.h"

static void write_server(const td_service *service, const td_metrics_totals *totals, td_buf *reply);
static void write_process(const td_service *service, td_buf *reply);
static void write_disk(const td_durable_view *disk, td_buf *reply);
static void write_requests(const td_metrics_totals *totals, td_buf *reply);
static void write_outcomes(td_slice operation, const uint64_t counts[TD_STATUS_COUNT], td_buf *reply);
static void write_latencies(const td_metrics_totals *totals, td_buf *reply);
static void write_histogram(td_buf *reply, const char *family, td_slice labels, const td_metrics_histogram *histogram);
static td_slice operation_name(size_t row);
static int64_t resident_bytes(void);
static int64_t time_of_day_us(void);

bool td_prometheus_write(td_service *service, td_arena *arena, td_buf *reply)
{
    td_buf_clear(reply);
    td_metrics_totals *totals = td_arena_alloc_zero(arena, sizeof *totals);
    if (totals == NULL) return false;
    if (service->metrics != NULL) td_metrics_sum(service->metrics, totals);
    write_server(service, totals, reply);
    write_process(service, reply);
    if (service->durable != NULL) {
        td_durable_view disk = td_durable_get_view(service->durable);
        write_disk(&disk, reply);
    }
    write_requests(totals, reply);
    write_latencies(totals, reply);
    return td_prometheus__write_tables(service, arena, reply) && !td_buf_has_failed(reply);
}

static void write_gauge(td_buf *reply, td_slice name, td_slice help, uint64_t value)
{
    td_exposition_family(reply, name, TD_EXPOSITION_GAUGE, help);
    td_exposition_begin(reply, name, TD_LIT(""));
    td_exposition_count(reply, value);
}

static void write_counter(td_buf *reply, td_slice name, td_slice help, uint64_t value)
{
    td_exposition_family(reply, name, TD_EXPOSITION_COUNTER, help);
    td_exposition_begin(reply, name, TD_LIT(""));
    td_exposition_count(reply, value);
}

static void write_server(const td_service *service, const td_metrics_totals *totals, td_buf *reply)
{
    td_slice build = TD_LIT("thermodyn_build_info");
    td_exposition_family(reply, build, TD_EXPOSITION_GAUGE, TD_LIT("The version that runs; the value is 1."));
    td_exposition_begin(reply, build, TD_LIT(""));
    td_exposition_label(reply, TD_LIT("version"), TD_LIT(TD_VERSION));
    td_exposition_count(reply, 1);

    td_slice clock = TD_LIT("thermodyn_clock_time_seconds");
    td_exposition_family(reply, clock, TD_EXPOSITION_GAUGE,
                         TD_LIT("The server's clock since the Unix epoch, which may stand still or run fast."));
    td_exposition_begin(reply, clock, TD_LIT(""));
    td_exposition_micro(reply, td_clock_now(service->clock));

    write_gauge(reply, TD_LIT("thermodyn_connections"), TD_LIT("Connections that are open."), totals->connections);
    write_counter(reply, TD_LIT("thermodyn_connections_accepted_total"), TD_LIT("Connections that were opened."),
                  totals->accepted);
    write_gauge(reply, TD_LIT("thermodyn_requests_in_flight"),
                TD_LIT("HTTP requests that are received or answered, this one among them."), totals->in_flight);
    write_counter(reply, TD_LIT("thermodyn_figures_lost_total"),
                  TD_LIT("Figures of tables by the minute that found no memory."), totals->lost);
    td_slice delay = TD_LIT("thermodyn_event_loop_delay_seconds");
    td_exposition_family(reply, delay, TD_EXPOSITION_HISTOGRAM,
                         TD_LIT("How late a worker hears a signal; measured once a second while there is work."));
    write_histogram(reply, "thermodyn_event_loop_delay_seconds", TD_LIT(""), &totals->loop_delay);
}

/* Under the names that all libraries for Prometheus use. */
static void write_process(const td_service *service, td_buf *reply)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        int64_t cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * TD_US_PER_S + usage.ru_utime.tv_usec +
                         usage.ru_stime.tv_usec;
        td_slice cpu = TD_LIT("process_cpu_seconds_total");
        td_exposition_family(reply, cpu, TD_EXPOSITION_COUNTER, TD_LIT("User and system CPU time."));
        td_exposition_begin(reply, cpu, TD_LIT(""));
        td_exposition_micro(reply, cpu_us);
    }
    write_gauge(reply, TD_LIT("process_resident_memory_bytes"), TD_LIT("Resident memory."), (uint64_t)resident_bytes());
    td_slice start = TD_LIT("process_start_time_seconds");
    td_exposition_family(reply, start, TD_EXPOSITION_GAUGE, TD_LIT("When it started, since the Unix epoch."));
    td_exposition_begin(reply, start, TD_LIT(""));
    td_exposition_milli(reply, (time_of_day_us() - td_monotonic_us() + service->started_monotonic_us) / TD_US_PER_MS);
}

static void write_disk(const td_durable_view *disk, td_buf *reply)
{
    td_slice took = TD_LIT("thermodyn_disk_group_seconds_total");
    write_counter(reply, TD_LIT("thermodyn_disk_groups_total"),
                  TD_LIT("Groups of changes that were written to the log."), disk->commits);
    write_counter(reply, TD_LIT("thermodyn_disk_group_bytes_total"), TD_LIT("What they took in the log."),
                  disk->group_bytes);
    td_exposition_family(reply, took, TD_EXPOSITION_COUNTER, TD_LIT("Time until they were on the disk."));
    td_exposition_begin(reply, took, TD_LIT(""));
    td_exposition_micro(reply, disk->commits_us);
    write_counter(reply, TD_LIT("thermodyn_disk_failures_total"),
                  TD_LIT("Groups and checkpoints that the disk did not take."), disk->failures);
    write_gauge(reply, TD_LIT("thermodyn_disk_failing"), TD_LIT("1 while writes are refused because of the disk."),
                disk->is_failing ? 1 : 0);
    write_gauge(reply, TD_LIT("thermodyn_disk_pending_changes"), TD_LIT("Changes that are not on the disk yet."),
                disk->pending);
    write_gauge(reply, TD_LIT("thermodyn_disk_log_bytes"), TD_LIT("What is in the log and not in data.mdb yet."),
                disk->log_bytes);
    write_gauge(reply, TD_LIT("thermodyn_disk_bytes"), TD_LIT("What the data directory takes."), disk->disk_bytes);
}

static void write_requests(const td_metrics_totals *totals, td_buf *reply)
{
    td_exposition_family(reply, TD_LIT("thermodyn_requests_total"), TD_EXPOSITION_COUNTER,
                         TD_LIT("Requests to the API by operation, HTTP status and error."));
    for (size_t i = 0; i < TD_METRICS_OPERATIONS_MAX; i++)
        write_outcomes(operation_name(i), totals->requests[i], reply);
}

/* Statuses that look alike outside are one. */
static void write_outcomes(td_slice operation, const uint64_t counts[TD_STATUS_COUNT], td_buf *reply)
{
    uint64_t sums[TD_STATUS_COUNT];
    memcpy(sums, counts, sizeof sums);
    for (size_t i = 0; i < TD_STATUS_COUNT; i++) {
        td_status status = (td_status)i;
        for (size_t k = i + 1; k < TD_STATUS_COUNT; k++) {
            bool is_alike = sums[k] > 0 && td_status_http(status) == td_status_http((td_status)k) &&
                            strcmp(td_status_type(status), td_status_type((td_status)k)) == 0;
            if (!is_alike) continue;
            sums[i] += sums[k];
            sums[k] = 0;
        }
        if (sums[i] == 0) continue;
        char code[12];
        snprintf(code, sizeof code, "%d", td_status_http(status));
        td_exposition_begin(reply, TD_LIT("thermodyn_requests_total"), TD_LIT(""));
        td_exposition_label(reply, TD_LIT("operation"), operation);
        td_exposition_label(reply, TD_LIT("code"), td_slice_of_cstr(code));
        td_exposition_label(reply, TD_LIT("error"), td_slice_of_cstr(td_status_type(status)));
        td_exposition_count(reply, sums[i]);
    }
}

static void write_latencies(const td_metrics_totals *totals, td_buf *reply)
{
    td_exposition_family(reply, TD_LIT("thermodyn_request_duration_seconds"), TD_EXPOSITION_HISTOGRAM,
                         TD_LIT("From a request being whole to its answer, delays by fault rules included."));
    for (size_t i = 0; i < TD_METRICS_OPERATIONS_MAX; i++) {
        td_slice name = operation_name(i);
        char labels[80];
        snprintf(labels, sizeof labels, "operation=\"%.*s\"", (int)name.len, (const char *)name.ptr);
        write_histogram(reply, "thermodyn_request_duration_seconds", td_slice_of_cstr(labels), &totals->latency[i]);
    }
}

/* Buckets add up, as `le` says. Nothing is written of what never happened. */
static void write_histogram(td_buf *reply, const char *family, td_slice labels, const td_metrics_histogram *histogram)
{
    char name[80];
    uint64_t count = 0;
    for (size_t i = 0; i <= TD_METRICS_LATENCY_BUCKETS; i++)
        count += histogram->buckets[i];
    if (count == 0) return;
    uint64_t so_far = 0;
    snprintf(name, sizeof name, "%s_bucket", family);
    for (size_t i = 0; i < TD_METRICS_LATENCY_BUCKETS; i++) {
        char bound[24];
        snprintf(bound, sizeof bound, "%g", td_metrics_latency_bounds_us[i] / 1e6);
        so_far += histogram->buckets[i];
        td_exposition_begin(reply, td_slice_of_cstr(name), labels);
        td_exposition_label(reply, TD_LIT("le"), td_slice_of_cstr(bound));
        td_exposition_count(reply, so_far);
    }
    td_exposition_begin(reply, td_slice_of_cstr(name), labels);
    td_exposition_label(reply, TD_LIT("le"), TD_LIT("+Inf"));
    td_exposition_count(reply, count);
    snprintf(name, sizeof name, "%s_sum", family);
    td_exposition_begin(reply, td_slice_of_cstr(name), labels);
    td_exposition_micro(reply, (int64_t)histogram->sum_us);
    snprintf(name, sizeof name, "%s_count", family);
    td_exposition_begin(reply, td_slice_of_cstr(name), labels);
    td_exposition_count(reply, count);
}

/* What names no operation is "unknown". */
static td_slice operation_name(size_t row)
{
    const td_operation *operation = td_operation_at(row);
    return operation == NULL ? TD_LIT("unknown") : operation->name;
}

static int64_t resident_bytes(void)
{
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t len = read(fd, text, sizeof text - 1);
    close(fd);
    long long size = 0;
    long long resident = 0;
    text[len > 0 ? len : 0] = '\0';
    return sscanf(text, "%lld %lld", &size, &resident) == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

static int64_t time_of_day_us(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) != 0 ? 0 : now.tv_sec * TD_US_PER_S + now.tv_nsec / 1000;
}
