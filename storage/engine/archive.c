/* SPDX-License-Identifier: MIT
 * archive.c: a queue of ledgers without their tables. */
#include "archive.h"

#include "thermodyn/memory.h"

static td_slice keep(uint8_t **place, td_slice text);
static void drop_oldest(td_archive *archive);

void td_archive__init(td_archive *archive)
{
    int error = pthread_mutex_init(&archive->lock, NULL);
    TD_ASSERT(error == 0);
}

void td_archive__done(td_archive *archive)
{
    td_archive__clear(archive);
    pthread_mutex_destroy(&archive->lock);
}

void td_archive__clear(td_archive *archive)
{
    td_archive__lock(archive);
    while (archive->oldest != NULL)
        drop_oldest(archive);
    td_archive__unlock(archive);
}

void td_archive__add(td_archive *archive, td_slice scope, td_slice table, td_slice index, td_ledger *ledger)
{
    bool is_empty = td_ledger_recorded(ledger) == 0;
    td_archived *archived = is_empty ? NULL : td_alloc(sizeof *archived + scope.len + table.len + index.len);
    if (archived == NULL) {
        td_ledger_done(ledger);
        return;
    }
    uint8_t *place = (uint8_t *)(archived + 1);
    archived->next = NULL;
    archived->scope = keep(&place, scope);
    archived->table = keep(&place, table);
    archived->index = keep(&place, index);
    archived->ledger = *ledger;
    *ledger = (td_ledger){0};

    td_archive__lock(archive);
    if (archive->newest != NULL)
        archive->newest->next = archived;
    else
        archive->oldest = archived;
    archive->newest = archived;
    archive->count++;
    if (archive->count > TD_ARCHIVE_MAX) drop_oldest(archive);
    td_archive__unlock(archive);
}

void td_archive__lock(td_archive *archive)
{
    int error = pthread_mutex_lock(&archive->lock);
    TD_ASSERT(error == 0);
}

void td_archive__unlock(td_archive *archive)
{
    int error = pthread_mutex_unlock(&archive->lock);
    TD_ASSERT(error == 0);
}

static td_slice keep(uint8_t **place, td_slice text)
{
    td_slice kept = td_slice_of(*place, text.len);
    if (text.len > 0) memcpy(*place, text.ptr, text.len);
    *place += text.len;
    return kept;
}

static void drop_oldest(td_archive *archive)
{
    td_archived *oldest = archive->oldest;
    TD_ASSERT(archive->count > 0);
    archive->oldest = oldest->next;
    if (archive->oldest == NULL) archive->newest = NULL;
    archive->count--;
    td_ledger_done(&oldest->ledger);
    td_free(oldest);
}
