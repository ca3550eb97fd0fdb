/* SPDX-License-Identifier: Apache-2.0
 * dump.c: the folder of a dump, its files, and the items in them.
 * Not here: what is said of a table (dump_table.c). */
#include "init/dump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "thermodyn/limits.h"
#include "thermodyn/observe.h"

#include "init_private.h"

#define PROGRESS_US 1000000
#define TABLES_FILE "tables.json"

/* A dump in the making. */
typedef struct dumping {
    td_init *init;
    const char *folder; /* the one that is written to: the other name */
    const char *path;   /* of the file that is open */
    FILE *file;
    td_buf text; /* a piece of it */
    const td_table_overview *tables;
    uint32_t table_count;
    uint64_t item_count; /* written */
    int64_t told_us;
} dumping;

static bool dump_beside(td_init *init, const char *folder, td_init_loaded *ret_dumped);
static bool write_all(dumping *it);
static bool find_tables(dumping *it);
static bool write_tables(dumping *it);
static bool write_items(dumping *it, const td_table_overview *table);
static void write_scan(td_buf *body, td_slice table, const td_json *last);
static bool write_page(dumping *it, td_slice table, const td_json *page);
static void tell_progress(dumping *it, td_slice table);
static bool open_file(dumping *it, td_slice name);
static bool write_piece(dumping *it);
static bool close_file(dumping *it);
static bool settle_folder(td_init *init, const char *folder);
static void remove_folder(const char *folder);

bool td_init_dump(const td_service *service, const char *folder, td_init_loaded *ret_dumped, td_buf *says)
{
    td_init init;
    td_slice name;
    struct stat status;
    size_t len = strlen(folder);
    *ret_dumped = (td_init_loaded){0};
    td_init__begin(&init, service, says);
    while (len > 1 && folder[len - 1] == '/')
        len--;
    bool is_dumped = false;
    if (!td_arena_format(&init.arena, &name, "%.*s", (int)len, folder)) {
        (void)td_init__refuse_memory(&init);
    } else if (lstat((const char *)name.ptr, &status) == 0) {
        (void)td_init__refuse(&init, folder, 0, "is there already: a dump makes its folder itself");
    } else {
        is_dumped = dump_beside(&init, (const char *)name.ptr, ret_dumped);
    }
    td_init__finish(&init);
    return is_dumped;
}

static bool dump_beside(td_init *init, const char *folder, td_init_loaded *ret_dumped)
{
    td_slice beside;
    dumping it = {.init = init, .told_us = td_monotonic_us()};
    if (!td_arena_format(&init->arena, &beside, "%s.%ld.part", folder, (long)getpid())) {
        return td_init__refuse_memory(init);
    }
    it.folder = (const char *)beside.ptr;
    if (mkdir(it.folder, 0777) != 0) return td_init__refuse(init, folder, 0, "%s", strerror(errno));
    td_buf_init(&it.text, TD_LIMIT_REPLY_BYTES_MAX);
    bool is_written = write_all(&it);
    if (it.file != NULL) fclose(it.file);
    td_buf_done(&it.text);
    if (is_written && rename(it.folder, folder) != 0) {
        is_written = td_init__refuse(init, folder, 0, "%s", strerror(errno));
    }
    if (!is_written) remove_folder(it.folder);
    if (is_written) *ret_dumped = (td_init_loaded){.tables = it.table_count, .items = it.item_count};
    return is_written;
}

static bool write_all(dumping *it)
{
    if (!find_tables(it) || !write_tables(it)) return false;
    for (uint32_t i = 0; i < it->table_count; i++)
        if (it->tables[i].resources[0].items > 0 && !write_items(it, &it->tables[i])) return false;
    return settle_folder(it->init, it->folder);
}

/* What was under way is brought to its end, and reads are not throttled. A table whose file would be passed over, or
 * that belongs to an access key, cannot be a fixture. */
static bool find_tables(dumping *it)
{
    td_init *init = it->init;
    td_store *store = init->service.store;
    td_time_us now_us = td_clock_now(init->service.clock);
    td_table_overview *tables = NULL;
    td_store_run_due(store, now_us);
    if (!td_observe_tables(store, now_us, &init->arena, &tables, &it->table_count)) return td_init__refuse_memory(init);
    it->tables = tables;
    for (uint32_t i = 0; i < it->table_count; i++) {
        td_slice name = tables[i].table;
        td_capacity_patch patch = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OFF};
        if (tables[i].scope.len > 0) {
            return td_init__refuse(
                init, init->service.config->data_dir, 0,
                "it was written with isolate: its tables belong to access keys, and a dump's to nobody");
        }
        if (name.ptr[0] == '.') {
            return td_init__refuse(init, init->service.config->data_dir, 0,
                                   "the table %.*s: a file whose name begins with a dot would not be loaded",
                                   (int)name.len, (const char *)name.ptr);
        }
        if (!td_store_patch_capacity(store, now_us, tables[i].scope, name, &patch)) return td_init__refuse_memory(init);
    }
    return true;
}

