/* SPDX-License-Identifier: Apache-2.0
 * node.c: see node.h. libyaml's events become a tree: the finished children of every open list or map wait on one
 * stack, and move into the arena side by side when it closes. */
#include "node.h"

#include <stdio.h>
#include <yaml.h>

#include "thermodyn/map.h"
#include "thermodyn/memory.h"
#include "wire/json.h"

#define DEPTH_MAX 64
#define NODES_MAX 1000000 /* of a document, aliases expanded where they are merged */
#define MERGE_KEY TD_LIT("<<")

typedef struct reader {
    yaml_parser_t parser;
    td_arena *arena;
    td_map *anchors;     /* name → td_init_node */
    td_init_node *stack; /* finished children of what is open */
    size_t depth;        /* of the stack, in nodes */
    size_t capacity;
    uint32_t node_count;
    uint32_t *reterr_line;
    char *reterr_sentence;
} reader;

static bool read_document(reader *it, td_slice text, const td_init_node **ret_root);
static bool next_event(reader *it, yaml_event_t *ret_event);
static bool read_node(reader *it, yaml_event_t *event, uint32_t depth, td_init_node *ret_node);
static bool refuse(reader *it, uint32_t line, const char *sentence);

bool td_init__node_read(td_slice text, td_arena *arena, const td_init_node **ret_root, uint32_t *reterr_line,
                        char reterr_sentence[TD_INIT_NODE_SENTENCE_BYTES])
{
    reader it = {.arena = arena, .reterr_line = reterr_line, .reterr_sentence = reterr_sentence};
    it.anchors = td_map_new();
    if (it.anchors == NULL || yaml_parser_initialize(&it.parser) == 0) {
        td_map_free(it.anchors);
        return refuse(&it, 0, "out of memory");
    }
    bool is_read = read_document(&it, text, ret_root);
    yaml_parser_delete(&it.parser);
    td_map_free(it.anchors);
    td_free(it.stack);
    return is_read;
}

static bool read_document(reader *it, td_slice text, const td_init_node **ret_root)
{
    yaml_parser_set_input_string(&it->parser, text.ptr, text.len);
    yaml_parser_set_encoding(&it->parser, YAML_UTF8_ENCODING);
    td_init_node *root = td_arena_alloc_zero(it->arena, sizeof(*root));
    if (root == NULL) return refuse(it, 0, "out of memory");
    bool has_root = false;
    for (bool is_over = false; !is_over;) {
        yaml_event_t event;
        if (!next_event(it, &event)) return false;
        yaml_event_type_t type = event.type;
        uint32_t line = (uint32_t)event.start_mark.line + 1;
        bool is_frame = type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
                        type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT;
        is_over = type == YAML_STREAM_END_EVENT;
        if (is_frame) {
            yaml_event_delete(&event);
            if (type == YAML_DOCUMENT_START_EVENT && has_root) return refuse(it, line, "a second document begins here");
            continue;
        }
        has_root = true;
        if (!read_node(it, &event, 0, root)) return false;
    }
    if (!has_root) return refuse(it, 1, "there is nothing in it");
    *ret_root = root;
    return true;
}

static bool next_event(reader *it, yaml_event_t *ret_event)
{
    if (yaml_parser_parse(&it->parser, ret_event) != 0) return true;
    const yaml_parser_t *parser = &it->parser;
    if (parser->error == YAML_MEMORY_ERROR) return refuse(it, 0, "out of memory");
    bool is_of_bytes = parser->error == YAML_READER_ERROR;
    *it->reterr_line = is_of_bytes ? 0 : (uint32_t)parser->problem_mark.line + 1;
    snprintf(it->reterr_sentence, TD_INIT_NODE_SENTENCE_BYTES, "it is neither YAML nor JSON: %s%s%s",
             parser->context == NULL ? "" : parser->context, parser->context == NULL ? "" : ", ",
             parser->problem == NULL ? "unreadable" : parser->problem);
    return false;
}

static bool refuse(reader *it, uint32_t line, const char *sentence)
{
    *it->reterr_line = line;
    snprintf(it->reterr_sentence, TD_INIT_NODE_SENTENCE_BYTES, "%s", sentence);
    return false;
}

