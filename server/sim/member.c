/* SPDX-License-Identifier: Apache-2.0
 * member.c: see member.h. */
#include "member.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53 */

static size_t append_path(td_sim_reader *reader, const char *format, ...) TD_PRINTF(2, 3);
static bool has_word(const char *words, td_slice word);
static double unit_seconds(td_slice unit);

void td_sim__reader_init(td_sim_reader *reader, td_arena *arena)
{
    *reader = (td_sim_reader){.arena = arena};
}

size_t td_sim__enter(td_sim_reader *reader, const char *name)
{
    return append_path(reader, "%s%s", reader->path_len == 0 ? "" : ".", name);
}

size_t td_sim__enter_at(td_sim_reader *reader, uint32_t at)
{
    return append_path(reader, "[%u]", (unsigned)at);
}

void td_sim__leave(td_sim_reader *reader, size_t path_len)
{
    TD_ASSERT(path_len <= reader->path_len);
    reader->path_len = path_len;
    reader->path[path_len] = '\0';
}

void td_sim__refuse(td_sim_reader *reader, const char *name, const char *format, ...)
{
    if (reader->has_failed) return;
    reader->has_failed = true;
    size_t outside = name == NULL ? reader->path_len : td_sim__enter(reader, name);
    int len =
        snprintf(reader->sentence, sizeof(reader->sentence), "%s%s", reader->path, reader->path_len == 0 ? "" : ": ");
    TD_ASSERT(len >= 0 && (size_t)len < sizeof(reader->sentence));
    va_list args;
    va_start(args, format);
    vsnprintf(reader->sentence + len, sizeof(reader->sentence) - (size_t)len, format, args);
    va_end(args);
    td_sim__leave(reader, outside);
}

void td_sim__refuse_memory(td_sim_reader *reader)
{
    td_sim__refuse(reader, NULL, "out of memory");
}

bool td_sim__check_object(td_sim_reader *reader, const td_json_node *node, const char *names)
{
    if (reader->has_failed) return false;
    if (td_json_node_get_type(node) != TD_JSON_NODE_OBJECT) {
        td_sim__refuse(reader, NULL, "must be an object with members of: %s", names);
        return false;
    }
    const td_json_node *member = td_json_node_first(node);
    for (; member != NULL; member = td_json_node_next(member)) {
        if (has_word(names, td_json_node_name(member))) continue;
        td_sim__refuse(reader, NULL, "unknown member \"%.*s\"; known here: %s", TD_SHOWN(td_json_node_name(member)),
                       names);
        return false;
    }
    return true;
}

const td_json_node *td_sim__find(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_needed)
{
    if (reader->has_failed) return NULL;
    const td_json_node *node = td_json_node_find(object, name);
    if (node == NULL && is_needed) td_sim__refuse(reader, name, "is missing");
    return node;
}

td_slice td_sim__read_text(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_needed)
{
    const td_json_node *node = td_sim__find(reader, object, name, is_needed);
    if (node == NULL) return TD_LIT("");
    size_t outside = td_sim__enter(reader, name);
    td_slice text = td_sim__text_of(reader, node);
    if (text.len == 0 && is_needed) td_sim__refuse(reader, NULL, "must not be empty");
    td_sim__leave(reader, outside);
    return text;
}

bool td_sim__read_bool(td_sim_reader *reader, const td_json_node *object, const char *name, bool is_true)
{
    const td_json_node *node = td_sim__find(reader, object, name, false);
    if (node == NULL) return is_true;
    if (td_json_node_get_type(node) != TD_JSON_NODE_BOOL) td_sim__refuse(reader, name, "must be true or false");
    return td_json_node_is_true(node);
}

double td_sim__read_number(td_sim_reader *reader, const td_json_node *object, const char *name, double absent,
                           double min, double max)
{
    const td_json_node *node = td_sim__find(reader, object, name, false);
    if (node == NULL) return absent;
    size_t outside = td_sim__enter(reader, name);
    double value = td_sim__number_of(reader, node, min, max);
    td_sim__leave(reader, outside);
    return value;
}

int64_t td_sim__read_int(td_sim_reader *reader, const td_json_node *object, const char *name, int64_t absent,
                         int64_t min, int64_t max)
{
    const td_json_node *node = td_sim__find(reader, object, name, false);
    if (node == NULL) return absent;
    bool is_number = td_json_node_get_type(node) == TD_JSON_NODE_NUMBER;
    int64_t value = min;
    if (!is_number || !td_json_node_int(node, &value) || value < min || value > max) {
        td_sim__refuse(reader, name, "must be a whole number from %lld to %lld", (long long)min, (long long)max);
        return min;
    }
    return value;
}

