/* SPDX-License-Identifier: Apache-2.0
 * split_log.c: the ring of splits and vetoes of one resource. */
#include "split_log.h"

#include "thermodyn/memory.h"

void td_split_log__done(td_split_log *log)
{
    td_free(log->records);
    *log = (td_split_log){0};
}

bool td_split_log__reserve(td_split_log *log)
{
    if (log->records == NULL) log->records = td_alloc(TD_SPLIT_LOG_MAX * sizeof *log->records);
    return log->records != NULL;
}

void td_split_log__add(td_split_log *log, const td_split_record *record)
{
    if (record->veto == TD_VETO_NONE) log->splits[record->cause]++;
    if (log->records == NULL) return;
    log->records[(log->first + log->count) % TD_SPLIT_LOG_MAX] = *record;
    if (log->count < TD_SPLIT_LOG_MAX)
        log->count++;
    else
        log->first = (log->first + 1) % TD_SPLIT_LOG_MAX;
}

bool td_split_log__take(td_split_log *log, td_split_record *ret_record)
{
    if (log->count == 0) return false;
    *ret_record = log->records[log->first];
    log->first = (log->first + 1) % TD_SPLIT_LOG_MAX;
    log->count--;
    return true;
}
