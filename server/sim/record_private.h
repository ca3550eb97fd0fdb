/* SPDX-License-Identifier: Apache-2.0
 * record_private.h: what the files of the record share. */
#ifndef THERMODYN_SIM_RECORD_PRIVATE_H
#define THERMODYN_SIM_RECORD_PRIVATE_H

#include "record.h"

/* Splits and vetoes since the last call, for the phase in hand. */
void td_sim__record_take_events(td_sim_record *record, td_sim_world *world);

#endif