int td_sim__read_word(td_sim_reader *reader, const td_json_node *object, const char *name, const char *const *words,
                      int count, int absent)
{
    const td_json_node *node = td_sim__find(reader, object, name, absent < 0);
    if (node == NULL) return absent < 0 ? 0 : absent;
    bool is_text = td_json_node_get_type(node) == TD_JSON_NODE_TEXT;
    for (int i = 0; i < count && is_text; i++) {
        if (td_slice_equal(td_json_node_text(node), td_slice_of_cstr(words[i]))) return i;
    }
    char known[TD_SIM_SENTENCE_BYTES / 2] = "";
    size_t len = 0;
    for (int i = 0; i < count && len < sizeof(known); i++) {
        int added = snprintf(known + len, sizeof(known) - len, "%s\"%s\"", i == 0 ? "" : ", ", words[i]);
        len += added < 0 ? 0 : (size_t)added;
    }
    td_sim__refuse(reader, name, "must be one of %s", known);
    return 0;
}

td_time_us td_sim__read_duration(td_sim_reader *reader, const td_json_node *object, const char *name,
                                 td_time_us absent_us, td_time_us max_us)
{
    const td_json_node *node = td_sim__find(reader, object, name, absent_us < 0);
    if (node == NULL) return absent_us < 0 ? 0 : absent_us;
    double seconds = -1;
    if (td_json_node_get_type(node) == TD_JSON_NODE_NUMBER) seconds = td_json_node_number(node);
    if (td_json_node_get_type(node) == TD_JSON_NODE_TEXT) {
        td_slice text = td_json_node_text(node);
        double number = 0;
        char unit[8] = "";
        char shown[32] = "";
        if (text.len < sizeof(shown)) {
            memcpy(shown, text.ptr, text.len);
            bool is_pair = sscanf(shown, "%lf %7[a-z]", &number, unit) == 2;
            double one = unit_seconds(td_slice_of_cstr(unit));
            if (is_pair && one > 0) seconds = number * one;
        }
    }
    if (!(seconds >= 0 && seconds <= (double)max_us / (double)TD_US_PER_S)) {
        td_sim__refuse(
            reader, name,
            "must be a number of seconds, or a text such as \"90 s\", \"15 min\" or \"2 h\", of %.15g s at most",
            (double)max_us / (double)TD_US_PER_S);
        return 0;
    }
    return (td_time_us)llround(seconds * (double)TD_US_PER_S);
}

double td_sim__number_of(td_sim_reader *reader, const td_json_node *node, double min, double max)
{
    double value = td_json_node_get_type(node) == TD_JSON_NODE_NUMBER ? td_json_node_number(node) : NAN;
    if (value >= min && value <= max) return value;
    td_sim__refuse(reader, NULL, "must be a number from %.15g to %.15g", min, max);
    return min;
}

td_slice td_sim__text_of(td_sim_reader *reader, const td_json_node *node)
{
    td_slice copy = TD_LIT("");
    if (td_json_node_get_type(node) != TD_JSON_NODE_TEXT) {
        td_sim__refuse(reader, NULL, "must be a text");
    } else if (!td_arena_copy(reader->arena, td_json_node_text(node), &copy)) {
        td_sim__refuse_memory(reader);
    }
    return copy;
}

uint32_t td_sim__count(const td_json_node *parent)
{
    uint32_t count = 0;
    for (const td_json_node *node = td_json_node_first(parent); node != NULL; node = td_json_node_next(node))
        count++;
    return count;
}

void *td_sim__alloc_array(td_sim_reader *reader, size_t count, size_t size_bytes)
{
    void *array = reader->has_failed ? NULL : td_arena_alloc_array(reader->arena, count, size_bytes);
    if (array == NULL) {
        td_sim__refuse_memory(reader);
        return NULL;
    }
    memset(array, 0, count * size_bytes);
    return array;
}

const char *td_sim__copy_cstr(td_sim_reader *reader, td_slice text)
{
    td_slice copy;
    if (td_arena_format(reader->arena, &copy, "%.*s", (int)text.len, (const char *)text.ptr)) {
        return (const char *)copy.ptr;
    }
    td_sim__refuse_memory(reader);
    return "";
}

/* A path that is too long keeps its beginning. */
static size_t append_path(td_sim_reader *reader, const char *format, ...)
{
    size_t outside = reader->path_len;
    size_t room = sizeof(reader->path) - outside;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(reader->path + outside, room, format, args);
    va_end(args);
    TD_ASSERT(len >= 0);
    reader->path_len += (size_t)len < room ? (size_t)len : room - 1;
    return outside;
}

static bool has_word(const char *words, td_slice word)
{
    for (const char *at = words; *at != '\0';) {
        size_t len = strcspn(at, " ");
        if (td_slice_equal(td_slice_of(at, len), word)) return true;
        at += len;
        at += strspn(at, " ");
    }
    return false;
}

static double unit_seconds(td_slice unit)
{
    if (td_slice_equal(unit, TD_LIT("s"))) return 1;
    if (td_slice_equal(unit, TD_LIT("min"))) return 60;
    if (td_slice_equal(unit, TD_LIT("h"))) return 3600;
    return 0;
}
