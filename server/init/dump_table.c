/* SPDX-License-Identifier: Apache-2.0
 * dump_table.c: a table as the requests that make it: CreateTable by what DescribeTable, ListTagsOfResource and
 * GetResourcePolicy tell, then what CreateTable does not take. */
#include "init_private.h"

#define NAME TD_LIT("TableName")

typedef struct describing {
    td_init *init;
    td_slice name;
    const td_json *table; /* of DescribeTable */
    bool is_on_demand;
    td_buf *out;
} describing;

static bool write_create(describing *it);
static void write_throughput(describing *it, const td_json *of);
static void write_indexes(describing *it, td_slice kind);
static void write_settings(describing *it);
static bool write_tags(describing *it, td_slice arn);
static bool write_policy(describing *it, td_slice arn);
static bool write_expiry(describing *it);
static bool write_recovery(describing *it);
static bool write_insights(describing *it);

bool td_init__write_table(td_init *init, td_slice name, td_buf *out)
{
    describing it = {.init = init, .name = name, .out = out};
    if (!td_init__describe(init, &init->service, name, &it.table)) {
        return td_init__refuse_asked(init, TD_LIT("DescribeTable"), name);
    }
    return write_create(&it) && write_expiry(&it) && write_recovery(&it) && write_insights(&it);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_name(td_buf *out, td_slice name)
{
    uint8_t last = out->len == 0 || out->data == NULL ? '{' : out->data[out->len - 1];
    if (last != '{' && last != '[') td_buf_append_byte(out, ',');
    td_json_write_string(out, name);
    td_buf_append_byte(out, ':');
}

/* The value under that name, unless there is none. */
static void write_member(td_buf *out, td_slice name, const td_json *value)
{
    if (value == NULL) return;
    write_name(out, name);
    td_json_write_tree(out, value);
}

static void copy_member(td_buf *out, const td_json *object, td_slice name)
{
    write_member(out, name, td_init__find(object, name));
}

/* A further request about the table, to be ended with a brace. */
static void begin_request(describing *it)
{
    td_buf_append_lit(it->out, ",\n{\"TableName\":");
    td_json_write_string(it->out, it->name);
}

static td_slice text_of(const td_json *json)
{
    return json == NULL || json->type != TD_JSON_STRING ? TD_LIT("") : json->text;
}

static bool is_text(const td_json *json, td_slice text)
{
    return td_slice_equal(text_of(json), text);
}

/* ---- CreateTable ------------------------------------------------------------------------------------------------- */

static bool write_create(describing *it)
{
    const td_json *billing =
        td_init__find(td_init__find(it->table, TD_LIT("BillingModeSummary")), TD_LIT("BillingMode"));
    td_slice arn = text_of(td_init__find(it->table, TD_LIT("TableArn")));
    td_buf *out = it->out;
    it->is_on_demand = is_text(billing, TD_LIT("PAY_PER_REQUEST"));
    td_buf_append_byte(out, '{');
    copy_member(out, it->table, NAME);
    copy_member(out, it->table, TD_LIT("AttributeDefinitions"));
    copy_member(out, it->table, TD_LIT("KeySchema"));
    write_name(out, TD_LIT("BillingMode"));
    td_json_write_string(out, it->is_on_demand ? TD_LIT("PAY_PER_REQUEST") : TD_LIT("PROVISIONED"));
    write_throughput(it, it->table);
    write_indexes(it, TD_LIT("LocalSecondaryIndexes"));
    write_indexes(it, TD_LIT("GlobalSecondaryIndexes"));
    write_settings(it);
    if (!write_tags(it, arn) || !write_policy(it, arn)) return false;
    td_buf_append_byte(out, '}');
    return true;
}

/* Of the table, or of a global index. */
static void write_throughput(describing *it, const td_json *of)
{
    const td_json *provisioned = td_init__find(of, TD_LIT("ProvisionedThroughput"));
    if (it->is_on_demand) {
        copy_member(it->out, of, TD_LIT("OnDemandThroughput"));
    } else if (provisioned != NULL) {
        write_name(it->out, TD_LIT("ProvisionedThroughput"));
        td_buf_append_byte(it->out, '{');
        copy_member(it->out, provisioned, TD_LIT("ReadCapacityUnits"));
        copy_member(it->out, provisioned, TD_LIT("WriteCapacityUnits"));
        td_buf_append_byte(it->out, '}');
    }
}

static void write_indexes(describing *it, td_slice kind)
{
    const td_json *indexes = td_init__find(it->table, kind);
    if (indexes == NULL) return;
    write_name(it->out, kind);
    td_buf_append_byte(it->out, '[');
    for (uint32_t i = 0; i < indexes->count; i++) {
        const td_json *index = &indexes->children[i];
        td_buf_append(it->out, i == 0 ? TD_LIT("{") : TD_LIT(",{"));
        copy_member(it->out, index, TD_LIT("IndexName"));
        copy_member(it->out, index, TD_LIT("KeySchema"));
        copy_member(it->out, index, TD_LIT("Projection"));
        write_throughput(it, index);
        td_buf_append_byte(it->out, '}');
    }
    td_buf_append_byte(it->out, ']');
}

static void write_settings(describing *it)
{
    const td_json *key = td_init__find(td_init__find(it->table, TD_LIT("SSEDescription")), TD_LIT("KMSMasterKeyArn"));
    td_buf *out = it->out;
    copy_member(out, it->table, TD_LIT("StreamSpecification"));
    if (key != NULL) {
        write_name(out, TD_LIT("SSESpecification"));
        td_buf_append_lit(out, "{\"Enabled\":true,\"SSEType\":\"KMS\"");
        write_member(out, TD_LIT("KMSMasterKeyId"), key);
        td_buf_append_byte(out, '}');
    }
    write_member(out, TD_LIT("TableClass"),
                 td_init__find(td_init__find(it->table, TD_LIT("TableClassSummary")), TD_LIT("TableClass")));
    copy_member(out, it->table, TD_LIT("DeletionProtectionEnabled"));
}

static bool write_tags(describing *it, td_slice arn)
{
    const td_json *token = NULL;
    bool is_open = false;
    do {
        const td_json *answer = NULL;
        td_init_ask_member members[] = {{TD_LIT("ResourceArn"), arn}, {TD_LIT("NextToken"), text_of(token)}};
        if (!td_init__ask_about(it->init, &it->init->service, TD_LIT("ListTagsOfResource"), members, 2, &answer)) {
            return td_init__refuse_asked(it->init, TD_LIT("ListTagsOfResource"), it->name);
        }
        const td_json *tags = td_init__find(answer, TD_LIT("Tags"));
        for (uint32_t i = 0; tags != NULL && i < tags->count; i++) {
            if (!is_open) write_name(it->out, TD_LIT("Tags"));
            td_buf_append_byte(it->out, is_open ? ',' : '[');
            is_open = true;
            td_json_write_tree(it->out, &tags->children[i]);
        }
        token = td_init__find(answer, TD_LIT("NextToken"));
    } while (token != NULL);
    if (is_open) td_buf_append_byte(it->out, ']');
    return true;
}

static bool write_policy(describing *it, td_slice arn)
{
    const td_json *answer = NULL;
    td_init_ask_member member = {TD_LIT("ResourceArn"), arn};
    if (td_init__ask_about(it->init, &it->init->service, TD_LIT("GetResourcePolicy"), &member, 1, &answer)) {
        write_member(it->out, TD_LIT("ResourcePolicy"), td_init__find(answer, TD_LIT("Policy")));
        return true;
    }
    bool has_none = td_slice_equal(td_init__exception(it->init), TD_LIT("PolicyNotFoundException"));
    return has_none || td_init__refuse_asked(it->init, TD_LIT("GetResourcePolicy"), it->name);
}

/* ---- what is set afterwards -------------------------------------------------------------------------------------- */

static bool ask_about_table(describing *it, td_slice operation, const td_json **ret_answer)
{
    td_init_ask_member member = {NAME, it->name};
    return td_init__ask_about(it->init, &it->init->service, operation, &member, 1, ret_answer) ||
           td_init__refuse_asked(it->init, operation, it->name);
}

static bool write_expiry(describing *it)
{
    const td_json *answer = NULL;
    if (!ask_about_table(it, TD_LIT("DescribeTimeToLive"), &answer)) return false;
    const td_json *expiry = td_init__find(answer, TD_LIT("TimeToLiveDescription"));
    if (!is_text(td_init__find(expiry, TD_LIT("TimeToLiveStatus")), TD_LIT("ENABLED"))) return true;
    begin_request(it);
    write_name(it->out, TD_LIT("TimeToLiveSpecification"));
    td_buf_append_lit(it->out, "{\"Enabled\":true");
    copy_member(it->out, expiry, TD_LIT("AttributeName"));
    td_buf_append_lit(it->out, "}}");
    return true;
}

static bool write_recovery(describing *it)
{
    const td_json *answer = NULL;
    if (!ask_about_table(it, TD_LIT("DescribeContinuousBackups"), &answer)) return false;
    const td_json *recovery = td_init__find(td_init__find(answer, TD_LIT("ContinuousBackupsDescription")),
                                            TD_LIT("PointInTimeRecoveryDescription"));
    if (!is_text(td_init__find(recovery, TD_LIT("PointInTimeRecoveryStatus")), TD_LIT("ENABLED"))) return true;
    begin_request(it);
    write_name(it->out, TD_LIT("PointInTimeRecoverySpecification"));
    td_buf_append_lit(it->out, "{\"PointInTimeRecoveryEnabled\":true");
    copy_member(it->out, recovery, TD_LIT("RecoveryPeriodInDays"));
    td_buf_append_lit(it->out, "}}");
    return true;
}

/* Of the table and of its indexes: they fit into one page of the list. */
static bool write_insights(describing *it)
{
    const td_json *answer = NULL;
    if (!ask_about_table(it, TD_LIT("ListContributorInsights"), &answer)) return false;
    const td_json *summaries = td_init__find(answer, TD_LIT("ContributorInsightsSummaries"));
    for (uint32_t i = 0; summaries != NULL && i < summaries->count; i++) {
        const td_json *summary = &summaries->children[i];
        if (!is_text(td_init__find(summary, TD_LIT("ContributorInsightsStatus")), TD_LIT("ENABLED"))) continue;
        begin_request(it);
        copy_member(it->out, summary, TD_LIT("IndexName"));
        td_buf_append_lit(it->out, ",\"ContributorInsightsAction\":\"ENABLE\"");
        copy_member(it->out, summary, TD_LIT("ContributorInsightsMode"));
        td_buf_append_byte(it->out, '}');
    }
    return true;
}
