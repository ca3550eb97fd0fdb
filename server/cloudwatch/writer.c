/* SPDX-License-Identifier: Apache-2.0
 * writer.c: answers as XML, JSON or CBOR. */
#include "writer.h"

#include <math.h>

#include "cbor_wire.h"
#include "iso_time.h"
#include "wire/json.h"

static void begin(td_cw_writer *out, const char *name);
static void end(td_cw_writer *out, const char *name);
static void push(td_cw_writer *out, const char *name, td_cw_nesting nesting);
static const char *element_name(const td_cw_writer *out, const char *name);
static void put_tag(td_buf *buf, const char *before, const char *name);
static void put_xml_text(td_buf *buf, td_slice text);
static void put_number(td_cw_writer *out, double value);

void td_cw_writer_init(td_cw_writer *out, td_cw_protocol protocol, td_buf *buf)
{
    *out = (td_cw_writer){.protocol = protocol, .buf = buf};
}

void td_cw_open(td_cw_writer *out, const char *name)
{
    push(out, name, TD_CW_IN_STRUCTURE);
    if (out->protocol == TD_CW_JSON) td_buf_append_byte(out->buf, '{');
    if (out->protocol == TD_CW_CBOR) td_cbor_open_map(out->buf);
}

void td_cw_open_list(td_cw_writer *out, const char *name)
{
    push(out, name, TD_CW_IN_LIST);
    if (out->protocol == TD_CW_JSON) td_buf_append_byte(out->buf, '[');
    if (out->protocol == TD_CW_CBOR) td_cbor_open_array(out->buf);
}

void td_cw_open_map(td_cw_writer *out, const char *name)
{
    push(out, name, TD_CW_IN_MAP);
    if (out->protocol == TD_CW_JSON) td_buf_append_byte(out->buf, '{');
    if (out->protocol == TD_CW_CBOR) td_cbor_open_map(out->buf);
}

void td_cw_close(td_cw_writer *out)
{
    TD_ASSERT(out->depth > 0);
    out->depth--;
    bool is_list = out->levels[out->depth].nesting == TD_CW_IN_LIST;
    switch (out->protocol) {
    case TD_CW_QUERY: end(out, out->levels[out->depth].name); return;
    case TD_CW_JSON: td_buf_append_byte(out->buf, is_list ? ']' : '}'); return;
    case TD_CW_CBOR: td_cbor_close(out->buf); return;
    }
    TD_UNREACHABLE("there are these protocols");
}

void td_cw_put_text(td_cw_writer *out, const char *name, td_slice value)
{
    begin(out, name);
    switch (out->protocol) {
    case TD_CW_QUERY: put_xml_text(out->buf, value); break;
    case TD_CW_JSON: td_json_write_string(out->buf, value); break;
    case TD_CW_CBOR: td_cbor_put_text(out->buf, value); break;
    }
    end(out, name);
}

void td_cw_put_literal(td_cw_writer *out, const char *name, const char *value)
{
    td_cw_put_text(out, name, td_slice_of_cstr(value));
}

void td_cw_put_int(td_cw_writer *out, const char *name, int64_t value)
{
    begin(out, name);
    if (out->protocol == TD_CW_CBOR)
        td_cbor_put_int(out->buf, value);
    else
        td_json_write_int(out->buf, value);
    end(out, name);
}

void td_cw_put_double(td_cw_writer *out, const char *name, double value)
{
    begin(out, name);
    put_number(out, value);
    end(out, name);
}

void td_cw_put_bool(td_cw_writer *out, const char *name, bool value)
{
    begin(out, name);
    if (out->protocol == TD_CW_CBOR)
        td_cbor_put_bool(out->buf, value);
    else
        td_buf_append(out->buf, value ? TD_LIT("true") : TD_LIT("false"));
    end(out, name);
}

void td_cw_put_time(td_cw_writer *out, const char *name, td_time_us value)
{
    char text[TD_ISO_TIME_BYTES];
    begin(out, name);
    switch (out->protocol) {
    case TD_CW_QUERY: td_buf_append(out->buf, td_iso_time_print(value, text)); break;
    case TD_CW_JSON: td_json_write_time(out->buf, value); break;
    case TD_CW_CBOR: td_cbor_put_time(out->buf, value); break;
    }
    end(out, name);
}

