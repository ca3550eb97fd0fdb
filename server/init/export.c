/* SPDX-License-Identifier: Apache-2.0
 * export.c: what ExportTableToPointInTime leaves in S3, copied into a folder:
 *
 *   manifest-summary.json   {"tableArn", "outputFormat", "exportType", …}: one document
 *   manifest-files.json     {"dataFileS3Key": "…/data/NAME.json.gz", …}: one a line
 *   data/NAME.json.gz       {"Item": {…}}: one a line
 *
 * Source: AWS developer guide, "DynamoDB table export output format". */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

#define SUMMARY "manifest-summary.json"
#define FILES "manifest-files.json"

static bool read_summary(td_init *init, const char *path, td_slice *ret_table);
static bool read_files(td_init *init, const char *folder, const char *path, td_slice table);
static bool parse(td_init *init, const char *path, uint32_t line, td_slice text, const td_json **ret_object);
static bool is_text(const td_json *object, td_slice name, td_slice text);

bool td_init__is_export(const char *folder)
{
    char path[4096];
    int len = snprintf(path, sizeof(path), "%s/" SUMMARY, folder);
    return len > 0 && (size_t)len < sizeof(path) && access(path, F_OK) == 0;
}

bool td_init__gather_export(td_init *init, const char *folder)
{
    td_slice summary;
    td_slice files;
    td_slice table = {NULL, 0};
    if (!td_arena_format(&init->arena, &summary, "%s/" SUMMARY, folder) ||
        !td_arena_format(&init->arena, &files, "%s/" FILES, folder)) {
        return td_init__refuse_memory(init);
    }
    return read_summary(init, (const char *)summary.ptr, &table) &&
           read_files(init, folder, (const char *)files.ptr, table);
}

static bool read_summary(td_init *init, const char *path, td_slice *ret_table)
{
    td_init_source source;
    const td_json *object = NULL;
    bool is_read = td_init__source_open(&source, init, path);
    if (is_read) is_read = td_init__source_read_all(&source);
    if (is_read) is_read = parse(init, path, 1, td_init__source_rest(&source), &object);
    td_init__source_close(&source);
    if (!is_read) return false;
    const td_json *format = td_json_find(object, TD_LIT("outputFormat"));
    if (format != NULL && !is_text(object, TD_LIT("outputFormat"), TD_LIT("DYNAMODB_JSON"))) {
        return td_init__refuse(init, path, 0, "the export is not in DYNAMODB_JSON, the one format that is read");
    }
    if (is_text(object, TD_LIT("exportType"), TD_LIT("INCREMENTAL_EXPORT"))) {
        return td_init__refuse(init, path, 0, "the export is incremental: only full ones are read");
    }
    const td_json *arn = td_json_find(object, TD_LIT("tableArn"));
    const uint8_t *slash = arn == NULL || arn->type != TD_JSON_STRING || arn->text.len == 0
                               ? NULL
                               : memrchr(arn->text.ptr, '/', arn->text.len);
    if (slash == NULL) return td_init__refuse(init, path, 0, "the manifest has no tableArn");
    *ret_table = td_slice_of(slash + 1, (size_t)(arn->text.ptr + arn->text.len - slash) - 1);
    return true;
}

/* The keys name places in a bucket: what counts here is the name of the file. */
static bool note_file(td_init *init, const char *folder, const char *path, uint32_t line, td_slice text, td_slice table)
{
    const td_json *object = NULL;
    if (!parse(init, path, line, text, &object)) return false;
    const td_json *key = td_json_find(object, TD_LIT("dataFileS3Key"));
    if (key == NULL || key->type != TD_JSON_STRING || key->text.len == 0) {
        return td_init__refuse(init, path, line, "the line has no dataFileS3Key");
    }
    const uint8_t *slash = memrchr(key->text.ptr, '/', key->text.len);
    const uint8_t *name = slash == NULL ? key->text.ptr : slash + 1;
    td_slice file;
    if (!td_arena_format(&init->arena, &file, "%s/data/%.*s", folder, (int)(key->text.ptr + key->text.len - name),
                         (const char *)name)) {
        return td_init__refuse_memory(init);
    }
    return td_init__note_items(init, (const char *)file.ptr, table, false);
}

static bool read_files(td_init *init, const char *folder, const char *path, td_slice table)
{
    td_init_source source;
    bool is_read = td_init__source_open(&source, init, path);
    if (is_read) is_read = td_init__source_read_all(&source);
    while (is_read && td_init__source_rest(&source).len > 0) {
        td_slice rest = td_init__source_rest(&source);
        const uint8_t *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        if (len > 0) is_read = note_file(init, folder, path, source.line, td_slice_of(rest.ptr, len), table);
        td_init__source_pass(&source, end == NULL ? len : len + 1);
    }
    td_init__source_close(&source);
    return is_read;
}

/* The tree outlives the text. */
static bool parse(td_init *init, const char *path, uint32_t line, td_slice text, const td_json **ret_object)
{
    td_slice copy;
    td_json *root = NULL;
    td_error error = {.arena = &init->arena};
    if (!td_arena_copy(&init->arena, text, &copy)) return td_init__refuse_memory(init);
    if (td_json_parse(copy, &init->arena, &root, &error) != TD_OK || root->type != TD_JSON_OBJECT) {
        return td_init__refuse(init, path, line, "is no JSON object");
    }
    *ret_object = root;
    return true;
}

static bool is_text(const td_json *object, td_slice name, td_slice text)
{
    const td_json *member = td_json_find(object, name);
    return member != NULL && member->type == TD_JSON_STRING && td_slice_equal(member->text, text);
}
