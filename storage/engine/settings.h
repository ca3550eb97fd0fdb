/* SPDX-License-Identifier: Apache-2.0
 * settings.h: settings of the server and of tables that have values of their own. */
#ifndef THERMODYN_ENGINE_SETTINGS_H
#define THERMODYN_ENGINE_SETTINGS_H

#include "thermodyn/capacity.h"

/* Puts the patch's marked values over the settings. */
void td_settings__merge(td_capacity_settings *settings, const td_capacity_patch *patch);

#endif
