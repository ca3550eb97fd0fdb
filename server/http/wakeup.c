/* SPDX-License-Identifier: Apache-2.0
 * wakeup.c: what the server does without a request: the store's due work; the log of throttles, splits and full
 * memory.
 *
 * One timer stands for the earliest due time of the store's queue; whoever handled a request compares that time (one
 * atomic read) with what the timer stands for. The throttles are logged a second after the first request since the last
 * look. When no request has come for a while after that the server gives unused memory back (idle.c). A server without
 * work has no timer at all.
 * Threads: notice from any worker; everything else on the first worker's loop. */
#include "http_private.h"

#include "durable/durable.h"
#include "thermodyn/observe.h"
#include "thermodyn/partition.h"

#define THROTTLE_PERIOD_MS 1000
#define IDLE_MS (THROTTLE_PERIOD_MS + 500) /* longer than from look to look while there are requests */
#define TIMER_MS_MAX INT64_C(86400000)
#define THROTTLE_ARENA_BYTES_MAX ((size_t)16 * 1024 * 1024)

static void change(uv_async_t *changed);
static void arm_clock(td_http_wakeup *wakeup);
static void run_due(uv_timer_t *timer);
static void log_throttles(uv_timer_t *timer);
static void log_throttle(td_log *log, const td_throttle_count *throttle);
static void log_full_memory(const td_service *service);
static void log_split(td_log *log, const td_split_event *event);
static void look_soon(td_http_wakeup *wakeup);
static void rest(uv_timer_t *timer);

bool td_http__wakeup_init(td_http_wakeup *wakeup, td_http_worker *worker)
{
    uv_loop_t *loop = &worker->loop;
    wakeup->service = worker->service;
    wakeup->worker = worker;
    atomic_store(&wakeup->armed_for, TD_NEVER);
    atomic_store(&wakeup->wants_throttles, false);
    td_arena_init(&wakeup->arena, THROTTLE_ARENA_BYTES_MAX);
    uv_timer_init(loop, &wakeup->clock_timer);
    uv_timer_init(loop, &wakeup->throttle_timer);
    uv_timer_init(loop, &wakeup->idle_timer);
    wakeup->clock_timer.data = wakeup->throttle_timer.data = wakeup->idle_timer.data = wakeup->changed.data = wakeup;
    if (uv_async_init(loop, &wakeup->changed, change) != 0) return false;
    uv_unref((uv_handle_t *)&wakeup->clock_timer); /* the loop lives as long as its worker has connections to serve */
    uv_unref((uv_handle_t *)&wakeup->throttle_timer);
    uv_unref((uv_handle_t *)&wakeup->idle_timer);
    uv_unref((uv_handle_t *)&wakeup->changed);
    arm_clock(wakeup);
    return true;
}

void td_http__wakeup_close(td_http_wakeup *wakeup)
{
    if (atomic_load(&wakeup->wants_throttles)) log_throttles(&wakeup->throttle_timer);
    uv_close((uv_handle_t *)&wakeup->clock_timer, NULL);
    uv_close((uv_handle_t *)&wakeup->throttle_timer, NULL);
    uv_close((uv_handle_t *)&wakeup->idle_timer, NULL);
    uv_close((uv_handle_t *)&wakeup->changed, NULL);
}

void td_http__wakeup_done(td_http_wakeup *wakeup)
{
    td_arena_done(&wakeup->arena);
}

void td_http__wakeup_notice(td_http_wakeup *wakeup, bool has_traffic, bool has_control)
{
    td_durable *durable = wakeup->service->durable;
    if (durable != NULL && !td_durable_is_ready(durable)) return; /* the store is the loader's */
    bool is_changed = has_control || td_store_next_due(wakeup->service->store) != atomic_load(&wakeup->armed_for);
    bool is_noticed = has_traffic || has_control;
    if (is_noticed && !atomic_load(&wakeup->wants_throttles) && !atomic_exchange(&wakeup->wants_throttles, true)) {
        is_changed = true;
    }
    if (is_changed) uv_async_send(&wakeup->changed);
}

static void change(uv_async_t *changed)
{
    td_http_wakeup *wakeup = changed->data;
    arm_clock(wakeup);
    if (atomic_load(&wakeup->wants_throttles)) look_soon(wakeup);
}

static void look_soon(td_http_wakeup *wakeup)
{
    if (uv_is_active((uv_handle_t *)&wakeup->throttle_timer)) return;
    uv_timer_start(&wakeup->throttle_timer, log_throttles, THROTTLE_PERIOD_MS, 0);
}

