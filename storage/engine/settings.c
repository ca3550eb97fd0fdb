/* SPDX-License-Identifier: Apache-2.0
 * settings.c: the emulation's constants while the server runs: for all, or for one table.
 *
 * A table's settings are the server's with its own patch over them. A change is in force at once: buckets keep their
 * balances and get new rates and ceilings, partitions are split when more are needed and never merged.
 * Not here: what the settings mean (storage/capacity/sizing.c). */
#include "settings.h"

#include "catalog.h"

static void apply_to_all(td_store *store, td_time_us now_us, bool drops_own);
static void add_patch(td_capacity_patch *patch, const td_capacity_patch *more);

void td_settings__merge(td_capacity_settings *settings, const td_capacity_patch *patch)
{
    if (patch->has_enforce) settings->enforce = patch->settings.enforce;
    if (patch->has_era) settings->era = patch->settings.era;
    for (int i = 0; i < TD_POLICY_CELL_COUNT; i++) {
        if (patch->has_answer[i]) settings->policy.answers[i] = patch->settings.policy.answers[i];
    }
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (patch->has_value[i]) settings->values[i] = patch->settings.values[i];
    }
}

void td_settings__note_quotas(td_store *store, td_time_us now_us)
{
    const double *values = store->settings.values;
    double scale = values[TD_CAPACITY_capacity_scale];
    int64_t quotas[TD_HISTORY_FIGURES] = {
        [TD_QUOTA_ACCOUNT_READS] = (int64_t)(values[TD_CAPACITY_account_read_quota] * scale),
        [TD_QUOTA_ACCOUNT_WRITES] = (int64_t)(values[TD_CAPACITY_account_write_quota] * scale),
        [TD_QUOTA_TABLE_READS] = (int64_t)(values[TD_CAPACITY_table_read_quota] * scale),
        [TD_QUOTA_TABLE_WRITES] = (int64_t)(values[TD_CAPACITY_table_write_quota] * scale),
    };
    td_history_set(&store->quotas, now_us, quotas);
}

uint64_t td_store_get_seed(const td_store *store)
{
    return store->options.seed;
}

bool td_store_get_capacity(td_store *store, td_slice scope, td_slice table_name, td_capacity_settings *ret_settings)
{
    if (table_name.len == 0) {
        td_catalog__read_lock(store);
        *ret_settings = store->settings;
        td_catalog__unlock(store);
        return true;
    }
    td_table *table = td_catalog__find(store, scope, table_name);
    if (table == NULL) return false;
    td_table__lock(table);
    *ret_settings = table->settings;
    td_table__unlock(table);
    td_table__unref(table);
    return true;
}

bool td_store_patch_capacity(td_store *store, td_time_us now_us, td_slice scope, td_slice table_name,
                             const td_capacity_patch *patch)
{
    td_catalog__write_lock(store);
    td_table *table = NULL;
    bool is_found = true;
    if (table_name.len == 0) {
        td_settings__merge(&store->settings, patch);
        td_settings__note_quotas(store, now_us);
        apply_to_all(store, now_us, false);
        td_journal__mark_settings(store);
    } else {
        table = td_catalog__find_locked(store, scope, table_name);
        is_found = table != NULL;
    }
    if (table != NULL) {
        td_table__lock(table);
        add_patch(&table->own, patch);
        (void)td_table__apply_settings_locked(table, &store->settings, now_us); /* fewer partitions serve less */
        td_journal__mark_table(table);
        td_table__unlock(table);
    }
    td_catalog__unlock(store);
    return is_found;
}

void td_store_reset_settings(td_store *store, td_time_us now_us)
{
    td_catalog__write_lock(store);
    store->settings = store->options.capacity;
    td_settings__note_quotas(store, now_us);
    apply_to_all(store, now_us, true);
    td_journal__mark_settings(store);
    td_catalog__unlock(store);
}

static void apply_to_all(td_store *store, td_time_us now_us, bool drops_own)
{
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        if (drops_own) table->own = (td_capacity_patch){0};
        (void)td_table__apply_settings_locked(table, &store->settings, now_us); /* fewer partitions serve less */
        td_journal__mark_table(table);
        td_table__unlock(table);
    }
}

static void add_patch(td_capacity_patch *patch, const td_capacity_patch *more)
{
    td_settings__merge(&patch->settings, more);
    patch->has_enforce = patch->has_enforce || more->has_enforce;
    patch->has_era = patch->has_era || more->has_era;
    for (int i = 0; i < TD_POLICY_CELL_COUNT; i++) {
        patch->has_answer[i] = patch->has_answer[i] || more->has_answer[i];
    }
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        patch->has_value[i] = patch->has_value[i] || more->has_value[i];
    }
}