static bool write_tables(dumping *it)
{
    if (!open_file(it, TD_LIT(TABLES_FILE))) return false;
    td_buf_append_byte(&it->text, '[');
    for (uint32_t i = 0; i < it->table_count; i++) {
        td_arena_reset(&it->init->scratch);
        td_buf_append(&it->text, i == 0 ? TD_LIT("\n") : TD_LIT(",\n"));
        if (!td_init__write_table(it->init, it->tables[i].table, &it->text) || !write_piece(it)) return false;
    }
    td_buf_append_lit(&it->text, "\n]\n");
    return write_piece(it) && close_file(it);
}

static bool write_items(dumping *it, const td_table_overview *table)
{
    td_init *init = it->init;
    td_slice name;
    if (!td_arena_format(&init->arena, &name, "%.*s.items.jsonl", (int)table->table.len,
                         (const char *)table->table.ptr)) {
        return td_init__refuse_memory(init);
    }
    if (!open_file(it, name)) return false;
    const td_json *last = NULL;
    do {
        const td_json *page = NULL;
        write_scan(&init->body, table->table, last);
        td_arena_reset(&init->scratch);
        if (!td_init__ask_for(init, &init->service, TD_LIT("Scan"), &page)) {
            return td_init__refuse_asked(init, TD_LIT("Scan"), table->table);
        }
        if (!write_page(it, table->table, page)) return false;
        last = td_init__find(page, TD_LIT("LastEvaluatedKey"));
    } while (last != NULL);
    return close_file(it);
}

static void write_scan(td_buf *body, td_slice table, const td_json *last)
{
    td_buf_clear(body);
    td_buf_append_lit(body, "{\"TableName\":");
    td_json_write_string(body, table);
    if (last != NULL) {
        td_buf_append_lit(body, ",\"ExclusiveStartKey\":");
        td_json_write_tree(body, last);
    }
    td_buf_append_byte(body, '}');
}

static bool write_page(dumping *it, td_slice table, const td_json *page)
{
    const td_json *items = td_init__find(page, TD_LIT("Items"));
    for (uint32_t i = 0; items != NULL && i < items->count; i++) {
        td_json_write_tree(&it->text, &items->children[i]);
        td_buf_append_byte(&it->text, '\n');
        it->item_count++;
    }
    tell_progress(it, table);
    return write_piece(it);
}

static void tell_progress(dumping *it, td_slice table)
{
    int64_t now_us = td_monotonic_us();
    if (now_us - it->told_us < PROGRESS_US || it->init->service.log == NULL) return;
    it->told_us = now_us;
    TD_LOG(it->init->service.log, TD_LOG_INFO, "dumping", TD_LOG_TEXT("table", table),
           TD_LOG_NUMBER("items", it->item_count));
}

/* ---- files and their folder -------------------------------------------------------------------------------------- */

/* Where two names are one but for their case, the second one is there already. */
static bool open_file(dumping *it, td_slice name)
{
    td_slice path;
    if (!td_arena_format(&it->init->arena, &path, "%s/%.*s", it->folder, (int)name.len, (const char *)name.ptr)) {
        return td_init__refuse_memory(it->init);
    }
    it->path = (const char *)path.ptr;
    int file = open(it->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    it->file = file < 0 ? NULL : fdopen(file, "w");
    if (it->file != NULL) return true;
    int error = errno;
    if (file >= 0) close(file);
    return td_init__refuse(it->init, it->path, 0, "%s", strerror(error));
}

static bool write_piece(dumping *it)
{
    if (td_buf_has_failed(&it->text)) return td_init__refuse_memory(it->init);
    bool is_written = fwrite(it->text.data, 1, it->text.len, it->file) == it->text.len;
    td_buf_clear(&it->text);
    return is_written || td_init__refuse(it->init, it->path, 0, "%s", strerror(errno));
}

static bool close_file(dumping *it)
{
    bool is_written = fflush(it->file) == 0 && fsync(fileno(it->file)) == 0;
    if (!is_written) (void)td_init__refuse(it->init, it->path, 0, "%s", strerror(errno));
    fclose(it->file);
    it->file = NULL;
    return is_written;
}

/* Its files are on the disk; so are their names then. */
static bool settle_folder(td_init *init, const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_settled = file >= 0 && fsync(file) == 0;
    if (!is_settled) (void)td_init__refuse(init, folder, 0, "%s", strerror(errno));
    if (file >= 0) close(file);
    return is_settled;
}

static void remove_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) return;
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries))
        (void)unlinkat(dirfd(entries), entry->d_name, 0); /* itself and its parent are no files */
    closedir(entries);
    (void)rmdir(folder);
}
