/* SPDX-License-Identifier: Apache-2.0
 * fixture.c: any file of definitions, of items in JSON and of items in CSV is loaded, or refused with a sentence. The
 * first byte chooses the kind by the name that the file gets. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "init/init.h"

static const char table[] =
    "{\"TableName\":\"TTT\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":[{\"AttributeName\":\"pk\","
    "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]}";

/* Files in memory have a name of the kernel's: links with names of ours lead there. */
static void link_file(const char *folder, const char *name, const void *bytes, size_t len, char path[128])
{
    char target[64];
    int fd = memfd_create("fixture", 0);
    TD_ASSERT(fd >= 0);
    TD_ASSERT(write(fd, bytes, len) == (ssize_t)len);
    (void)snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
    (void)snprintf(path, 128, "%s/%s", folder, name);
    TD_ASSERT(symlink(target, path) == 0);
}

static void load(const char *list)
{
    td_config config = {.account = "000000000000", .init = list};
    td_store_options options = {.seed = 1};
    td_capacity_settings_init(&options.capacity);
    td_service service = {.config = &config, .store = td_store_new(&options), .clock = td_clock_new()};
    TD_ASSERT(service.store != NULL && service.clock != NULL);
    td_buf says;
    td_buf_init(&says, (size_t)64 * 1024);
    td_init_loaded loaded;
    bool is_loaded = td_init_load(&service, &loaded, &says);
    TD_ASSERT(is_loaded == (says.len == 0));
    td_buf_done(&says);
    td_clock_free(service.clock);
    td_store_free(service.store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.yaml", "TTT.items.jsonl", "TTT.items.csv"};
    if (size == 0) return 0;
    char folder[] = "/tmp/thermodyn-fuzz-XXXXXX";
    char paths[2][128];
    char list[300];
    TD_ASSERT(mkdtemp(folder) != NULL);
    int first_fd = dup(0);
    TD_ASSERT(first_fd >= 0);
    link_file(folder, names[data[0] % TD_COUNT_OF(names)], data + 1, size - 1, paths[0]);
    link_file(folder, "table.json", table, sizeof(table) - 1, paths[1]);
    (void)snprintf(list, sizeof(list), "%s,%s", paths[0], paths[1]);
    load(list);
    for (size_t i = 0; i < TD_COUNT_OF(paths); i++)
        TD_ASSERT(unlink(paths[i]) == 0);
    for (int fd = first_fd; fd <= first_fd + 2; fd++)
        close(fd);
    TD_ASSERT(rmdir(folder) == 0);
    return 0;
}
