/* SPDX-License-Identifier: Apache-2.0
 * specs.h: the tables of the model runs: every kind of key, projection and index between them.
 *
 * Index keys are drawn from "gk" (S), "gs" (N), "gb" (B) and "l" (N), which items may lack. */
#ifndef THERMODYN_TESTS_PROPERTY_SPECS_H
#define THERMODYN_TESTS_PROPERTY_SPECS_H

#include "thermodyn/table.h"

#define SPEC_COUNT 4

/* A table of its own to change: number 0 to SPEC_COUNT - 1. */
typedef struct spec_table {
    td_table_spec spec;
    td_attribute_definition definitions[8];
    td_index_spec indexes[TD_INDEXES_MAX];
} spec_table;

void spec_table_init(spec_table *table, size_t number);

#endif
