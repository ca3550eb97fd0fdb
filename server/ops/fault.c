/* SPDX-License-Identifier: Apache-2.0
 * fault.c: the list of fault rules: adding, removing, counting, and the draws that decide whether a rule fires.
 * Invariants: `count` of the public struct is that of the list; entries stand in the order of their numbers; a rule
 *             that has been matched skip + n times with probability 1 was injected min(n, times) times.
 * Not here:   what a rule says (fault_rule.c), which requests it matches (fault_ask.c). */
#include "fault_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "thermodyn/memory.h"
#include "thermodyn/text.h"

#define FILE_BYTES_MAX ((size_t)1024 * 1024)
#define DRAWN_SEED_BITS 48 /* a seed is told as a JSON number, which is exact up to 53 bits */
#define ID_BYTES 32

static bool append_locked(td_fault_set *set, td_fault_rule *rule);
static void clear_locked(td_fault_set *set);
static void write_entry(const td_fault_entry *entry, td_json_build *build, td_json_node *object);
static void print_id(const td_fault_entry *entry, char ret_id[ID_BYTES]);
static bool read_file(const char *path, td_buf *text, char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);
static bool load_list(td_faults *faults, const char *path, td_slice text,
                      char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);
static bool add_initial(td_faults *faults, const td_json_node *json, char reterr_sentence[TD_FAULT_SENTENCE_BYTES]);

td_faults *td_faults_new(uint64_t seed)
{
    td_faults *faults = td_alloc_zero(sizeof(*faults));
    td_fault_set *set = td_alloc_zero(sizeof(*set));
    if (faults == NULL || set == NULL || pthread_mutex_init(&set->lock, NULL) != 0) {
        td_free(set);
        td_free(faults);
        return NULL;
    }
    atomic_init(&faults->count, 0);
    faults->set = set;
    set->first_seed = seed;
    td_rng_init(&set->seeds, seed);
    set->next_number = 1;
    return faults;
}

void td_faults_free(td_faults *faults)
{
    if (faults == NULL) return;
    td_fault_set *set = faults->set;
    clear_locked(set);
    for (uint32_t i = 0; i < set->initial_count; i++)
        td_fault__rule_unref(set->initial[i]);
    pthread_mutex_destroy(&set->lock);
    td_free(set);
    td_free(faults);
}

bool td_faults_add(td_faults *faults, const td_json_node *json, td_slice scope, td_json_build *build,
                   td_json_node *place, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    td_fault_rule *rule = td_fault__rule_read(json, scope, reterr_sentence);
    if (rule == NULL) return false;
    td_fault_set *set = faults->set;
    pthread_mutex_lock(&set->lock);
    bool is_added = append_locked(set, rule);
    if (is_added && build != NULL) write_entry(&set->entries[set->count - 1], build, place);
    atomic_store_explicit(&faults->count, set->count, memory_order_release);
    pthread_mutex_unlock(&set->lock);
    td_fault__rule_unref(rule);
    if (!is_added) {
        snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "there are %d rules already, and no more are kept",
                 TD_LIMIT_FAULT_RULES_MAX);
    }
    return is_added;
}

void td_faults_list(td_faults *faults, td_json_build *build, td_json_node *array)
{
    td_fault_set *set = faults->set;
    pthread_mutex_lock(&set->lock);
    for (uint32_t i = 0; i < set->count; i++)
        write_entry(&set->entries[i], build, td_json_put_object(build, array, NULL));
    pthread_mutex_unlock(&set->lock);
}

bool td_faults_remove(td_faults *faults, td_slice id)
{
    td_fault_set *set = faults->set;
    td_fault_rule *removed = NULL;
    pthread_mutex_lock(&set->lock);
    for (uint32_t i = 0; i < set->count && removed == NULL; i++) {
        char own[ID_BYTES];
        print_id(&set->entries[i], own);
        if (!td_slice_equal(id, td_slice_of_cstr(own))) continue;
        removed = set->entries[i].rule;
        set->count--;
        memmove(&set->entries[i], &set->entries[i + 1], (set->count - i) * sizeof(*set->entries));
    }
    atomic_store_explicit(&faults->count, set->count, memory_order_release);
    pthread_mutex_unlock(&set->lock);
    if (removed != NULL) td_fault__rule_unref(removed);
    return removed != NULL;
}

uint32_t td_faults_remove_all(td_faults *faults)
{
    td_fault_set *set = faults->set;
    pthread_mutex_lock(&set->lock);
    uint32_t count = set->count;
    clear_locked(set);
    atomic_store_explicit(&faults->count, 0, memory_order_release);
    pthread_mutex_unlock(&set->lock);
    return count;
}

void td_faults_reset(td_faults *faults)
{
    td_fault_set *set = faults->set;
    pthread_mutex_lock(&set->lock);
    clear_locked(set);
    td_rng_init(&set->seeds, set->first_seed);
    set->next_number = 1;
    for (uint32_t i = 0; i < set->initial_count; i++) {
        bool is_added = append_locked(set, set->initial[i]);
        TD_ASSERT(is_added);
    }
    atomic_store_explicit(&faults->count, set->count, memory_order_release);
    pthread_mutex_unlock(&set->lock);
}