/* ---- nodes ---- */

static bool read_scalar(reader *it, const yaml_event_t *event, td_init_node *node);
static bool read_alias(reader *it, const yaml_event_t *event, td_init_node *ret_node);
static bool read_children(reader *it, uint32_t depth, td_init_node *node);
static bool spell_out_tag(reader *it, td_slice tag, td_init_node *node);
static bool keep_anchor(reader *it, td_slice anchor, const td_init_node *node);
static td_slice text_of(const yaml_char_t *text);

/* The node that begins with that event, which is deleted. */
static bool read_node(reader *it, yaml_event_t *event, uint32_t depth, td_init_node *ret_node)
{
    td_init_node node = {.line = (uint32_t)event->start_mark.line + 1};
    td_slice anchor = {NULL, 0};
    td_slice tag = {NULL, 0};
    bool is_read = depth <= DEPTH_MAX && it->node_count++ < NODES_MAX;
    if (!is_read) (void)refuse(it, node.line, "it is nested too deep, or too long");
    const yaml_char_t *names[2] = {NULL, NULL}; /* anchor, tag */
    switch ((int)event->type) {
    case YAML_SCALAR_EVENT:
        names[0] = event->data.scalar.anchor;
        names[1] = event->data.scalar.tag;
        is_read = is_read && read_scalar(it, event, &node);
        break;
    case YAML_SEQUENCE_START_EVENT:
        names[0] = event->data.sequence_start.anchor;
        names[1] = event->data.sequence_start.tag;
        node.kind = TD_INIT_LIST;
        break;
    case YAML_MAPPING_START_EVENT:
        names[0] = event->data.mapping_start.anchor;
        names[1] = event->data.mapping_start.tag;
        node.kind = TD_INIT_MAP;
        break;
    default: is_read = is_read && read_alias(it, event, &node); break;
    }
    is_read = is_read && td_arena_copy(it->arena, text_of(names[0]), &anchor) &&
              td_arena_copy(it->arena, text_of(names[1]), &tag);
    bool has_children = event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    yaml_event_delete(event);
    if (is_read && has_children) is_read = read_children(it, depth + 1, &node);
    if (is_read && tag.len > 1 && tag.ptr[0] == '!') is_read = spell_out_tag(it, tag, &node);
    if (is_read && anchor.len > 0) is_read = keep_anchor(it, anchor, &node);
    if (is_read) *ret_node = node;
    return is_read;
}

static td_slice text_of(const yaml_char_t *text)
{
    return text == NULL ? td_slice_of(NULL, 0) : td_slice_of_cstr((const char *)text);
}

static bool read_scalar(reader *it, const yaml_event_t *event, td_init_node *node)
{
    node->kind = TD_INIT_SCALAR;
    node->is_quoted = event->data.scalar.plain_implicit == 0; /* quoted, or tagged as a text */
    td_slice text = td_slice_of(event->data.scalar.value, event->data.scalar.length);
    return td_arena_copy(it->arena, text, &node->text) || refuse(it, node->line, "out of memory");
}

static bool read_alias(reader *it, const yaml_event_t *event, td_init_node *ret_node)
{
    TD_ASSERT(event->type == YAML_ALIAS_EVENT);
    const td_init_node *found = td_map_find(it->anchors, text_of(event->data.alias.anchor));
    if (found == NULL) return refuse(it, ret_node->line, "an alias names no anchor before it");
    *ret_node = *found;
    return true;
}

static bool push(reader *it, const td_init_node *node)
{
    if (it->depth == it->capacity) {
        size_t capacity = it->capacity == 0 ? 64 : it->capacity * 2;
        td_init_node *stack = td_resize(it->stack, capacity * sizeof(*stack));
        if (stack == NULL) return refuse(it, node->line, "out of memory");
        it->stack = stack;
        it->capacity = capacity;
    }
    it->stack[it->depth++] = *node;
    return true;
}

/* Has the map whose children begin there a member of that name so far? */
static bool has_member(const reader *it, size_t first, td_slice name)
{
    for (size_t i = first; i < it->depth; i++)
        if (td_slice_equal(it->stack[i].name, name)) return true;
    return false;
}

