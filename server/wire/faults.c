/* SPDX-License-Identifier: Apache-2.0
 * faults.c: broken constraints become one message.
 *
 * Model:      one fault: Value '<echo>' at '<path>' failed to satisfy constraint: Member must … The echo is Java's
 *             toString. Operations that the service has rebuilt leave the echo out; they fall back to the old form for
 *             the whole message as soon as one fault of the old kind is in it. In the current wording some members have
 *             their turn and are told alone, and two sets are told without naming their member (td_field, td_shape);
 *             but where a member is missing, the old code answers as it always has.
 * Not here:   finding the faults (constraint.c); the echo (echo.c). */
#include "faults.h"

#include "echo.h"

#include "thermodyn/buf.h"
#include "thermodyn/limits.h"

static void settle_current(td_faults *c);
static void write_fault(td_buf *buf, const td_member_fault *found, bool is_bare);
static td_status raise_told(td_faults *c, td_slice text);

td_status td_faults__raise(td_faults *c)
{
    if (c->no_memory) return TD_RAISE(c->error, TD_MSG_OUT_OF_MEMORY);
    if (td_faults__is_current(c)) settle_current(c);
    bool is_bare = true;
    for (uint32_t i = 0; i < c->count; i++)
        is_bare = is_bare && c->faults[i].bare_path.len > 0;

    td_buf buf;
    td_buf_init(&buf, TD_LIMIT_REPLY_BYTES_MAX);
    for (uint32_t i = 0; i < c->count; i++) {
        if (i > 0) td_buf_append_lit(&buf, "; ");
        write_fault(&buf, &c->faults[i], is_bare);
    }
    td_status status =
        td_buf_has_failed(&buf) ? TD_RAISE(c->error, TD_MSG_OUT_OF_MEMORY) : raise_told(c, td_buf_contents(&buf));
    td_buf_done(&buf);
    return status;
}

static void write_echo(td_buf *buf, const td_member_fault *found)
{
    if (found->field->echoes_json && found->value != NULL) {
        td_json_write_tree(buf, found->value);
    } else {
        td_echo__write(buf, found->shape, found->value);
    }
}

static void write_fault(td_buf *buf, const td_member_fault *found, bool is_bare)
{
    if (found->unnamed.len > 0) {
        td_buf_append_lit(buf, "Failed to satisfy constraint: ");
        td_buf_append(buf, found->unnamed);
        return;
    }
    if (is_bare) {
        td_buf_append_lit(buf, "Value at '");
        td_buf_append(buf, found->bare_path);
    } else {
        td_buf_append_lit(buf, "Value ");
        if (found->value != NULL) td_buf_append_byte(buf, '\'');
        write_echo(buf, found);
        if (found->value != NULL) td_buf_append_byte(buf, '\'');
        td_buf_append_lit(buf, " at '");
        td_buf_append(buf, found->path);
    }
    td_buf_append_lit(buf, "' failed to satisfy constraint: ");
    td_buf_append(buf, found->constraint);
}

static td_status raise_told(td_faults *c, td_slice text)
{
    const td_member_fault *first = &c->faults[0];
    if (first->field->has_no_count && first->unnamed.len > 0) {
        return TD_RAISE(c->error, TD_MSG_MEMBER_CONSTRAINT_BARE, text);
    }
    return TD_RAISE(c->error, TD_MSG_MEMBER_CONSTRAINTS, td_error_int(c->error, c->count),
                    c->count == 1 ? TD_LIT("") : TD_LIT("s"), text);
}

/* The fields' turns; those without one come after the others. */
static bool comes_before(const td_member_fault *a, const td_member_fault *b)
{
    return (uint8_t)(a->field->turn - 1) < (uint8_t)(b->field->turn - 1);
}

/* Which of the faults the current wording tells, in its order; at most ten are sorted. */
static void settle_current(td_faults *c)
{
    if (c->misses_member) {
        for (uint32_t i = 0; i < c->count; i++)
            c->faults[i].unnamed = td_slice_of(NULL, 0);
        return;
    }
    for (uint32_t i = 1; i < c->count; i++) {
        td_member_fault moved = c->faults[i];
        uint32_t at = i;
        for (; at > 0 && comes_before(&moved, &c->faults[at - 1]); at--)
            c->faults[at] = c->faults[at - 1];
        c->faults[at] = moved;
    }
    const td_field *first = c->faults[0].field;
    if (!first->is_told_alone) return;
    uint32_t count = 1;
    while (count < c->count && c->faults[count].field == first)
        count++;
    c->count = count;
}