/* One draw a match that is not skipped, whatever the probability, so that a rule's sequence is that of its seed. */
bool td_fault__fires_locked(td_fault_entry *entry)
{
    const td_fault_rule *rule = entry->rule;
    entry->matched++;
    if (entry->matched <= rule->skip) return false;
    if (rule->has_times && entry->injected >= rule->times) return false;
    if (td_rng_unit(&entry->rng) >= rule->probability) return false;
    entry->injected++;
    return true;
}

uint32_t td_fault__draw_latency_locked(td_fault_entry *entry)
{
    const td_fault_rule *rule = entry->rule;
    TD_ASSERT(rule->kind == TD_FAULT_LATENCY);
    return rule->min_ms + (uint32_t)td_rng_below(&entry->rng, (uint64_t)rule->max_ms - rule->min_ms + 1);
}

static bool append_locked(td_fault_set *set, td_fault_rule *rule)
{
    if (set->count == TD_COUNT_OF(set->entries)) return false;
    td_fault_entry *entry = &set->entries[set->count++];
    *entry = (td_fault_entry){.rule = td_fault__rule_ref(rule), .number = set->next_number++};
    entry->seed = rule->has_seed ? rule->seed : td_rng_next(&set->seeds) >> (64 - DRAWN_SEED_BITS);
    td_rng_init(&entry->rng, entry->seed);
    return true;
}

static void clear_locked(td_fault_set *set)
{
    while (set->count > 0)
        td_fault__rule_unref(set->entries[--set->count].rule);
}

static void write_entry(const td_fault_entry *entry, td_json_build *build, td_json_node *object)
{
    char id[ID_BYTES];
    print_id(entry, id);
    td_json_put_text(build, object, "id", td_slice_of_cstr(id));
    td_fault__rule_write(entry->rule, entry->seed, build, object);
    td_json_put_int(build, object, "matched", (int64_t)entry->matched);
    td_json_put_int(build, object, "injected", (int64_t)entry->injected);
}

static void print_id(const td_fault_entry *entry, char ret_id[ID_BYTES])
{
    snprintf(ret_id, ID_BYTES, "f-%llu", (unsigned long long)entry->number);
}

/* ---- the file of the configuration ------------------------------------------------------------------------------- */

bool td_faults_load(td_faults *faults, const char *path, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    td_buf text;
    td_buf_init(&text, FILE_BYTES_MAX + 1);
    bool is_loaded =
        read_file(path, &text, reterr_sentence) && load_list(faults, path, td_buf_contents(&text), reterr_sentence);
    td_buf_done(&text);
    if (is_loaded) td_faults_reset(faults);
    return is_loaded;
}

static bool read_file(const char *path, td_buf *text, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0 && text->len <= FILE_BYTES_MAX) {
        size_t room = FILE_BYTES_MAX + 1 - text->len < 4096 ? FILE_BYTES_MAX + 1 - text->len : 4096;
        uint8_t *place = td_buf_reserve(text, room);
        got = place == NULL ? 0 : read(fd, place, room);
        if (got > 0) td_buf_commit(text, (size_t)got);
    }
    int reason = errno;
    if (fd >= 0) close(fd);
    if (got < 0) {
        snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "the file of fault rules %.200s cannot be read: %s", path,
                 strerror(reason));
        return false;
    }
    if (td_buf_has_failed(text) || text->len > FILE_BYTES_MAX) {
        snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "the file of fault rules %.200s is larger than 1 MiB", path);
        return false;
    }
    return true;
}

static bool load_list(td_faults *faults, const char *path, td_slice text, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    td_arena arena;
    td_arena_init(&arena, 64 * FILE_BYTES_MAX);
    const char *fault = NULL;
    const td_json_node *list = td_json_doc_parse(text, &arena, &fault);
    bool is_list = list != NULL && td_json_node_get_type(list) == TD_JSON_NODE_ARRAY;
    if (!is_list) snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "%.200s must be a JSON list of fault rules", path);
    bool is_good = is_list;
    unsigned number = 1;
    const td_json_node *json = is_list ? td_json_node_first(list) : NULL;
    for (; json != NULL && is_good; json = td_json_node_next(json), number++) {
        char sentence[TD_FAULT_SENTENCE_BYTES] = "";
        is_good = add_initial(faults, json, sentence);
        if (!is_good) {
            snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "%.120s: rule %u: %.300s", path, number, sentence);
        }
    }
    td_arena_done(&arena);
    return is_good;
}

/* td_faults_reset puts them in force. */
static bool add_initial(td_faults *faults, const td_json_node *json, char reterr_sentence[TD_FAULT_SENTENCE_BYTES])
{
    td_fault_set *set = faults->set;
    if (set->initial_count == TD_COUNT_OF(set->initial)) {
        snprintf(reterr_sentence, TD_FAULT_SENTENCE_BYTES, "there are %d rules already, and no more are kept",
                 TD_LIMIT_FAULT_RULES_MAX);
        return false;
    }
    td_fault_rule *rule = td_fault__rule_read(json, TD_LIT(""), reterr_sentence);
    if (rule == NULL) return false;
    set->initial[set->initial_count++] = rule;
    return true;
}
