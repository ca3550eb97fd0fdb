/* SPDX-License-Identifier: Apache-2.0
 * sample.c: see sample.h. */
#include "sample.h"

#include <check.h>
#include <stdio.h>

#define ADVICE                                                                                                         \
    "{'from':1000000,'to':4600000,'factor':2,'resources':["                                                            \
    "{'resource':'idle','table':'idle','index':null,'billing_mode':'PAY_PER_REQUEST','partitions':4,'throttled':0,"    \
    "'read':{'units':0,'peak':0},'write':{'units':0,'peak':0}},"                                                       \
    "{'resource':'orders','table':'orders','index':null,'billing_mode':'PROVISIONED','partitions':3,'throttled':17,"   \
    "'read':{'units':10,'peak':2,'partition_cv':2.5,'top_share_min':0.9},"                                             \
    "'write':{'units':1200,'peak':100.5,'partition_cv':0.75,'top_share_min':0.4,'top_share_max':0.5},'by_partition':"  \
    "[{'id':'p-0001','read':0,'write':100},{'id':'p-0002','read':10,'write':800},{'id':'p-0003','read':0,"             \
    "'write':300},{'id':'p-0009','read':0,'write':5}]},"                                                               \
    "{'resource':'orders/by<day>','table':'orders','index':'by<day>','billing_mode':'PROVISIONED','partitions':1,"     \
    "'throttled':0,'read':{'units':0},'write':{'units':50}}],'advice':["                                               \
    "{'kind':'hot-key','severity':'problem','resource':'orders','text':'The key <ACME> & co.'},"                       \
    "{'kind':'throttled','severity':'problem','resource':'orders','text':'17 requests were refused.'},"                \
    "{'kind':'unread-index','severity':'info','resource':'orders/by<day>','text':'It was not read.'}]}"

#define TOTALS                                                                                                         \
    "{'tables':[{'table':'orders','resources':[{'index':null,'reasons':{'TableReadKeyRangeThroughputExceeded':0,"      \
    "'TableWriteKeyRangeThroughputExceeded':18},'splits':{'heat':1,'size':0},'vetoes':{'single item':1}},"             \
    "{'index':'by<day>','reasons':{},'splits':{},'vetoes':{}}]},"                                                      \
    "{'table':'new','resources':[{'index':null,'reasons':{'X':1}}]}]}"

#define PARTITIONS                                                                                                     \
    "{'partitions':["                                                                                                  \
    "{'id':'p-0001','index':null,'hash_from':'0000000000000000','hash_to':'7fffffffffffffff','parent':null,"           \
    "'created':900000,'items':5,'bytes':500,'read':{'cap':300,'throttled':0},'write':{'cap':100,'throttled':0},"       \
    "'split':{'veto':null,'cause':null}},"                                                                             \
    "{'id':'p-0002','index':null,'hash_from':'8000000000000000','hash_to':'bfffffffffffffff','parent':'p-0000',"       \
    "'created':2010000,'items':7,'bytes':700,'read':{'cap':300,'throttled':0},'write':{'cap':100,'throttled':18},"     \
    "'split':{'veto':'single item','cause':null}},"                                                                    \
    "{'id':'p-0003','index':null,'hash_from':'c000000000000000','hash_to':'ffffffffffffffff','sort_from':{'S':'<m>'}," \
    "'parent':'p-0000','created':2010000,'read':{'cap':300},'write':{'cap':100},'split':{'cause':'size'}},"            \
    "{'id':'p-0001','index':'by<day>','hash_from':'0000000000000000','hash_to':'ffffffffffffffff'}]}"

const sample_answer sample_orders[] = {
    {"/_thermodyn/advice", ADVICE},
    {"/_thermodyn/totals?", TOTALS},
    {"/_thermodyn/tables/orders/partitions?", PARTITIONS},
    {"/_thermodyn/hotkeys?table=orders&metric=write",
     "{'keys':[{'key':{'pk':{'S':'<ACME>|\\u001b|&'},'n':{'N':'7'}},'partition':'p-0002','count':600,'error':0,"
     "'share':0.5,'peak_1s':90,'over_limit':true},{'key':null,'partition':'p-0001','count':40,'error':39,"
     "'share':0.0008}]}"},
    {"/_thermodyn/hotkeys?", "{'keys':[]}"},
    {"/_thermodyn/heatmap?table=orders&metric=write&from=",
     "{'from':2000000,'to':2020000,'column_ms':10000,'cells':[[0,0],[600,100.5],[0,0],[0,2]]}"},
    {"/_thermodyn/heatmap?table=orders&metric=write",
     "{'from':1000000,'to':4600000,'column_ms':10000,'cells':[[],[0,0,0]]}"},
    {"/_thermodyn/heatmap?table=orders&index=by%3Cday%3E&metric=write&from=",
     "{'from':2000000,'to':2020000,'column_ms':10000,'cells':[[1,0]]}"},
    {"/_thermodyn/heatmap?table=orders&index=by%3Cday%3E",
     "{'from':2000000,'to':2040000,'column_ms':10000,'cells':[[0,0,0,0],[1,1,0,0]]}"},
    {"/_thermodyn/heatmap?", "{'from':2000000,'to':2020000,'column_ms':10000,'cells':[[0,0]]}"},
};
const uint32_t sample_orders_count = TD_COUNT_OF(sample_orders);

void sample_setup(sample *it)
{
    *it = (sample){.answers = NULL};
    td_arena_init(&it->arena, (size_t)64 << 20);
}

void sample_teardown(sample *it)
{
    td_arena_done(&it->arena);
}

const td_json_node *sample_parse(sample *it, const char *json)
{
    td_slice text;
    const char *fault = "";
    ck_assert(td_arena_copy(&it->arena, td_slice_of_cstr(json), &text));
    uint8_t *bytes = td_arena_alloc(&it->arena, text.len);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < text.len; i++) {
        bytes[i] = text.ptr[i] == '\'' ? '"' : text.ptr[i];
    }
    const td_json_node *node = td_json_doc_parse(td_slice_of(bytes, text.len), &it->arena, &fault);
    ck_assert_msg(node != NULL, "%s: %s", fault, json);
    return node;
}

static bool get(void *context, td_slice target, td_arena *arena, const td_json_node **ret_answer)
{
    (void)arena;
    sample *it = context;
    size_t used = strlen(it->asked);
    snprintf(it->asked + used, sizeof(it->asked) - used, "%.*s\n", (int)target.len, (const char *)target.ptr);
    for (uint32_t i = 0; i < it->answer_count; i++) {
        if (!td_slice_has_prefix(target, td_slice_of_cstr(it->answers[i].target))) continue;
        if (it->answers[i].json == NULL) return false;
        *ret_answer = sample_parse(it, it->answers[i].json);
        return true;
    }
    ck_abort_msg("nobody answers %.*s", (int)target.len, (const char *)target.ptr);
}

bool sample_gather(sample *it, const sample_answer *answers, uint32_t count, const char *criteria)
{
    char sentence[512];
    it->answers = answers;
    it->answer_count = count;
    it->asked[0] = '\0';
    it->report = (td_report){.endpoint = TD_LIT("http://localhost:8000")};
    const td_json_node *advice = sample_parse(it, answers[0].json);
    td_report_source source = {.get = get, .context = it, .question = "", .window = ""};
    ck_assert(td_criteria_read(criteria, &it->arena, &it->report.criteria, sentence));
    ck_assert(td_criteria_judge(&it->report.criteria, advice, &it->arena, &it->report.findings));
    return td_report_gather(&source, advice, true, &it->arena, &it->report);
}