void td_cw_put_entry(td_cw_writer *out, td_slice key, double value)
{
    TD_ASSERT(out->depth > 0 && out->levels[out->depth - 1].nesting == TD_CW_IN_MAP);
    bool *has_members = &out->levels[out->depth - 1].has_members;
    switch (out->protocol) {
    case TD_CW_QUERY:
        td_buf_append_lit(out->buf, "<entry><key>");
        put_xml_text(out->buf, key);
        td_buf_append_lit(out->buf, "</key><value>");
        put_number(out, value);
        td_buf_append_lit(out->buf, "</value></entry>");
        break;
    case TD_CW_JSON:
        if (*has_members) td_buf_append_byte(out->buf, ',');
        td_json_write_string(out->buf, key);
        td_buf_append_byte(out->buf, ':');
        put_number(out, value);
        break;
    case TD_CW_CBOR:
        td_cbor_put_text(out->buf, key);
        put_number(out, value);
        break;
    }
    *has_members = true;
}

/* What stands ahead of a member's or an element's value. */
static void begin(td_cw_writer *out, const char *name)
{
    bool is_inside = out->depth > 0;
    bool is_named = is_inside && out->levels[out->depth - 1].nesting != TD_CW_IN_LIST;
    TD_ASSERT(!is_named || name != NULL);
    switch (out->protocol) {
    case TD_CW_QUERY: put_tag(out->buf, "<", element_name(out, name)); break;
    case TD_CW_JSON:
        if (is_inside && out->levels[out->depth - 1].has_members) td_buf_append_byte(out->buf, ',');
        if (!is_named) break;
        td_json_write_string(out->buf, td_slice_of_cstr(name));
        td_buf_append_byte(out->buf, ':');
        break;
    case TD_CW_CBOR:
        if (is_named) td_cbor_put_text(out->buf, td_slice_of_cstr(name));
        break;
    }
    if (is_inside) out->levels[out->depth - 1].has_members = true;
}

static void end(td_cw_writer *out, const char *name)
{
    if (out->protocol == TD_CW_QUERY) put_tag(out->buf, "</", element_name(out, name));
}

static void push(td_cw_writer *out, const char *name, td_cw_nesting nesting)
{
    TD_ASSERT(out->depth < TD_CW_DEPTH_MAX);
    begin(out, name);
    out->levels[out->depth].name = name;
    out->levels[out->depth].nesting = nesting;
    out->levels[out->depth].has_members = false;
    out->depth++;
}

/* An element of a list is a <member>; the outermost structure has no tag here. */
static const char *element_name(const td_cw_writer *out, const char *name)
{
    if (name != NULL) return name;
    return out->depth == 0 ? NULL : "member";
}

static void put_tag(td_buf *buf, const char *before, const char *name)
{
    if (name == NULL) return;
    td_buf_append(buf, td_slice_of_cstr(before));
    td_buf_append(buf, td_slice_of_cstr(name));
    td_buf_append_byte(buf, '>');
}

/* XML 1.0 has no way to say most control characters. */
static void put_xml_text(td_buf *buf, td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        switch (byte) {
        case '&': td_buf_append_lit(buf, "&amp;"); break;
        case '<': td_buf_append_lit(buf, "&lt;"); break;
        case '>': td_buf_append_lit(buf, "&gt;"); break;
        case '"': td_buf_append_lit(buf, "&quot;"); break;
        case '\r': td_buf_append_lit(buf, "&#13;"); break;
        case '\t':
        case '\n': td_buf_append_byte(buf, byte); break;
        default:
            if (byte < 0x20)
                td_buf_append_lit(buf, "\xEF\xBF\xBD");
            else
                td_buf_append_byte(buf, byte);
        }
    }
}

/* Doubles look like doubles, 15.0: clients that read JSON tell them from integers by that. */
static void put_number(td_cw_writer *out, double value)
{
    TD_ASSERT(isfinite(value));
    if (out->protocol == TD_CW_CBOR) {
        td_cbor_put_double(out->buf, value);
        return;
    }
    size_t start = out->buf->len;
    td_json_write_double(out->buf, value);
    if (td_buf_has_failed(out->buf)) return;
    td_slice digits = td_slice_of(out->buf->data + start, out->buf->len - start);
    bool is_plain = memchr(digits.ptr, '.', digits.len) == NULL && memchr(digits.ptr, 'e', digits.len) == NULL;
    if (is_plain) td_buf_append_lit(out->buf, ".0");
}
