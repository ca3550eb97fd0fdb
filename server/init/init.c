/* SPDX-License-Identifier: Apache-2.0
 * init.c: a load from its beginning to its end. */
#include "init/init.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "thermodyn/limits.h"

#include "init_private.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define SENTENCE_BYTES_MAX 2048

static bool load(td_init *init);
static bool gather_all(td_init *init, const char *list);
static bool check_shared(td_init *init);
static bool load_all_items(td_init *init);

bool td_init_load(const td_service *service, td_init_loaded *ret_loaded, td_buf *says)
{
    *ret_loaded = (td_init_loaded){0};
    if (service->config->init[0] == '\0') return true;
    td_init init;
    td_init__begin(&init, service, says);
    bool is_loaded = load(&init);
    if (is_loaded) *ret_loaded = (td_init_loaded){.tables = init.table_count, .items = init.item_count};
    td_init__finish(&init);
    return is_loaded;
}

void td_init__begin(td_init *init, const td_service *service, td_buf *says)
{
    *init = (td_init){.service = *service, .says = says, .told_us = td_monotonic_us()};
    init->service.faults = NULL;
    init->service.credentials = NULL;
    init->service.metrics = NULL;
    init->service.is_fixture = true;
    init->tables_end = &init->tables;
    init->items_end = &init->items;
    td_arena_init(&init->arena, ARENA_BYTES_MAX);
    td_arena_init(&init->scratch, ARENA_BYTES_MAX);
    td_buf_init(&init->body, TD_LIMIT_REQUEST_BODY_BYTES_MAX);
    td_buf_init(&init->reply, TD_LIMIT_REPLY_BYTES_MAX);
}

static bool load(td_init *init)
{
    return gather_all(init, init->service.config->init) && check_shared(init) && td_init__make_tables(init) &&
           load_all_items(init);
}

static bool gather_all(td_init *init, const char *list)
{
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        td_slice path;
        if (!td_arena_format(&init->arena, &path, "%.*s", (int)len, at)) return td_init__refuse_memory(init);
        if (len > 0 && !td_init__gather(init, (const char *)path.ptr)) return false;
        at += len;
        if (*at == '\0') return true;
    }
}

/* With --isolate nobody would see what belongs to nobody. */
static bool check_shared(td_init *init)
{
    if (!init->service.config->isolate || (init->tables == NULL && init->items == NULL)) return true;
    td_buf_append_lit(init->says, "init does not go together with isolate: fixtures belong to no access key");
    return false;
}

static bool load_all_items(td_init *init)
{
    for (const td_init_items *items = init->items; items != NULL; items = items->next) {
        bool is_loaded = items->is_csv ? td_init__load_csv(init, items) : td_init__load_items(init, items);
        if (!is_loaded) return false;
    }
    return true;
}

void td_init__finish(td_init *init)
{
    if (init->trial.store != NULL) td_store_free(init->trial.store);
    td_buf_done(&init->reply);
    td_buf_done(&init->body);
    td_arena_done(&init->scratch);
    td_arena_done(&init->arena);
}

bool td_init__refuse(td_init *init, const char *path, uint32_t line, const char *format, ...)
{
    char sentence[SENTENCE_BYTES_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    td_buf_append_format(init->says, "%s:", path);
    if (line > 0) td_buf_append_format(init->says, "%u:", (unsigned)line);
    td_buf_append_format(init->says, " %s", sentence);
    return false;
}

bool td_init__refuse_memory(td_init *init)
{
    td_buf_append_lit(init->says, "out of memory");
    return false;
}
