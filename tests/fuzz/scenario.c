/* SPDX-License-Identifier: Apache-2.0
 * scenario.c: any scenario of the simulator is read or refused with a sentence, and the values that it draws stay
 * within their bytes. */
#include "fuzz/fuzz.h"
#include "sim/scenario.h"
#include "thermodyn/memory.h"

#define ELEMENTS_MAX 1000 /* larger tables of weights take longer than an input may */
#define DRAWS 8
#define SMALL_BYTES_MAX ((size_t)32 * 1024)

static bool is_small(const td_sim_source *source)
{
    bool has_table = source->kind == TD_SIM_ZIPF || source->order != TD_SIM_ORDER_NATURAL;
    bool is_good = !has_table || source->count <= ELEMENTS_MAX;
    for (uint32_t i = 0; i < source->part_count; i++)
        is_good = is_good && is_small(&source->parts[i]);
    return is_good;
}

static void draw(const td_sim_load *load, td_arena *arena)
{
    td_rng rng;
    td_rng_init(&rng, 1);
    for (uint32_t i = 0; i < load->field_count; i++) {
        td_sim_source *source = &load->fields[i].source;
        if (!is_small(source) || !td_sim__source_prepare(source, 1, arena)) continue;
        uint8_t *bytes = td_alloc(TD_SIM_VALUE_BYTES);
        for (int j = 0; j < DRAWS && bytes != NULL; j++)
            TD_ASSERT(td_sim__source_draw(source, &rng, TD_US_PER_S, bytes) <= TD_SIM_VALUE_BYTES);
        td_free(bytes);
    }
}

static void read_within(td_slice text, size_t arena_bytes_max)
{
    td_arena arena;
    td_arena_init(&arena, arena_bytes_max);
    td_sim_reader reader;
    td_sim_scenario scenario;
    td_sim__reader_init(&reader, &arena);
    bool is_read = td_sim__scenario_read(&reader, text, &scenario);
    TD_ASSERT(is_read == (reader.sentence[0] == '\0'));
    for (uint32_t i = 0; i < scenario.phase_count && is_read; i++) {
        for (uint32_t j = 0; j < scenario.phases[i].load_count; j++)
            draw(&scenario.phases[i].loads[j], &arena);
    }
    td_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice text = fuzz_copy(data, size);
    read_within(text, (size_t)64 << 20);
    read_within(text, fuzz_small_limit(text, SMALL_BYTES_MAX)); /* where there may be too little memory */
    fuzz_done(text);
    return 0;
}
