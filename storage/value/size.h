/* SPDX-License-Identifier: Apache-2.0
 * size.h: DynamoDB's sizes of stored values; those of trees are in value.h. */
#ifndef TD_VALUE_SIZE_H
#define TD_VALUE_SIZE_H

#include "thermodyn/item.h"

uint64_t td_value__stored_size(td_stored stored);
/* Names and values of the attributes that are still to come, without what a map adds. */
uint64_t td_value__stored_attributes_size(td_stored map);

#endif
