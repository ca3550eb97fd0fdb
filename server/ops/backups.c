/* SPDX-License-Identifier: Apache-2.0
 * backups.c: DescribeContinuousBackups and UpdateContinuousBackups, and the lists of backups, exports and imports.
 *
 * Model:    point-in-time recovery is switched at once; enabling again keeps the earliest instant, a break forgets it.
 *           The latest instant is five minutes ago, but not before recovery was enabled. ContinuousBackupsStatus is no
 *           flag of it: the service shows ENABLED for every table that is some seconds old. A missing table is a
 *           TableNotFoundException here, as in all of the service's operations on backups.
 * Not here: backups, exports and imports themselves; there are none, so that their lists are empty. */
#include "thermodyn/recovery.h"

#include "ops.h"

#define RECOVERY_DAYS_DEFAULT 35
#define RECOVERY_LAG_US (300 * TD_US_PER_S)
#define US_PER_DAY (86400 * TD_US_PER_S)

static td_status reword(td_request *request, td_status status);
static td_status answer_recovery(td_request *request, const td_recovery *recovery);

td_status td_ops__describe_continuous_backups(td_request *request)
{
    td_recovery recovery;
    TD_TRY(reword(request, td_recovery_describe(&request->call, &recovery, &request->error)));
    return answer_recovery(request, &recovery);
}

td_status td_ops__update_continuous_backups(td_request *request)
{
    const td_json *specification = td_ops__get(request, TD_MEMBER_PointInTimeRecoverySpecification);
    bool is_enabled = td_ops__is_true(td_json_find(specification, TD_LIT("PointInTimeRecoveryEnabled")));
    const td_json *period = td_json_find(specification, TD_LIT("RecoveryPeriodInDays"));
    if (!is_enabled && period != NULL) return TD_RAISE(&request->error, TD_MSG_RECOVERY_PERIOD_OF_NONE);
    uint32_t days = !is_enabled ? 0 : period == NULL ? RECOVERY_DAYS_DEFAULT : (uint32_t)td_ops__int(period);
    td_recovery recovery;
    TD_TRY(reword(request, td_recovery_update(&request->call, is_enabled, days, &recovery, &request->error)));
    return answer_recovery(request, &recovery);
}

static td_status reword(td_request *request, td_status status)
{
    if (status != TD_RESOURCE_NOT_FOUND) return status;
    return TD_RAISE(&request->error, TD_MSG_BACKUP_TABLE_NOT_FOUND, request->call.table);
}

static td_time_us later(td_time_us a, td_time_us b)
{
    return a > b ? a : b;
}

/* The instants are whole seconds. */
static td_status answer_recovery(td_request *request, const td_recovery *recovery)
{
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("ContinuousBackupsDescription"));
    td_ops_object description = td_ops__open(request->reply);
    td_ops__member_string(&description, TD_LIT("ContinuousBackupsStatus"), TD_LIT("ENABLED"));
    td_ops__name(&description, TD_LIT("PointInTimeRecoveryDescription"));
    td_ops_object object = td_ops__open(request->reply);
    td_ops__member_string(&object, TD_LIT("PointInTimeRecoveryStatus"),
                          recovery->is_enabled ? TD_LIT("ENABLED") : TD_LIT("DISABLED"));
    if (recovery->is_enabled) {
        td_time_us now_us = request->call.now_us;
        td_time_us earliest_us = later(recovery->enabled_us, now_us - recovery->days * US_PER_DAY);
        td_time_us latest_us = later(recovery->enabled_us, now_us - RECOVERY_LAG_US);
        td_ops__member_int(&object, TD_LIT("RecoveryPeriodInDays"), recovery->days);
        td_ops__member_int(&object, TD_LIT("EarliestRestorableDateTime"), earliest_us / TD_US_PER_S);
        td_ops__member_int(&object, TD_LIT("LatestRestorableDateTime"), latest_us / TD_US_PER_S);
    }
    td_ops__close(&object);
    td_ops__close(&description);
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- lists of what does not exist ---- */

td_status td_ops__list_backups(td_request *request)
{
    return td_ops__answer_empty_list(request, TD_LIT("BackupSummaries"));
}

td_status td_ops__list_exports(td_request *request)
{
    return td_ops__answer_empty_list(request, TD_LIT("ExportSummaries"));
}

td_status td_ops__list_imports(td_request *request)
{
    return td_ops__answer_empty_list(request, TD_LIT("ImportSummaryList"));
}
