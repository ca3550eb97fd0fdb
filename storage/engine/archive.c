/* SPDX-License-Identifier: Apache-2.0
 * archive.c: a queue of ledgers without their tables. */
#include "archive.h"

#include "thermodyn/memory.h"

static td_archived *take(td_archive *archive, td_slice scope, td_slice table, td_slice index);
static td_archived *make(td_slice scope, td_slice table, td_slice index);
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
    if (td_ledger_recorded(ledger) == 0) {
        td_ledger_done(ledger);
        return;
    }
    td_archive__lock(archive);
    td_archived *archived = take(archive, scope, table, index);
    if (archived == NULL) archived = make(scope, table, index);
    if (archived != NULL) {
        td_ledger_append(&archived->ledger, ledger);
        if (archive->newest != NULL)
            archive->newest->next = archived;
        else
            archive->oldest = archived;
        archive->newest = archived;
        archive->count++;
        if (archive->count > TD_ARCHIVE_MAX) drop_oldest(archive);
    }
    td_archive__unlock(archive);
    td_ledger_done(ledger);
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

/* Out of the queue. NULL: none had the name. */
static td_archived *take(td_archive *archive, td_slice scope, td_slice table, td_slice index)
{
    td_archived *before = NULL;
    for (td_archived *at = archive->oldest; at != NULL; before = at, at = at->next) {
        if (!td_slice_equal(at->table, table) || !td_slice_equal(at->index, index)) continue;
        if (!td_slice_equal(at->scope, scope)) continue;
        *(before == NULL ? &archive->oldest : &before->next) = at->next;
        if (archive->newest == at) archive->newest = before;
        archive->count--;
        at->next = NULL;
        return at;
    }
    return NULL;
}

static td_archived *make(td_slice scope, td_slice table, td_slice index)
{
    td_archived *made = td_alloc_zero(sizeof *made + scope.len + table.len + index.len);
    if (made == NULL) return NULL;
    uint8_t *place = (uint8_t *)(made + 1);
    made->scope = keep(&place, scope);
    made->table = keep(&place, table);
    made->index = keep(&place, index);
    return made;
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
