/* SPDX-License-Identifier: Apache-2.0
 * split.c: POST /_thermodyn/tables/{table}/partitions/split: one partition becomes two at once. */
#include "control_private.h"

#include "thermodyn/observe.h"

static int write_children(td_control_call *call, td_slice index, td_slice id);

/* Why a partition cannot be split where it was not its traffic that asked. */
static const char *const reasons[TD_VETO_COUNT] = {
    [TD_VETO_SINGLE_ITEM] = "one item has nearly all of the traffic: it would be as hot in a half of the partition",
    [TD_VETO_LOCAL_INDEX] = "the partition holds one item collection, and a local index keeps a collection together",
    [TD_VETO_INCREASING_SORT_KEY] = "the traffic runs ahead of the greatest sort key: it would all move to one half",
    [TD_VETO_DECREASING_SORT_KEY] = "the traffic runs ahead of the least sort key: it would all move to one half",
    [TD_VETO_SEQUENTIAL] = "the traffic moves through the keys in order: it would be in one half at a time",
    [TD_VETO_TOO_SMALL] = "the partition does not hold two keys to part",
};

int td_control__split_partition(td_control_call *call)
{
    const td_json_node *given = call->body == NULL ? NULL : td_json_node_find(call->body, "index");
    bool is_of_table = given == NULL || td_json_node_get_type(given) == TD_JSON_NODE_NULL;
    td_control_member members[] = {
        {"id", TD_JSON_NODE_TEXT, NULL},
        {"index", is_of_table ? TD_JSON_NODE_NULL : TD_JSON_NODE_TEXT, NULL},
    };
    int status = td_control__read_members(call, members, TD_COUNT_OF(members));
    if (status != 200) return status;
    if (members[0].node == NULL) return td_control__refuse(call, 400, "\"id\" must name a partition");
    td_slice id = td_json_node_text(members[0].node);
    td_slice index = is_of_table ? td_slice_of(NULL, 0) : td_json_node_text(members[1].node);
    td_call engine = td_control__engine_call(call, call->table);
    td_split_veto veto = TD_VETO_NONE;
    switch (td_partition_split(&engine, index, id, &veto)) {
    case TD_SPLIT_DONE: return write_children(call, index, id);
    case TD_SPLIT_NO_TABLE: return td_control__unknown_table(call, call->table);
    case TD_SPLIT_NO_PARTITION: return td_control__refuse(call, 404, "there is no partition \"%.*s\"", TD_SHOWN(id));
    case TD_SPLIT_VETOED: return td_control__refuse(call, 409, "%s", reasons[veto]);
    case TD_SPLIT_NO_MEMORY: break;
    }
    return td_control__refuse_without_memory(call);
}

static int write_children(td_control_call *call, td_slice index, td_slice id)
{
    td_call engine = td_control__engine_call(call, call->table);
    td_table_view view;
    if (!td_observe_table(&engine, &view)) return td_control__refuse_answer(call);
    td_json_build *build = call->answer;
    td_json_put_text(build, build->root, "table", call->table);
    td_json_put_text(build, build->root, "id", id);
    td_json_node *children = td_json_put_array(build, build->root, "children");
    for (uint32_t i = 0; i < view.partition_count; i++) {
        const td_partition_view *partition = &view.partitions[i];
        bool is_child =
            td_slice_equal(partition->index, index) && td_slice_equal(td_slice_of_cstr(partition->parent), id);
        if (is_child) td_control__write_partition(build, children, partition);
    }
    return 200;
}
