/* SPDX-License-Identifier: Apache-2.0
 * alarms.c: DescribeAlarms: there are none. */
#include "cloudwatch_private.h"

td_cw_status td_cw__describe_alarms(td_cw_call *call)
{
    int64_t offset;
    TD_CW_TRY(td_cw__read_token(call, &offset));
    td_cw_open_list(&call->out, "CompositeAlarms");
    td_cw_close(&call->out);
    td_cw_open_list(&call->out, "MetricAlarms");
    td_cw_close(&call->out);
    return TD_CW_OK;
}