static void arm_clock(td_http_wakeup *wakeup)
{
    td_time_us due = td_store_next_due(wakeup->service->store);
    atomic_store(&wakeup->armed_for, due);
    int64_t wait_us = due == TD_NEVER ? INT64_MAX : td_clock_real_us_until(wakeup->service->clock, due);
    if (wait_us == INT64_MAX) { /* nothing is due, or the clock is manual: whoever moves it runs what falls due */
        uv_timer_stop(&wakeup->clock_timer);
        return;
    }
    int64_t wait_ms = wait_us / 1000 + (wait_us % 1000 > 0);
    if (wait_ms > TIMER_MS_MAX) wait_ms = TIMER_MS_MAX; /* it then looks again */
    uv_timer_start(&wakeup->clock_timer, run_due, (uint64_t)wait_ms, 0);
}

static void run_due(uv_timer_t *timer)
{
    td_http_wakeup *wakeup = timer->data;
    td_store_run_due(wakeup->service->store, td_clock_now(wakeup->service->clock));
    atomic_store(&wakeup->wants_throttles, true); /* partitions may have been split */
    look_soon(wakeup);
    arm_clock(wakeup);
}

static void log_throttles(uv_timer_t *timer)
{
    td_http_wakeup *wakeup = timer->data;
    td_throttle_count *counts = NULL;
    uint32_t count = 0;
    atomic_store(&wakeup->wants_throttles, false);
    td_http__measure_delay(wakeup->worker->server);
    if (td_observe_take_throttles(wakeup->service->store, &wakeup->arena, &counts, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            log_throttle(wakeup->service->log, &counts[i]);
        }
    }
    td_split_event *events = NULL;
    if (td_partition_take_events(wakeup->service->store, &wakeup->arena, &events, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            log_split(wakeup->service->log, &events[i]);
        }
    }
    td_arena_reset(&wakeup->arena);
    log_full_memory(wakeup->service);
    if (!uv_is_closing((uv_handle_t *)&wakeup->idle_timer)) {
        uv_timer_start(&wakeup->idle_timer, rest, IDLE_MS, 0);
    }
}

static void log_full_memory(const td_service *service)
{
    uint64_t refused = td_store_take_memory_refusals(service->store);
    if (refused == 0) return;
    TD_LOG(service->log, TD_LOG_WARN, "what adds data was refused: max_memory is reached",
           TD_LOG_NUMBER("max_memory_mib", service->config->max_memory), TD_LOG_NUMBER("refused", refused));
}

static void rest(uv_timer_t *timer)
{
    td_http_wakeup *wakeup = timer->data;
    td_http__idle(wakeup->worker->server);
}

/* throttled [scope=…] table=… [index=…] reason=… count=… */
static void log_throttle(td_log *log, const td_throttle_count *throttle)
{
    td_log_field fields[5];
    size_t count = 0;
    td_slice reason = td_slice_of_cstr(td_throttle_reason_name(&throttle->reason));
    if (throttle->scope.len > 0) fields[count++] = TD_LOG_TEXT("scope", throttle->scope);
    fields[count++] = TD_LOG_TEXT("table", throttle->table);
    if (throttle->reason.index.len > 0) fields[count++] = TD_LOG_TEXT("index", throttle->reason.index);
    fields[count++] = TD_LOG_TEXT("reason", reason);
    fields[count++] = TD_LOG_NUMBER("count", throttle->count);
    td_log_write(log, TD_LOG_INFO, "throttled", fields, count);
}

/* split [scope=…] table=… [index=…] partition=… cause=… into=…,…
 * split vetoed [scope=…] table=… [index=…] partition=… cause=… veto=… */
static void log_split(td_log *log, const td_split_event *event)
{
    td_log_field fields[6];
    size_t count = 0;
    char into[40];
    if (event->scope.len > 0) fields[count++] = TD_LOG_TEXT("scope", event->scope);
    fields[count++] = TD_LOG_TEXT("table", event->table);
    if (event->index.len > 0) fields[count++] = TD_LOG_TEXT("index", event->index);
    fields[count++] = TD_LOG_TEXT("partition", td_slice_of_cstr(event->partition));
    fields[count++] = TD_LOG_TEXT("cause", td_slice_of_cstr(td_split_cause_name(event->cause)));
    if (event->veto == TD_VETO_NONE) {
        snprintf(into, sizeof(into), "%s,%s", event->children[0], event->children[1]);
        fields[count++] = TD_LOG_TEXT("into", td_slice_of_cstr(into));
    } else {
        fields[count++] = TD_LOG_TEXT("veto", td_slice_of_cstr(td_split_veto_name(event->veto)));
    }
    td_log_write(log, TD_LOG_INFO, event->veto == TD_VETO_NONE ? "split" : "split vetoed", fields, count);
}
