/* SPDX-License-Identifier: Apache-2.0
 * snapshots.c: /_thermodyn/snapshots: states of all tables, kept under names and gone back to.
 * Not here: how (storage/engine/snapshot.h). */
#include "control_private.h"

#include "thermodyn/snapshot.h"

#define NAME_BYTES_MAX 255

static int check(td_control_call *call);
static int answer(td_control_call *call, td_snapshot_result result, const td_snapshot_info *info, td_slice busy);
static void put_info(td_json_build *build, td_json_node *node, const td_snapshot_info *info);

int td_control__get_snapshots(td_control_call *call)
{
    td_call engine = td_control__engine_call(call, td_slice_of(NULL, 0));
    td_snapshot_info *infos = NULL;
    uint32_t count = 0;
    if (!td_snapshot_list(&engine, &infos, &count)) return td_control__refuse_without_memory(call);
    td_json_node *list = td_json_put_array(call->answer, call->answer->root, "snapshots");
    for (uint32_t i = 0; i < count; i++)
        put_info(call->answer, td_json_put_object(call->answer, list, NULL), &infos[i]);
    return 200;
}

int td_control__get_snapshot(td_control_call *call)
{
    td_call engine = td_control__engine_call(call, td_slice_of(NULL, 0));
    td_snapshot_info info;
    return answer(call, td_snapshot_describe(&engine, call->table, &info), &info, td_slice_of(NULL, 0));
}

int td_control__put_snapshot(td_control_call *call)
{
    int status = check(call);
    if (status != 200) return status;
    td_call engine = td_control__engine_call(call, td_slice_of(NULL, 0));
    td_snapshot_info info;
    td_slice busy = td_slice_of(NULL, 0);
    td_snapshot_result result = td_snapshot_keep(&engine, call->table, &info, &busy);
    return answer(call, result, &info, busy);
}

int td_control__restore_snapshot(td_control_call *call)
{
    int status = check(call);
    if (status != 200) return status;
    td_call engine = td_control__engine_call(call, td_slice_of(NULL, 0));
    td_snapshot_info info;
    return answer(call, td_snapshot_restore(&engine, call->table, &info), &info, td_slice_of(NULL, 0));
}

int td_control__delete_snapshot(td_control_call *call)
{
    int status = check(call);
    if (status != 200) return status;
    uint32_t removed = td_snapshot_remove(call->service->store, call->table);
    if (removed == 0) return answer(call, TD_SNAPSHOT_UNKNOWN, NULL, td_slice_of(NULL, 0));
    td_json_put_int(call->answer, call->answer->root, "removed", removed);
    return 200;
}

int td_control__delete_snapshots(td_control_call *call)
{
    int status = td_control__read_members(call, NULL, 0);
    if (status != 200) return status;
    uint32_t removed = td_snapshot_remove(call->service->store, td_slice_of(NULL, 0));
    td_json_put_int(call->answer, call->answer->root, "removed", removed);
    return 200;
}

/* No members; and a name as tables have them, which stands in the path. */
static int check(td_control_call *call)
{
    td_slice name = call->table;
    bool is_valid = name.len <= NAME_BYTES_MAX;
    for (size_t i = 0; i < name.len && is_valid; i++) {
        uint8_t byte = name.ptr[i];
        bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        is_valid = is_letter || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
    }
    if (!is_valid) {
        return td_control__refuse(call, 400, "a snapshot's name has letters, digits, '-', '_' and '.', at most %d",
                                  NAME_BYTES_MAX);
    }
    return td_control__read_members(call, NULL, 0);
}

static int answer(td_control_call *call, td_snapshot_result result, const td_snapshot_info *info, td_slice busy)
{
    switch (result) {
    case TD_SNAPSHOT_OK: put_info(call->answer, call->answer->root, info); return 200;
    case TD_SNAPSHOT_UNKNOWN:
        return td_control__refuse(call, 404, "there is no snapshot \"%.*s\"", TD_SHOWN(call->table));
    case TD_SNAPSHOT_TABLE_BUSY:
        return td_control__refuse(call, 409, "the table \"%.*s\" is being changed: keep the snapshot when it is ACTIVE",
                                  TD_SHOWN(busy));
    case TD_SNAPSHOT_RECORD_FAILS:
        return td_control__refuse(call, 409, "the data directory cannot be written: nothing is changed meanwhile");
    case TD_SNAPSHOT_NO_MEMORY: break;
    }
    return td_control__refuse_without_memory(call);
}

static void put_info(td_json_build *build, td_json_node *node, const td_snapshot_info *info)
{
    td_json_put_text(build, node, "name", info->name);
    td_json_put_int(build, node, "created", info->kept_us / TD_US_PER_MS);
    td_json_put_int(build, node, "tables", (int64_t)info->tables);
    td_json_put_int(build, node, "items", (int64_t)info->items);
    td_json_put_int(build, node, "changes", (int64_t)info->changes);
    td_json_put_int(build, node, "changed_bytes", (int64_t)info->changed_bytes);
}
