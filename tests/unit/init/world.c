/* SPDX-License-Identifier: Apache-2.0
 * world.c: see world.h. */
#include "world.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

ask_server server;
td_init_loaded loaded;
static char folder[] = "/tmp/thermodyn-init-XXXXXX";
static char sentence[4096];

void world_setup(void)
{
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ask_setup(&server);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

void world_teardown(void)
{
    ask_teardown(&server);
    ck_assert_int_eq(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void path_of(const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
}

void write_bytes(const char *name, const void *bytes, size_t len)
{
    char path[512];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

void write_json(const char *name, const char *json)
{
    write_file(name, ask_quoted(&server, json));
}

void write_packed(const char *name, const char *text)
{
    char path[512];
    path_of(name, path);
    gzFile file = gzopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(gzputs(file, text), (int)strlen(text));
    ck_assert_int_eq(gzclose(file), Z_OK);
}

void write_table(void)
{
    write_json("TTT.json", "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST',\n"
                           "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
                           "{'AttributeName':'sk','AttributeType':'N'}],\n"
                           "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
                           "{'AttributeName':'sk','KeyType':'RANGE'}]}");
}

/* The sentence names files by their paths: the folder's is not known beforehand. */
static void cut_folder(char *text)
{
    size_t len = strlen(folder);
    for (char *found = strstr(text, folder); found != NULL; found = strstr(found, folder)) {
        size_t cut = found[len] == '/' ? len + 1 : len;
        memmove(found, found + cut, strlen(found + cut) + 1);
    }
}

static const char *take_sentence(const td_buf *says)
{
    td_slice text = td_buf_contents(says);
    if (text.len > 0) memcpy(sentence, text.ptr, text.len);
    sentence[text.len] = '\0';
    cut_folder(sentence);
    return sentence;
}

static const char *load_list(const char *list)
{
    td_buf says;
    td_buf_init(&says, sizeof(sentence) - 1);
    server.config.init = list;
    bool is_loaded = td_init_load(&server.service, &loaded, &says);
    ck_assert_int_eq(is_loaded, says.len == 0);
    take_sentence(&says);
    td_buf_done(&says);
    return sentence;
}

const char *load(void)
{
    return load_list(folder);
}

const char *load_paths(const char *names)
{
    char list[2048];
    int len = snprintf(list, sizeof(list), "%s/", folder);
    for (const char *at = names; *at != '\0'; at++) {
        bool is_blank = *at == ' ';
        len += is_blank ? snprintf(list + len, sizeof(list) - (size_t)len, ",%s/", folder)
                        : snprintf(list + len, sizeof(list) - (size_t)len, "%c", *at);
    }
    return load_list(list);
}

const char *dump_to(const char *name)
{
    char path[512];
    td_buf says;
    td_buf_init(&says, sizeof(sentence) - 1);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    server.config.data_dir = "DIR";
    bool is_dumped = td_init_dump(&server.service, path, &loaded, &says);
    ck_assert_int_eq(is_dumped, says.len == 0);
    take_sentence(&says);
    td_buf_done(&says);
    return sentence;
}

const char *read_file(const char *name)
{
    static char text[1 << 20];
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return NULL;
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    text[len] = '\0';
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

void start_anew(void)
{
    ask_teardown(&server);
    ask_setup(&server);
}
