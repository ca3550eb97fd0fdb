/* SPDX-License-Identifier: Apache-2.0
 * check.c: reads all of a directory as a start does and changes nothing. `thermodyn check --data-dir DIR` tells what it
 * holds or what is wrong with it. */
#include "durable/check.h"

#include <stdio.h>

#include "durable_private.h"
#include "thermodyn/memory.h"
#include "thermodyn/rng.h"

static bool read_all(td_durable *durable);
static void tell(td_durable *durable);

bool td_durable_check_directory(const char *path, td_placement placement)
{
    td_store_options store_options = {.placement = placement, .seed = td_rng_system_seed(), .has_journal = true};
    td_capacity_settings_init(&store_options.capacity);
    td_durable_options options = {.path = path,
                                  .store = td_store_new(&store_options),
                                  .clock = td_clock_new(),
                                  .log = td_log_new(TD_LOG_INFO, false)};
    td_durable *durable = td_alloc_zero(sizeof *durable);
    bool has_memory = options.store != NULL && options.clock != NULL && options.log != NULL && durable != NULL;
    bool is_sound = false;
    if (has_memory) {
        durable->options = options;
        durable->is_doubted = true;
        is_sound = read_all(durable);
    }
    if (is_sound) tell(durable);
    if (!is_sound) fprintf(stderr, "thermodyn: %s\n", has_memory ? durable->failure : "out of memory");
    td_durable_free(durable);
    if (options.store != NULL) td_store_free(options.store);
    if (options.clock != NULL) td_clock_free(options.clock);
    td_log_free(options.log);
    return is_sound;
}

bool td_durable_read_directory(const td_durable_options *options, char reterr_sentence[TD_DISK_SENTENCE_BYTES])
{
    td_durable *durable = td_alloc_zero(sizeof *durable);
    bool is_read = false;
    snprintf(reterr_sentence, TD_DISK_SENTENCE_BYTES, "out of memory");
    if (durable != NULL) {
        durable->options = *options;
        is_read = read_all(durable);
        memcpy(reterr_sentence, durable->failure, TD_DISK_SENTENCE_BYTES);
    }
    td_durable_free(durable);
    return is_read;
}

static bool read_all(td_durable *durable)
{
    return td_durable__open(durable, TD_DISK_READ, durable->failure) && td_durable__load(durable);
}

static void tell(td_durable *durable)
{
    uint64_t left_over = 0;
    for (const td_durable_sweep *sweep = durable->sweeps.first; sweep != NULL; sweep = sweep->next)
        left_over++;
    printf("%s is sound: %llu tables, %llu items, %llu streams, %llu records, %llu tokens, %llu bytes",
           durable->options.path, (unsigned long long)td_store_table_count(durable->options.store),
           (unsigned long long)durable->counts[TD_SPACE_ITEMS],
           (unsigned long long)durable->counts[TD_SPACE_STREAMS],
           (unsigned long long)durable->counts[TD_SPACE_CHANGES],
           (unsigned long long)durable->counts[TD_SPACE_TOKENS],
           (unsigned long long)(td_disk_bytes(durable->disk) + td_redo_disk_bytes(durable->redo)));
    if (left_over > 0) printf("; leftovers in %llu ranges, removed at the next start", (unsigned long long)left_over);
    printf("\n");
}
