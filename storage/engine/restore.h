/* SPDX-License-Identifier: Apache-2.0
 * restore.h: what the readers of documents share. */
#ifndef THERMODYN_ENGINE_RESTORE_H
#define THERMODYN_ENGINE_RESTORE_H

#include "thermodyn/restore.h"

#include "persist.h"

struct td_restore {
    td_store *store;
    td_time_us now_us;
    td_table **tables; /* by number, rising */
    uint32_t table_count;
    uint32_t table_room;
    td_stream **streams; /* likewise */
    uint32_t stream_count;
    uint32_t stream_room;
    td_table *table;   /* of the last item; NULL: there was none, or it is no more */
    td_stream *stream; /* of the last record */
    uint32_t number;   /* of that table or stream */
    bool is_doubted;   /* hashes are computed too */
    td_buf key;        /* of an item or of an entry of an index */
    char sentence[TD_RESTORE_SENTENCE_BYTES];
};

/* Answers TD_RESTORE_DAMAGED. */
td_restored td_restore__damaged(td_restore *restore, const char *format, ...) TD_PRINTF(2, 3);

/* One more in a list of pointers. false: no memory. */
TD_MUST_USE bool td_restore__add_pointer(void *list, uint32_t *count, uint32_t *room, void *pointer);

/* restore_table.c. A new table of the document, with the streams that it names; *ret_table has one reference. */
TD_MUST_USE td_restored td_restore__table(td_restore *restore, uint32_t number, td_slice document,
                                          td_table **ret_table);
/* What falls due of it, and what its settings ask for. */
TD_MUST_USE td_restored td_restore__finish_table(td_restore *restore, td_table *table);

/* restore_item.c */
TD_MUST_USE td_restored td_restore__item(td_restore *restore, td_table *table, td_slice key, td_slice value);

/* restore_stream.c */
TD_MUST_USE td_restored td_restore__stream(td_restore *restore, uint32_t number, td_slice document);
TD_MUST_USE td_restored td_restore__change(td_restore *restore, td_stream *stream, td_slice key, td_slice value);
TD_MUST_USE td_restored td_restore__finish_stream(td_restore *restore, td_stream *stream);

/* Parts that both have. false: damaged. */
TD_MUST_USE bool td_restore__definition(td_slice bytes, td_attribute_definition *ret_definition);
TD_MUST_USE bool td_restore__key(td_slice bytes, td_key_schema *ret_key);
TD_MUST_USE bool td_restore__policy(td_slice bytes, td_attached *ret_policy);
TD_MUST_USE bool td_restore__patch_field(const td_doc_field *field, td_capacity_patch *patch);

#endif
