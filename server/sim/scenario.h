/* SPDX-License-Identifier: Apache-2.0
 * scenario.h: a scenario as it is read from its document: tables, settings of the emulation, phases of load, actions.
 * docs/simulator.md describes the document. Everything lives in the reader's arena and is read-only afterwards, but
 * for the sources' own state (source.h). */
#ifndef THERMODYN_SIM_SCENARIO_H
#define THERMODYN_SIM_SCENARIO_H

#include "arrival.h"
#include "member.h"
#include "source.h"
#include "thermodyn/capacity.h"
#include "thermodyn/table.h"

#define TD_SIM_TABLES_MAX 32
#define TD_SIM_PHASES_MAX 64
#define TD_SIM_LOADS_MAX 64                            /* of one phase */
#define TD_SIM_FIELDS_MAX 24                           /* attributes of a load's items */
#define TD_SIM_DURATION_MAX (31 * 86400 * TD_US_PER_S) /* of all phases together */

typedef enum td_sim_operation {
    TD_SIM_PUT,
    TD_SIM_GET,
    TD_SIM_UPDATE,
    TD_SIM_DELETE,
    TD_SIM_QUERY,
    TD_SIM_SCAN,
    TD_SIM_OPERATION_COUNT
} td_sim_operation;

extern const char *const td_sim_operation_names[TD_SIM_OPERATION_COUNT];

/* An attribute that items of a load have. */
typedef struct td_sim_field {
    td_slice name;
    td_sim_source source;
    double share; /* of the items that have it: 1 for keys */
    bool is_key;  /* of the table, or of the index that is read */
} td_sim_field;

/* A stream of operations. */
typedef struct td_sim_load {
    uint32_t table; /* place in the scenario */
    td_slice index; /* that is queried or scanned; empty: the table */
    double from_per_s;
    double to_per_s;
    bool is_poisson;
    bool retries; /* what is throttled is sent again at the next arrival, in place of another */
    double weights[TD_SIM_OPERATION_COUNT];
    bool is_consistent;
    uint32_t size_bytes_min; /* of an item; 0: as small as its attributes */
    uint32_t size_bytes_max;
    uint32_t limit;       /* of a query or scan; 0: none */
    td_sim_field *fields; /* sorted by name */
    uint32_t field_count;
} td_sim_load;

typedef enum td_sim_action_kind { TD_SIM_UPDATE_TABLE, TD_SIM_SET_CAPACITY, TD_SIM_SPLIT } td_sim_action_kind;

typedef struct td_sim_action {
    td_time_us at_us; /* from the beginning of the phase */
    td_sim_action_kind kind;
    td_slice table; /* SET_CAPACITY: empty: the server's settings */
    td_slice label; /* for reports: what it does */
    td_table_change change;
    td_capacity_patch *patch;
    td_slice index;     /* SPLIT */
    td_slice partition; /* SPLIT: an id; empty: the hottest */
} td_sim_action;

typedef struct td_sim_phase {
    td_slice name;
    td_time_us duration_us;
    td_sim_load *loads;
    uint32_t load_count;
    td_sim_action *actions; /* by time */
    uint32_t action_count;
} td_sim_phase;

typedef struct td_sim_table {
    td_table_spec spec;
    uint64_t fill_count; /* items that are there before the first phase */
    td_sim_load *fill;   /* a stream of puts; NULL: none */
} td_sim_table;

typedef struct td_sim_scenario {
    td_slice name;
    td_slice *story; /* paragraphs */
    uint32_t story_count;
    uint64_t seed;
    td_time_us start_us;
    bool has_table_delays;
    td_slice preset;
    td_capacity_patch *patch;
    td_sim_table *tables;
    uint32_t table_count;
    td_sim_phase *phases;
    uint32_t phase_count;
} td_sim_scenario;

/* Reads a document. false: reader->sentence says what is wrong. */
TD_MUST_USE bool td_sim__scenario_read(td_sim_reader *reader, td_slice text, td_sim_scenario *ret_scenario);

/* All phases together. */
td_time_us td_sim__scenario_duration_us(const td_sim_scenario *scenario);

/* ---- the parts, for scenario.c ---- */

void td_sim__read_table(td_sim_reader *reader, const td_json_node *node, td_table_spec *ret_spec);
void td_sim__read_throughput(td_sim_reader *reader, const td_json_node *object, const char *name, int64_t min,
                             td_throughput *ret_throughput, bool *ret_is_given);
void td_sim__read_fill(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_table *table);
void td_sim__read_load(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                       td_sim_load *ret_load);
void td_sim__read_action(td_sim_reader *reader, const td_json_node *node, const td_sim_scenario *scenario,
                         td_sim_action *ret_action);
void td_sim__read_settings(td_sim_reader *reader, const td_json_node *node, td_slice *ret_preset,
                           td_capacity_patch **ret_patch);

/* The table of that name; refuses, and answers 0, when there is none. */
uint32_t td_sim__find_table(td_sim_reader *reader, const td_sim_scenario *scenario, td_slice name);
/* NULL: no index has this name. */
const td_index_spec *td_sim__find_index(const td_table_spec *spec, td_slice name);
/* The defined type of an attribute; S when it is no key. */
td_type td_sim__type_of(const td_table_spec *spec, td_slice attribute);

#endif
