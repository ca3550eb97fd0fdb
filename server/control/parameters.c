/* SPDX-License-Identifier: Apache-2.0
 * parameters.c: query parameters of the calls that look at heat: bound, checked, refused in one sentence each. */
#include "parameters.h"

#include "thermodyn/text.h"

#include "wire/json.h"

static int bind(td_control_call *call, td_slice name, td_slice value, td_control_parameter *parameters, size_t count);
static void append_words(td_buf *buf, const char *const *words, size_t count);

const char *const td_control__metric_names[TD_HEAT_METRIC_COUNT] = {
    [TD_HEAT_READ] = "read", [TD_HEAT_WRITE] = "write", [TD_HEAT_THROTTLE] = "throttle"};

int td_control__read_parameters(td_control_call *call, td_control_parameter *parameters, size_t count)
{
    td_slice rest = call->request->query;
    int status = 200;
    while (rest.len > 0 && status == 200) {
        const uint8_t *end = memchr(rest.ptr, '&', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        const uint8_t *equals = memchr(rest.ptr, '=', len);
        size_t name_len = equals == NULL ? len : (size_t)(equals - rest.ptr);
        size_t value_at = equals == NULL ? len : name_len + 1;
        td_slice value = td_slice_of(rest.ptr + value_at, len - value_at);
        if (len > 0) status = bind(call, td_slice_of(rest.ptr, name_len), value, parameters, count);
        size_t step = end == NULL ? len : len + 1;
        rest = td_slice_of(rest.ptr + step, rest.len - step);
    }
    return status;
}

int td_control__read_whole(td_control_call *call, const td_control_parameter *parameter, int64_t min, int64_t max,
                           int64_t *value)
{
    if (parameter->value.len == 0) return 200;
    int64_t number = 0;
    bool is_whole = td_parse_int64(parameter->value, &number);
    if (!is_whole || number < min || number > max) {
        return td_control__refuse(call, 400, "\"%s\" must be a whole number from %lld to %lld", parameter->name,
                                  (long long)min, (long long)max);
    }
    *value = number;
    return 200;
}

int td_control__read_choice(td_control_call *call, const td_control_parameter *parameter, const char *const *words,
                            size_t count, int *choice)
{
    if (parameter->value.len == 0) return 200;
    for (size_t i = 0; i < count; i++) {
        if (!td_slice_equal(parameter->value, td_slice_of_cstr(words[i]))) continue;
        *choice = (int)i;
        return 200;
    }
    td_buf list;
    td_buf_init(&list, TD_CONTROL_ERROR_BYTES_MAX);
    append_words(&list, words, count);
    td_slice shown = td_buf_contents(&list);
    int status = td_control__refuse(call, 400, "\"%s\" must be %.*s", parameter->name, (int)shown.len,
                                    shown.len == 0 ? "" : (const char *)shown.ptr);
    td_buf_done(&list);
    return status;
}

int td_control__read_table(td_control_call *call, const td_control_parameter *parameter)
{
    if (parameter->value.len > 0) return 200;
    return td_control__refuse(call, 400, "\"%s\" is needed: ?%s=NAME", parameter->name, parameter->name);
}

void td_control__put_subject(td_control_call *call, td_slice table, td_slice index, td_heat_metric metric)
{
    td_json_build *build = call->answer;
    td_json_put_text(build, build->root, "table", table);
    if (index.len == 0)
        td_json_put_null(build, build->root, "index");
    else
        td_json_put_text(build, build->root, "index", index);
    td_json_put_text(build, build->root, "metric", td_slice_of_cstr(td_control__metric_names[metric]));
}

int td_control__heat_status(td_control_call *call, td_heat_result result, td_slice table, td_slice index)
{
    switch (result) {
    case TD_HEAT_OK: return 200;
    case TD_HEAT_NO_TABLE: return td_control__unknown_table(call, table);
    case TD_HEAT_NO_INDEX:
        return td_control__refuse(call, 404, "there is no global index \"%.*s\" of \"%.*s\"", TD_SHOWN(index),
                                  TD_SHOWN(table));
    case TD_HEAT_NO_MEMORY: return td_control__refuse_without_memory(call);
    }
    TD_UNREACHABLE("every result has a status");
}

void td_control__write_units(td_buf *buf, td_units units)
{
    if (units % TD_UNITS_ONE == 0)
        td_json_write_int(buf, units / TD_UNITS_ONE);
    else
        td_json_write_units(buf, units);
}

static int bind(td_control_call *call, td_slice name, td_slice value, td_control_parameter *parameters, size_t count)
{
    if (td_slice_equal(name, TD_LIT("scope"))) return 200;
    if (!td_utf8_is_valid(name)) return td_control__refuse(call, 400, "a parameter's name is not valid UTF-8");
    for (size_t i = 0; i < count; i++) {
        td_control_parameter *parameter = &parameters[i];
        if (!td_slice_equal(name, td_slice_of_cstr(parameter->name))) continue;
        if (value.len == 0) return td_control__refuse(call, 400, "\"%s\" has no value", parameter->name);
        if (parameter->value.len > 0) return td_control__refuse(call, 400, "\"%s\" is there twice", parameter->name);
        if (!td_utf8_is_valid(value))
            return td_control__refuse(call, 400, "\"%s\" is not valid UTF-8", parameter->name);
        parameter->value = value;
        return 200;
    }
    return td_control__refuse(call, 400, "unknown parameter \"%.*s\"", TD_SHOWN(name));
}

/* "a", "b" or "c" */
static void append_words(td_buf *buf, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        td_buf_append_format(buf, "%s\"%s\"", before, words[i]);
    }
}
