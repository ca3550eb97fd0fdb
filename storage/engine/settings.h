/* SPDX-License-Identifier: Apache-2.0
 * settings.h: settings of the server and of tables that have values of their own. */
#ifndef THERMODYN_ENGINE_SETTINGS_H
#define THERMODYN_ENGINE_SETTINGS_H

#include "thermodyn/capacity.h"
#include "thermodyn/store.h"

/* Puts the patch's marked values over the settings. */
void td_settings__merge(td_capacity_settings *settings, const td_capacity_patch *patch);

/* The account's quotas, from now on, for the metrics. The catalogue's lock is held for writing, or the store is new. */
void td_settings__note_quotas(td_store *store, td_time_us now_us);

#endif
