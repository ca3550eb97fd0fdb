/* SPDX-License-Identifier: Apache-2.0
 * faults.c: GET, POST and DELETE /_thermodyn/faults: rules that provoke errors, delays and lost answers.
 * Not here: what a rule says and does (server/ops/fault_rule.c, fault_ask.c). */
#include "control_private.h"

int td_control__get_faults(td_control_call *call)
{
    td_json_node *list = td_json_put_array(call->answer, call->answer->root, "rules");
    td_faults_list(call->service->faults, call->answer, list);
    return 200;
}

int td_control__post_faults(td_control_call *call)
{
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    if (call->body == NULL) return td_control__refuse(call, 400, "a rule needs a body: {\"match\": …, \"inject\": …}");
    if (td_faults_add(call->service->faults, call->body, call->scope, call->answer, call->answer->root, sentence)) {
        return 200;
    }
    return td_control__refuse_text(call, sentence);
}

int td_control__delete_faults(td_control_call *call)
{
    int status = td_control__read_members(call, NULL, 0);
    if (status != 200) return status;
    td_json_put_int(call->answer, call->answer->root, "removed", td_faults_remove_all(call->service->faults));
    return 200;
}

/* The path's {id} stands where other paths have a table. */
int td_control__delete_fault(td_control_call *call)
{
    int status = td_control__read_members(call, NULL, 0);
    if (status != 200) return status;
    if (!td_faults_remove(call->service->faults, call->table)) {
        return td_control__refuse(call, 404, "there is no fault rule \"%.*s\"", TD_SHOWN(call->table));
    }
    td_json_put_int(call->answer, call->answer->root, "removed", 1);
    return 200;
}
