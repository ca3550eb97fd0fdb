/* SPDX-License-Identifier: Apache-2.0
 * report.h: `thermodyn report`: what a test run did to the partitions of a running server.
 *
 *   control endpoints ─gather─▶ td_report ─write─▶ page, markdown, JUnit XML, JSON
 *
 * Everything in a td_report lives in its arena. Writing is pure: the same report gives the same bytes. Texts in it are
 * what users stored: each writer escapes all of them. Threads: one report, one thread; read-only once gathered. */
#ifndef THERMODYN_REPORT_REPORT_H
#define THERMODYN_REPORT_REPORT_H

#include "criterion.h"
#include "thermodyn/heat.h"

/* The arguments behind "report". Answers the exit code: see ask.h. */
int td_report_command(int argc, char **argv);

/* ---- what is reported ------------------------------------------------------------------------------------------- */

typedef struct td_report_key {
    td_slice name; /* the values of its attributes, parted by commas; empty: no longer known */
    td_slice partition;
    double count;       /* units, or requests throttled, at most */
    double error;       /* count - error: at least */
    double share;       /* of the resource's, at least */
    double peak;        /* units that it was asked for in its busiest second */
    bool is_over_limit; /* that is more than one partition serves */
} td_report_key;

typedef struct td_report_partition {
    td_slice id;
    td_slice hash_from; /* 16 hexadecimal digits; inclusive, as hash_to */
    td_slice hash_to;
    td_slice sort_from; /* as JSON; empty: from the collection's beginning */
    td_slice parent;    /* empty: it did not come from a split */
    double created_ms;
    double items;
    double bytes;
    double units[TD_DIRECTION_COUNT];     /* in the window, estimated from the heat map */
    double throttled[TD_DIRECTION_COUNT]; /* by its limit, since it exists */
    td_slice split_cause;                 /* of a split that is under way; empty: none is */
    td_slice veto;                        /* why it is not split; empty: nothing forbids it */
} td_report_partition;

/* "TableWriteKeyRangeThroughputExceeded": 17; those that are 0 are left out. */
typedef struct td_report_count {
    td_slice name;
    double count;
} td_report_count;

typedef struct td_report_counts {
    td_report_count *items;
    uint32_t count;
} td_report_counts;

typedef struct td_report_advice {
    td_slice severity;
    td_slice kind;
    td_slice text;
} td_report_advice;

typedef struct td_report_side {
    double units; /* in the window */
    double peak;  /* units in its busiest second */
    double partition_cv;
    double cap; /* units a second that a partition here serves */
} td_report_side;

typedef struct td_report_resource {
    td_slice name; /* "orders", "orders/by-day" */
    td_slice table;
    td_slice index; /* empty: the table */
    bool is_on_demand;
    td_report_side sides[TD_DIRECTION_COUNT];
    double throttled;         /* requests in the window */
    td_report_counts reasons; /* since it exists, as splits and vetoes */
    td_report_counts splits;
    td_report_counts vetoes;
    double partition_count;
    td_report_partition *partitions;     /* in the order of their ranges; none of what had no traffic */
    const td_report_partition **hottest; /* the same by their units */
    uint32_t listed;                     /* in `partitions` */
    uint32_t room;                       /* likewise */
    td_report_key *keys[TD_HEAT_METRIC_COUNT]; /* hottest first */
    uint32_t key_count[TD_HEAT_METRIC_COUNT];
    td_heatmap heat[TD_HEAT_METRIC_COUNT]; /* row_count 0: no picture */
    td_report_advice *advice;              /* the severest first */
    uint32_t advice_count;
} td_report_resource;

typedef struct td_report {
    td_slice endpoint; /* "http://127.0.0.1:8000" */
    double from_ms;    /* the window, by the server's clock */
    double to_ms;
    double factor;
    td_time_us start_us; /* what the pictures show: from the first access to the last */
    td_time_us duration_us;
    td_report_resource *resources; /* by table; a table's indexes behind it */
    uint32_t resource_count;
    td_criteria criteria;
    td_findings findings;
} td_report;

static inline bool td_report_has_traffic(const td_report_resource *resource)
{
    return resource->sides[TD_READ].units > 0 || resource->sides[TD_WRITE].units > 0 || resource->throttled > 0;
}

/* Of a place in the key space: its part of the whole. */
double td_report_share_of(td_slice hash);

/* ---- gathering -------------------------------------------------------------------------------------------------- */

/* Where answers come from: a server, or a test. */
typedef struct td_report_source {
    /* GET of a target, into the arena. false: it failed. */
    bool (*get)(void *context, td_slice target, td_arena *arena, const td_json_node **ret_answer);
    void *context;
    const char *question; /* parameters of all questions about tables: "scope=A%2FB", or "" */
    const char *window;   /* how far back was asked for, in ms; "": as far as is kept */
} td_report_source;

/* `advice`: the answer of GET /_thermodyn/advice with detail=partitions. The other members of *report are filled; what
 * had no traffic gets its figures alone. Pictures cost two questions each and are drawn for the busiest alone.
 * false: a question failed, or there is no memory. */
TD_MUST_USE bool td_report_gather(const td_report_source *source, const td_json_node *advice, bool has_pictures,
                                  td_arena *arena, td_report *report);

/* ---- private to the folder: parts of gathering ------------------------------------------------------------------ */

TD_MUST_USE bool td_report__gather_pictures(const td_report_source *source, td_arena *arena, td_report *report);

/* A target without "?" gets one. */
void td_report__begin_target(td_buf *target, const td_report_source *source, const char *path);
void td_report__name_resource(td_buf *target, const td_report_resource *resource, td_heat_metric metric);

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Appends the report. false: no memory. */
TD_MUST_USE bool td_report_write_html(const td_report *report, td_buf *buf);
TD_MUST_USE bool td_report_write_markdown(const td_report *report, td_buf *buf);
TD_MUST_USE bool td_report_write_junit(const td_report *report, td_buf *buf);
TD_MUST_USE bool td_report_write_json(const td_report *report, td_buf *buf);

/* ---- private to the folder: what writers have in common ---------------------------------------------------------- */

#define TD_REPORT_TEXT_BYTES 64

/* "2026-11-30 12:00:00 UTC" */
const char *td_report__date(double ms, char ret_text[TD_REPORT_TEXT_BYTES]);
/* "60 minutes", "2.5 seconds" */
const char *td_report__window(const td_report *report, char ret_text[TD_REPORT_TEXT_BYTES]);
/* "1,234,567", "0.5" */
const char *td_report__number(double number, char ret_text[TD_REPORT_TEXT_BYTES]);
/* "1,973", or "1 to 88" where the sketch cannot say it better */
const char *td_report__bounds(const td_report_key *key, char ret_text[TD_REPORT_TEXT_BYTES]);
/* "12.5 to 25 %" of the key space */
const char *td_report__range(const td_report_partition *partition, char ret_text[TD_REPORT_TEXT_BYTES]);
/* Units of both directions. */
double td_report__units(const td_report_partition *partition);
double td_report__sum(const td_report_counts *counts);
double td_report__unevenness(const td_report_resource *resource); /* of reads or writes, whichever is more */
const char *td_report__mode(const td_report_resource *resource);  /* "on-demand", "provisioned" */

extern const char *const td_report__metric_titles[TD_HEAT_METRIC_COUNT]; /* "Hottest keys by reads", … */

void td_report__write_resource_tables(const td_report *report, const td_report_resource *resource, td_buf *buf);

#endif
