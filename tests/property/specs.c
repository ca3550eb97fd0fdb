/* SPDX-License-Identifier: Apache-2.0
 * specs.c: the tables of the model runs. */
#include "specs.h"

#define S_PART(name)                                                                                                   \
    {                                                                                                                  \
        TD_LIT_INIT(name), TD_TYPE_S                                                                                   \
    }
#define N_PART(name)                                                                                                   \
    {                                                                                                                  \
        TD_LIT_INIT(name), TD_TYPE_N                                                                                   \
    }
#define B_PART(name)                                                                                                   \
    {                                                                                                                  \
        TD_LIT_INIT(name), TD_TYPE_B                                                                                   \
    }
#define KEY(hash_count_, range_count_, ...)                                                                            \
    {                                                                                                                  \
        .hash_count = (hash_count_), .range_count = (range_count_), .parts = { __VA_ARGS__ }                           \
    }

typedef struct index_row {
    const char *name;
    td_key_schema key;
    td_projection_type projection;
    bool is_global;
} index_row;

typedef struct table_row {
    td_key_schema key;
    td_billing_mode billing;
    index_row indexes[8];
} table_row;

static td_slice included[] = {TD_LIT_INIT("a"), TD_LIT_INIT("cnt"), TD_LIT_INIT("gb")};

static const table_row rows[SPEC_COUNT] = {
    {
        .key = KEY(1, 1, S_PART("pk"), N_PART("sk")),
        .billing = TD_BILLING_ON_DEMAND,
        .indexes =
            {
                {"local-all", KEY(1, 1, S_PART("pk"), N_PART("l")), TD_PROJECT_ALL, false},
                {"local-keys", KEY(1, 1, S_PART("pk"), N_PART("gs")), TD_PROJECT_KEYS_ONLY, false},
                {"local-some", KEY(1, 1, S_PART("pk"), B_PART("gb")), TD_PROJECT_INCLUDE, false},
                {"global-all", KEY(1, 0, S_PART("gk")), TD_PROJECT_ALL, true},
                {"global-keys", KEY(1, 1, S_PART("gk"), N_PART("gs")), TD_PROJECT_KEYS_ONLY, true},
                {"global-some", KEY(1, 1, N_PART("gs"), B_PART("gb")), TD_PROJECT_INCLUDE, true},
                {"global-many", KEY(2, 2, S_PART("gk"), B_PART("gb"), N_PART("gs"), N_PART("l")), TD_PROJECT_KEYS_ONLY,
                 true},
                {"inverted", KEY(1, 1, N_PART("sk"), S_PART("pk")), TD_PROJECT_ALL, true},
            },
    },
    {
        .key = KEY(1, 0, N_PART("pk")),
        .billing = TD_BILLING_PROVISIONED,
        .indexes =
            {
                {"global-all", KEY(1, 1, B_PART("gb"), N_PART("l")), TD_PROJECT_ALL, true},
                {"global-some", KEY(1, 0, S_PART("gk")), TD_PROJECT_INCLUDE, true},
            },
    },
    {
        .key = KEY(1, 1, B_PART("pk"), S_PART("sk")),
        .billing = TD_BILLING_PROVISIONED,
        .indexes =
            {
                {"local-some", KEY(1, 1, B_PART("pk"), S_PART("gk")), TD_PROJECT_INCLUDE, false},
                {"global-keys", KEY(1, 1, N_PART("gs"), S_PART("gk")), TD_PROJECT_KEYS_ONLY, true},
            },
    },
    {
        .key = KEY(1, 1, S_PART("pk"), B_PART("sk")),
        .billing = TD_BILLING_ON_DEMAND,
    },
};

static void define(td_table_spec *spec, const td_key_schema *key);

void spec_table_init(spec_table *table, size_t number)
{
    const table_row *row = &rows[number];
    *table = (spec_table){.spec.name = TD_LIT("model")};
    td_table_spec *spec = &table->spec;
    spec->definitions = table->definitions;
    spec->indexes = table->indexes;
    spec->key = row->key;
    spec->billing = row->billing;
    td_throughput rates = {{0}};
    if (row->billing == TD_BILLING_PROVISIONED) rates = (td_throughput){{[TD_READ] = 10, [TD_WRITE] = 10}};
    spec->throughput = rates;
    define(spec, &row->key);
    for (size_t i = 0; i < TD_COUNT_OF(row->indexes) && row->indexes[i].name != NULL; i++) {
        const index_row *given = &row->indexes[i];
        td_index_spec *index = &spec->indexes[spec->index_count++];
        *index = (td_index_spec){.name = td_slice_of_cstr(given->name),
                                 .is_global = given->is_global,
                                 .key = given->key,
                                 .projection = given->projection};
        if (given->is_global) index->throughput = rates;
        if (given->projection == TD_PROJECT_INCLUDE) {
            index->non_key_attributes = included;
            index->non_key_attribute_count = TD_COUNT_OF(included);
        }
        define(spec, &given->key);
    }
}

static void define(td_table_spec *spec, const td_key_schema *key)
{
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        bool is_known = false;
        for (uint32_t j = 0; j < spec->definition_count; j++)
            is_known = is_known || td_slice_equal(spec->definitions[j].name, key->parts[i].name);
        if (is_known) continue;
        spec->definitions[spec->definition_count++] =
            (td_attribute_definition){.name = key->parts[i].name, .type = key->parts[i].type};
    }
}
