/* SPDX-License-Identifier: Apache-2.0
 * streams.h: the streams of a store by table and label: enabled, disabled, found, forgotten.
 *
 * The catalogue has a second tree for them, (catalogue key of the table ‖ 00 ‖ label) → td_stream, so that a table's
 * streams stand together, oldest first, and stay when the table goes. */
#ifndef THERMODYN_ENGINE_STREAMS_H
#define THERMODYN_ENGINE_STREAMS_H

#include "catalog.h"

/* Makes a stream of the table, enables it and puts it in place of td_table.stream, whose reference becomes the
 * caller's. The label is the instant, in whole milliseconds, or one after the label of the last stream of that name.
 * false: no memory, unchanged. Both locks are held, the catalogue's for writing. */
TD_MUST_USE bool td_streams__enable_locked(td_table *table, td_stream_view view, td_time_us now_us);
/* Undoes it, before anything was written, and takes the reference back. Locks as above. */
void td_streams__cancel_locked(td_table *table, td_stream *previous);

/* The table writes no more records. The table's lock is held. */
void td_streams__disable_locked(td_table *table, td_stream_status status, td_time_us now_us);

/* The stream of the call's table with a reference of the caller's, or NULL. Takes the catalogue's lock. */
td_stream *td_streams__find(const td_call *call, td_time_us label_us);

/* Drops all streams of that table, present or past. The catalogue's lock is held for writing, no table's is. */
void td_streams__drop_locked(td_store *store, td_slice scope, td_slice table_name);
void td_streams__drop_all_locked(td_store *store);

/* Puts the status that a table's change of state leads to. The table's lock is held. */
void td_streams__settle_locked(td_table *table);

/* Is it still there, and the end of its time: takes it out and hands the catalogue's reference to the caller. The
 * catalogue's lock is held for writing. */
bool td_streams__is_present_locked(const td_store *store, const td_stream *stream);
void td_streams__remove_locked(td_store *store, td_stream *stream);

/* Puts a stream of the disk in its place; the reference passes. false: no memory, or it is there twice. */
TD_MUST_USE bool td_streams__put_locked(td_store *store, td_stream *stream);

static inline bool td_streams__is_enabled(const td_table *table)
{
    return table->resources[0]->stream != NULL;
}

#endif
