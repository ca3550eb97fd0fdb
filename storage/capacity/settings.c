/* SPDX-License-Identifier: Apache-2.0
 * settings.c: the rows of capacity.def and their presets.
 *
 * Not here: what scale and divisor make of them (sizing.c). */
#include "thermodyn/capacity.h"

const td_capacity_row td_capacity_rows[TD_CAPACITY_SETTING_COUNT] = {
#define TD_CAPACITY(name, default_value, min, max, meaning)                                                            \
    [TD_CAPACITY_##name] = {#name, (default_value), (min), (max), (meaning)},
#include "thermodyn/capacity.def"
#undef TD_CAPACITY
};

/* What a preset sets beside the defaults (throttling.md §6.5). */
typedef struct preset {
    td_slice name;
    double capacity_scale;
    double duration_divisor;
} preset;

static const preset presets[] = {
    {TD_LIT_INIT("faithful"), 1, 1},
    {TD_LIT_INIT("laptop"), 0.1, 60}, /* a hot key at 100 W/s, on-demand 400 W/s, a burst of 5 s */
    {TD_LIT_INIT("unit-test"), 1, 1},
};

void td_capacity_settings_init(td_capacity_settings *settings)
{
    settings->enforce = TD_ENFORCE_ON;
    settings->era = TD_ERA_INSTANT;
    memset(&settings->policy, TD_ANSWER_DEFAULT, sizeof settings->policy);
    for (size_t i = 0; i < TD_CAPACITY_SETTING_COUNT; i++)
        settings->values[i] = td_capacity_rows[i].default_value;
}

bool td_capacity_settings_preset(td_capacity_settings *settings, td_slice name)
{
    for (size_t i = 0; i < TD_COUNT_OF(presets); i++) {
        if (!td_slice_equal(presets[i].name, name)) continue;
        td_capacity_settings_init(settings);
        settings->values[TD_CAPACITY_capacity_scale] = presets[i].capacity_scale;
        settings->values[TD_CAPACITY_duration_divisor] = presets[i].duration_divisor;
        return true;
    }
    return false;
}
