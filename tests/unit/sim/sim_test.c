/* SPDX-License-Identifier: Apache-2.0
 * sim_test.c: see sim_test.h. */
#include "sim_test.h"

#include <stdlib.h>

#define ARENA_BYTES_MAX ((size_t)256 << 20)

bool sim_test_read(sim_test *it, const char *text)
{
    *it = (sim_test){.has_record = false};
    td_arena_init(&it->arena, ARENA_BYTES_MAX);
    td_sim__reader_init(&it->reader, &it->arena);
    td_slice copy;
    ck_assert(td_arena_copy(&it->arena, td_slice_of_cstr(text), &copy));
    uint8_t *bytes = (uint8_t *)(uintptr_t)copy.ptr;
    for (size_t i = 0; i < copy.len; i++) {
        if (bytes[i] == '\'') bytes[i] = '"';
    }
    return td_sim__scenario_read(&it->reader, copy, &it->scenario);
}

void sim_test_close(sim_test *it)
{
    if (it->has_record) td_sim__record_done(&it->record);
    td_arena_done(&it->arena);
}

void sim_test_run(sim_test *it, const char *text, double seconds, double scale)
{
    bool is_read = sim_test_read(it, text);
    ck_assert_msg(is_read, "%s", it->reader.sentence);
    sim_test_run_read(it, seconds, scale);
}

void sim_test_run_read(sim_test *it, double seconds, double scale)
{
    td_sim_progress progress;
    td_sim__progress_init(&progress, true);
    td_time_us all_us = td_sim__scenario_duration_us(&it->scenario);
    td_time_us wanted_us = (td_time_us)(seconds * (double)TD_US_PER_S);
    td_sim_run_options options = {
        .scale = scale, .duration_us = wanted_us > 0 && wanted_us < all_us ? wanted_us : all_us, .progress = &progress};
    char sentence[TD_SIM_FAULT_BYTES];
    it->has_record = td_sim__run(&it->scenario, &options, &it->record, sentence);
    ck_assert_msg(it->has_record, "%s", sentence);
}

const td_sim_place *sim_test_place(const sim_test *it, const char *table, const char *index)
{
    uint32_t at = td_sim__record_find(&it->record, td_slice_of_cstr(table), td_slice_of_cstr(index));
    ck_assert_uint_ne(at, UINT32_MAX);
    return &it->record.places[at];
}

const td_sim_counts *sim_test_total(const sim_test *it, const char *table, const char *index)
{
    return &sim_test_place(it, table, index)->total;
}
