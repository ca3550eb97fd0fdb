/* SPDX-License-Identifier: Apache-2.0
 * member.h: strict reading of a scenario's objects: each member is known and of its type, or the reading fails with one
 * sentence that begins with the member's path: `phases[1].load[0].keys.distribution: …`.
 *
 * The first fault sticks: later reads answer their defaults, so a reader asks once at its end.
 * Threads: one reader, one thread. */
#ifndef THERMODYN_SIM_MEMBER_H
#define THERMODYN_SIM_MEMBER_H

#include "base/json_doc.h"
#include "thermodyn/arena.h"

#define TD_SIM_PATH_BYTES 256
#define TD_SIM_SENTENCE_BYTES 768

typedef struct td_sim_reader {
    td_arena *arena; /* what is read lives here */
    char path[TD_SIM_PATH_BYTES];
    size_t path_len;
    bool has_failed;
    char sentence[TD_SIM_SENTENCE_BYTES];
} td_sim_reader;

void td_sim__reader_init(td_sim_reader *reader, td_arena *arena);

/* Goes into a member (or an element of an array) for the sentences; `leave` takes what `enter` answered. */
size_t td_sim__enter(td_sim_reader *reader, const char *name);
size_t td_sim__enter_at(td_sim_reader *reader, uint32_t at);
void td_sim__leave(td_sim_reader *reader, size_t path_len);

/* Keeps the first sentence. `name`: the member that is wrong, or NULL: the place that was entered. */
void td_sim__refuse(td_sim_reader *reader, const char *name, const char *format, ...) TD_PRINTF(3, 4);
void td_sim__refuse_memory(td_sim_reader *reader);

/* Refuses a node that is no object, or has a member that is not in `names`: words parted by blanks. */
bool td_sim__check_object(td_sim_reader *reader, const td_json_node *node, const char *names);

/* Members of an object. What is absent answers the default; `needed` refuses that. Texts are copied to the arena. */
const td_json_node *td_sim__find(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_needed);
td_slice td_sim__read_text(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_needed);
bool td_sim__read_bool(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_true);
double td_sim__read_number(td_sim_reader *reader, const td_json_node *object, const char *name, double absent,
                           double min, double max);
int64_t td_sim__read_int(td_sim_reader *reader, const td_json_node *object, const char *name, int64_t absent,
                         int64_t min, int64_t max);
/* The word's place in `words`. */
int td_sim__read_word(td_sim_reader *reader, const td_json_node *object, const char *name, const char *const *words,
                      int count, int absent);
/* Seconds, or a text of a number and a unit: "90 s", "15 min", "2 h". */
td_time_us td_sim__read_duration(td_sim_reader *reader, const td_json_node *object, const char *name,
                                 td_time_us absent_us, td_time_us max_us);

/* A node itself, which the place entered names. */
double td_sim__number_of(td_sim_reader *reader, const td_json_node *node, double min, double max);
td_slice td_sim__text_of(td_sim_reader *reader, const td_json_node *node);

/* Elements of an array, or members of an object. */
uint32_t td_sim__count(const td_json_node *parent);

/* An array of `count` zeroed elements in the arena; NULL: the reading has failed. */
void *td_sim__alloc_array(td_sim_reader *reader, size_t count, size_t size_bytes);

/* A copy in the arena that ends with NUL, for paths; never NULL. */
const char *td_sim__copy_cstr(td_sim_reader *reader, td_slice text);

#endif
