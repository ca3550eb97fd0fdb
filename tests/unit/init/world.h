/* SPDX-License-Identifier: Apache-2.0
 * world.h: a server and a folder for fixtures, made anew for each test. In JSON ' stands for ". */
#ifndef THERMODYN_TESTS_UNIT_INIT_WORLD_H
#define THERMODYN_TESTS_UNIT_INIT_WORLD_H

#include "init/dump.h"
#include "unit/ops/ask.h"

extern ask_server server;

void world_setup(void);
void world_teardown(void);

/* Writes a file of the folder as it stands, or with " for '; folders in its path are made. */
void write_file(const char *name, const char *text);
void write_bytes(const char *name, const void *bytes, size_t len);
void write_json(const char *name, const char *json);
void write_packed(const char *name, const char *text); /* by gzip */

/* A table "TTT" with pk (S) and sk (N), in TTT.json. */
void write_table(void);

/* Loads the folder, or the paths in it, parted by blanks. "" or the sentence, without the folder's path. */
const char *load(void);
const char *load_paths(const char *names);

extern td_init_loaded loaded; /* by the last load, or dump */

/* Dumps into a folder of the folder; "" or the sentence. */
const char *dump_to(const char *name);
/* A file of the folder, borrowed until the next call; NULL: there is none. */
const char *read_file(const char *name);
/* A server without tables in place of this one. */
void start_anew(void);

#define CHECK_LOADS() ck_assert_str_eq(load(), "")
#define CHECK_REFUSES(sentence) ck_assert_str_eq(load(), sentence)

#endif