/* What a map merges counts where it has nothing of that name itself, and the first of several maps wins. */
static bool merge(reader *it, size_t first, const td_init_node *merged)
{
    if (merged->kind == TD_INIT_LIST) {
        for (uint32_t i = 0; i < merged->count; i++)
            if (!merge(it, first, &merged->children[i])) return false;
        return true;
    }
    if (merged->kind != TD_INIT_MAP) return refuse(it, merged->line, "\"<<\" must name a map, or a list of maps");
    for (uint32_t i = 0; i < merged->count; i++) {
        if (has_member(it, first, merged->children[i].name)) continue;
        if (it->node_count++ >= NODES_MAX) return refuse(it, merged->line, "it is too long");
        if (!push(it, &merged->children[i])) return false;
    }
    return true;
}

static bool read_name(reader *it, yaml_event_t *event, td_slice *ret_name)
{
    bool is_scalar = event->type == YAML_SCALAR_EVENT;
    bool is_read = is_scalar &&
                   td_arena_copy(it->arena, td_slice_of(event->data.scalar.value, event->data.scalar.length), ret_name);
    uint32_t line = (uint32_t)event->start_mark.line + 1;
    yaml_event_delete(event);
    return is_read || refuse(it, line, is_scalar ? "out of memory" : "the name of a member must be a text");
}

static bool read_child(reader *it, yaml_event_t *event, uint32_t depth, size_t first, bool is_map,
                       td_init_node *ret_merged)
{
    td_slice name = {NULL, 0};
    if (is_map && (!read_name(it, event, &name) || !next_event(it, event))) return false;
    td_init_node child;
    if (!read_node(it, event, depth, &child)) return false;
    child.name = name;
    if (is_map && td_slice_equal(name, MERGE_KEY)) {
        *ret_merged = child;
        return true;
    }
    if (is_map && has_member(it, first, name)) {
        return refuse(it, child.line, "the map has two members of this name");
    }
    return push(it, &child);
}

static bool read_children(reader *it, uint32_t depth, td_init_node *node)
{
    size_t first = it->depth;
    bool is_map = node->kind == TD_INIT_MAP;
    td_init_node merged = {.kind = TD_INIT_LIST};
    for (;;) {
        yaml_event_t event;
        if (!next_event(it, &event)) return false;
        if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        if (!read_child(it, &event, depth, first, is_map, &merged)) return false;
    }
    if (!merge(it, first, &merged)) return false;
    node->count = (uint32_t)(it->depth - first);
    node->children = td_arena_alloc_array(it->arena, node->count, sizeof(*node->children));
    if (node->children == NULL) return refuse(it, node->line, "out of memory");
    if (node->count > 0) memcpy(node->children, it->stack + first, node->count * sizeof(*node->children));
    it->depth = first;
    return true;
}

/* "!Ref" and "!Condition" are themselves, all others are functions. "!GetAtt A.B" has its parts in one text. */
static bool spell_out_tag(reader *it, td_slice tag, td_init_node *node)
{
    td_slice name = td_slice_of(tag.ptr + 1, tag.len - 1);
    bool is_whole = td_slice_equal(name, TD_LIT("Ref")) || td_slice_equal(name, TD_LIT("Condition"));
    td_init_node *map = td_init__node_new(it->arena, TD_INIT_MAP, node->line, 1);
    bool is_named = map != NULL && td_arena_format(it->arena, &name, "%s%.*s", is_whole ? "" : "Fn::", (int)name.len,
                                                   (const char *)name.ptr);
    if (!is_named) return refuse(it, node->line, "out of memory");
    td_init__node_add(map, name, node);
    *node = *map;
    return true;
}

static bool keep_anchor(reader *it, td_slice anchor, const td_init_node *node)
{
    td_init_node *kept = td_arena_alloc(it->arena, sizeof(*kept));
    if (kept == NULL) return refuse(it, node->line, "out of memory");
    *kept = *node;
    return td_map_put(it->anchors, anchor, kept) || refuse(it, node->line, "out of memory");
}

/* ---- trees ---- */

