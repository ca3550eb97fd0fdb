/* SPDX-License-Identifier: Apache-2.0
 * error.c: an error → its document, and the ARNs that documents name resources by.
 *
 * Model: __type is the error's name behind the name of the layer that found it (status.def). The text's member is
 *        `message`, but `Message` where the service's older layers write it; a text that is empty has no member.
 *        Throttles list their reasons, under a small letter in ThrottlingException alone (throttling.md §3.1); a
 *        cancelled transaction lists one for each action. */
#include "wire/envelope.h"

#include "thermodyn/txn.h"
#include "wire/json.h"

#include "json_text.h"

/* ---- ARNs ---- */

td_slice td_arn_partition(td_slice region)
{
    if (td_slice_has_prefix(region, TD_LIT("cn-"))) return TD_LIT("aws-cn");
    if (td_slice_has_prefix(region, TD_LIT("us-gov-"))) return TD_LIT("aws-us-gov");
    return TD_LIT("aws");
}

/* The region comes from the request as it is, hence the escapes. */
void td_arn_write_table(td_buf *buf, const td_arn_context *context)
{
    td_buf_append_lit(buf, "arn:");
    td_buf_append(buf, td_arn_partition(context->region));
    td_buf_append_lit(buf, ":dynamodb:");
    td_json__write_escaped(buf, context->region);
    td_buf_append_byte(buf, ':');
    td_json__write_escaped(buf, context->account);
    td_buf_append_lit(buf, ":table/");
    td_json__write_escaped(buf, context->table);
}

void td_arn_write_index(td_buf *buf, const td_arn_context *context, td_slice index)
{
    td_arn_write_table(buf, context);
    td_buf_append_lit(buf, "/index/");
    td_json__write_escaped(buf, index);
}

/* The part before the next `end`, which is skipped; false: there is none. */
static bool cut(td_slice *rest, uint8_t end, td_slice *ret_part)
{
    const uint8_t *at = rest->len == 0 ? NULL : memchr(rest->ptr, end, rest->len);
    if (at == NULL) return false;
    size_t len = (size_t)(at - rest->ptr);
    *ret_part = td_slice_of(rest->ptr, len);
    *rest = td_slice_of(at + 1, rest->len - len - 1);
    return true;
}

/* arn:partition:dynamodb:region:account:table/name */
td_status td_table_name_parse(td_slice text, td_slice *ret_name, td_error *error)
{
    if (!td_slice_has_prefix(text, TD_LIT("arn:"))) {
        *ret_name = text;
        return TD_OK;
    }
    enum { ARN, PARTITION, SERVICE, REGION, ACCOUNT, PARTS };
    td_slice parts[PARTS];
    td_slice rest = text;
    td_slice kind;
    bool is_whole = true;
    for (int i = 0; i < PARTS && is_whole; i++)
        is_whole = cut(&rest, ':', &parts[i]);
    is_whole = is_whole && td_slice_equal(parts[SERVICE], TD_LIT("dynamodb")) && parts[REGION].len > 0 &&
               parts[ACCOUNT].len > 0 && cut(&rest, '/', &kind) && td_slice_equal(kind, TD_LIT("table")) &&
               rest.len >= 1 && rest.len <= 255 && memchr(rest.ptr, '/', rest.len) == NULL &&
               memchr(rest.ptr, ':', rest.len) == NULL;
    if (!is_whole) return TD_RAISE(error, TD_MSG_TABLE_ARN_INVALID, text);
    *ret_name = rest;
    return TD_OK;
}

/* ---- the document ---- */

static void write_reasons(td_buf *buf, const td_error *error, const td_arn_context *context);
static void write_cancellations(td_buf *buf, const td_cancellations *cancellations);
static bool has_capital_message(td_status status);

void td_error_write(td_buf *buf, const td_error *error, const td_arn_context *context)
{
    TD_ASSERT(error->status != TD_OK);
    td_buf_append_lit(buf, "{\"__type\":\"");
    td_buf_append(buf, td_slice_of_cstr(td_status_prefix(error->status)));
    td_buf_append(buf, td_slice_of_cstr(td_status_type(error->status)));
    td_buf_append_byte(buf, '"');
    if (error->text.len > 0) {
        td_buf_append(buf, has_capital_message(error->status) ? TD_LIT(",\"Message\":") : TD_LIT(",\"message\":"));
        td_json_write_string(buf, error->text);
    }
    if (error->item != NULL) {
        td_buf_append_lit(buf, ",\"Item\":");
        td_json_write_item(buf, error->item);
    }
    if (error->throttle != NULL && error->throttle->count > 0) write_reasons(buf, error, context);
    if (error->cancellations != NULL) write_cancellations(buf, error->cancellations);
    td_buf_append_byte(buf, '}');
}

static bool has_capital_message(td_status status)
{
    return status == TD_SERIALIZATION || status == TD_TRANSACTION_CANCELED || status == TD_TRANSACTION_IN_PROGRESS ||
           status == TD_IDEMPOTENT_PARAMETER_MISMATCH || status == TD_ACCESS_DENIED;
}

static void write_reasons(td_buf *buf, const td_error *error, const td_arn_context *context)
{
    td_buf_append(buf, error->status == TD_THROTTLING ? TD_LIT(",\"throttlingReasons\":[")
                                                      : TD_LIT(",\"ThrottlingReasons\":["));
    for (uint32_t i = 0; i < error->throttle->count; i++) {
        const td_throttle_reason *reason = &error->throttle->reasons[i];
        td_arn_context own = *context;
        if (reason->table.len > 0) own.table = reason->table;
        td_buf_append(buf, i == 0 ? TD_LIT("{\"reason\":\"") : TD_LIT(",{\"reason\":\""));
        td_buf_append(buf, td_slice_of_cstr(td_throttle_reason_name(reason)));
        td_buf_append_lit(buf, "\",\"resource\":\"");
        if (reason->index.len > 0) {
            td_arn_write_index(buf, &own, reason->index);
        } else {
            td_arn_write_table(buf, &own);
        }
        td_buf_append_lit(buf, "\"}");
    }
    td_buf_append_byte(buf, ']');
}

/* One an action, in order, whether it was to blame or not. */
static void write_cancellations(td_buf *buf, const td_cancellations *cancellations)
{
    td_buf_append_lit(buf, ",\"CancellationReasons\":[");
    for (uint32_t i = 0; i < cancellations->count; i++) {
        const td_cancellation *reason = &cancellations->reasons[i];
        td_buf_append(buf, i == 0 ? TD_LIT("{\"Code\":\"") : TD_LIT(",{\"Code\":\""));
        td_buf_append(buf, reason->code);
        td_buf_append_byte(buf, '"');
        if (reason->text.len > 0) {
            td_buf_append_lit(buf, ",\"Message\":");
            td_json_write_string(buf, reason->text);
        }
        if (reason->item != NULL) {
            td_buf_append_lit(buf, ",\"Item\":");
            td_json_write_item(buf, reason->item);
        }
        td_buf_append_byte(buf, '}');
    }
    td_buf_append_byte(buf, ']');
}
