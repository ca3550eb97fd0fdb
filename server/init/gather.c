/* SPDX-License-Identifier: Apache-2.0
 * gather.c: which files there are, and what each of them is, by its name:
 *
 *   TABLE.items.json, .jsonl, .csv, each also with .gz   items of the table
 *   *.json, *.yaml, *.yml                                definitions of tables
 *   a folder with manifest-summary.json                  an export of the service's
 *   any other folder                                     what is in it, by name
 *
 * What is named by itself must be one of these; in a folder anything else is passed over, with a warning, and what
 * begins with a dot without. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "init_private.h"

#define FOLDERS_DEPTH_MAX 16
#define FOLDER_BYTES_MAX ((size_t)8 << 20) /* of pointers to the paths in one */

static bool gather(td_init *init, const char *path, uint32_t depth);
static bool gather_folder(td_init *init, const char *folder, uint32_t depth);
static bool gather_file(td_init *init, const char *path, bool is_named);
static bool split_items_name(td_slice name, td_slice *ret_table, bool *ret_is_csv);
static bool cut_suffix(td_slice *text, const char *suffix);

bool td_init__gather(td_init *init, const char *path)
{
    return gather(init, path, 0);
}

static bool gather(td_init *init, const char *path, uint32_t depth)
{
    struct stat status;
    if (stat(path, &status) != 0) return td_init__refuse(init, path, 0, "cannot be read: %s", strerror(errno));
    if (!S_ISDIR(status.st_mode)) return gather_file(init, path, depth == 0);
    if (td_init__is_export(path)) return td_init__gather_export(init, path);
    if (depth > FOLDERS_DEPTH_MAX) return td_init__refuse(init, path, 0, "lies too deep in its folder");
    return gather_folder(init, path, depth);
}

static int compare_paths(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

/* Appends the path of an entry; those that begin with a dot are nobody's fixtures. */
static bool note_path(td_init *init, const char *folder, const char *name, td_buf *paths)
{
    td_slice path;
    bool has_slash = folder[strlen(folder) - 1] == '/';
    if (name[0] == '.') return true;
    if (!td_arena_format(&init->arena, &path, "%s%s%s", folder, has_slash ? "" : "/", name)) return false;
    td_buf_append(paths, td_slice_of(&path.ptr, sizeof(path.ptr)));
    return true;
}

static bool gather_folder(td_init *init, const char *folder, uint32_t depth)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) return td_init__refuse(init, folder, 0, "cannot be read: %s", strerror(errno));
    td_buf paths; /* pointers to them */
    td_buf_init(&paths, FOLDER_BYTES_MAX);
    bool is_read = true;
    for (const struct dirent *entry = readdir(entries); entry != NULL && is_read; entry = readdir(entries))
        is_read = note_path(init, folder, entry->d_name, &paths);
    closedir(entries);
    size_t count = paths.len / sizeof(char *);
    if (!is_read || td_buf_has_failed(&paths)) is_read = td_init__refuse_memory(init);
    const char **sorted = (const char **)(void *)paths.data;
    if (count > 0) qsort(sorted, count, sizeof(*sorted), compare_paths);
    for (size_t i = 0; i < count && is_read; i++)
        is_read = gather(init, sorted[i], depth + 1);
    td_buf_done(&paths);
    return is_read;
}

static bool gather_file(td_init *init, const char *path, bool is_named)
{
    const char *slash = strrchr(path, '/');
    td_slice name = td_slice_of_cstr(slash == NULL ? path : slash + 1);
    td_slice table;
    bool is_csv = false;
    if (split_items_name(name, &table, &is_csv)) return td_init__note_items(init, path, table, is_csv);
    td_slice rest = name;
    if (cut_suffix(&rest, ".json") || cut_suffix(&rest, ".yaml") || cut_suffix(&rest, ".yml")) {
        return td_init__read_definitions(init, path);
    }
    if (is_named) {
        return td_init__refuse(init, path, 0,
                               "is no fixture by its name: definitions of tables end with .json, .yaml or "
                               ".yml, items with .items.json, .items.jsonl or .items.csv");
    }
    if (init->service.log != NULL) {
        TD_LOG(init->service.log, TD_LOG_WARN, "passed over: no fixture by its name",
               TD_LOG_TEXT("path", td_slice_of_cstr(path)));
    }
    return true;
}

static bool split_items_name(td_slice name, td_slice *ret_table, bool *ret_is_csv)
{
    (void)cut_suffix(&name, ".gz");
    *ret_is_csv = cut_suffix(&name, ".csv");
    if (!*ret_is_csv && !cut_suffix(&name, ".json") && !cut_suffix(&name, ".jsonl")) return false;
    *ret_table = name;
    return cut_suffix(ret_table, ".items") && ret_table->len > 0;
}

static bool cut_suffix(td_slice *text, const char *suffix)
{
    size_t len = strlen(suffix);
    if (text->len < len || memcmp(text->ptr + text->len - len, suffix, len) != 0) return false;
    text->len -= len;
    return true;
}

bool td_init__note_items(td_init *init, const char *path, td_slice table, bool is_csv)
{
    td_init_items *items = td_arena_alloc(&init->arena, sizeof(*items));
    if (items == NULL) return td_init__refuse_memory(init);
    *items = (td_init_items){.path = path, .table = table, .is_csv = is_csv};
    *init->items_end = items;
    init->items_end = &items->next;
    return true;
}