const td_init_node *td_init__node_find(const td_init_node *map, td_slice name)
{
    if (map == NULL || map->kind != TD_INIT_MAP) return NULL;
    for (uint32_t i = 0; i < map->count; i++)
        if (td_slice_equal(map->children[i].name, name)) return &map->children[i];
    return NULL;
}

bool td_init__node_is_null(const td_init_node *node)
{
    if (node->kind != TD_INIT_SCALAR || node->is_quoted) return false;
    return node->text.len == 0 || td_slice_equal(node->text, TD_LIT("null")) || td_slice_equal(node->text, TD_LIT("~"));
}

bool td_init__node_is_text(const td_init_node *node, td_slice text)
{
    return node != NULL && node->kind == TD_INIT_SCALAR && td_slice_equal(node->text, text);
}

td_init_node *td_init__node_new_text(td_arena *arena, uint32_t line, td_slice text)
{
    td_init_node *node = td_arena_alloc_zero(arena, sizeof(*node));
    if (node == NULL) return NULL;
    node->line = line;
    node->is_quoted = true;
    node->text = text;
    return node;
}

td_init_node *td_init__node_new(td_arena *arena, td_init_node_kind kind, uint32_t line, uint32_t capacity)
{
    td_init_node *node = td_arena_alloc_zero(arena, sizeof(*node));
    if (node == NULL) return NULL;
    node->kind = kind;
    node->line = line;
    node->children = td_arena_alloc_array(arena, capacity, sizeof(*node->children));
    return node->children == NULL ? NULL : node;
}

void td_init__node_add(td_init_node *parent, td_slice name, const td_init_node *child)
{
    td_init_node *place = &parent->children[parent->count++];
    *place = *child;
    place->name = name;
}

/* ---- writing ---- */

static const td_slice number_names[] = {
    TD_LIT_INIT("ReadCapacityUnits"),    TD_LIT_INIT("WriteCapacityUnits"), TD_LIT_INIT("MaxReadRequestUnits"),
    TD_LIT_INIT("MaxWriteRequestUnits"), TD_LIT_INIT("ReadUnitsPerSecond"), TD_LIT_INIT("WriteUnitsPerSecond"),
    TD_LIT_INIT("RecoveryPeriodInDays"),
};
static const td_slice switch_names[] = {
    TD_LIT_INIT("Enabled"),
    TD_LIT_INIT("StreamEnabled"),
    TD_LIT_INIT("DeletionProtectionEnabled"),
    TD_LIT_INIT("PointInTimeRecoveryEnabled"),
};

static bool is_one_of(const td_slice *names, size_t count, td_slice name)
{
    for (size_t i = 0; i < count; i++)
        if (td_slice_equal(names[i], name)) return true;
    return false;
}

static bool is_whole_number(td_slice text)
{
    size_t digits = 0;
    while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
        digits++;
    return digits > 0 && digits == text.len && (text.len == 1 || text.ptr[0] != '0');
}

static void write_scalar(td_buf *buf, const td_init_node *node)
{
    bool is_number = is_one_of(number_names, TD_COUNT_OF(number_names), node->name) && is_whole_number(node->text);
    bool is_switch = is_one_of(switch_names, TD_COUNT_OF(switch_names), node->name) &&
                     (td_slice_equal(node->text, TD_LIT("true")) || td_slice_equal(node->text, TD_LIT("false")));
    if (td_init__node_is_null(node)) {
        td_buf_append_lit(buf, "null");
    } else if (is_number || is_switch) {
        td_buf_append(buf, node->text);
    } else {
        td_json_write_string(buf, node->text);
    }
}

void td_init__node_write(td_buf *buf, const td_init_node *node)
{
    if (node->kind == TD_INIT_SCALAR) {
        write_scalar(buf, node);
        return;
    }
    bool is_map = node->kind == TD_INIT_MAP;
    td_buf_append_byte(buf, is_map ? '{' : '[');
    for (uint32_t i = 0; i < node->count && !td_buf_has_failed(buf); i++) {
        if (i > 0) td_buf_append_byte(buf, ',');
        if (is_map) {
            td_json_write_string(buf, node->children[i].name);
            td_buf_append_byte(buf, ':');
        }
        td_init__node_write(buf, &node->children[i]);
    }
    td_buf_append_byte(buf, is_map ? '}' : ']');
}
