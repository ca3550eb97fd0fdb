/* SPDX-License-Identifier: Apache-2.0
 * callers.c: reads the file of --policies, and makes of an entry what policies see of a caller.
 *
 * Model: the keys of the context that IAM has of a principal: aws:PrincipalArn, aws:PrincipalAccount,
 * aws:PrincipalType, aws:userid, aws:username (of users), aws:PrincipalTag/…; and whatever the entry's Context gives
 * besides or in their place. A session of a role is named by its own ARN in messages, and by the role's in policies. */
#include "callers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#include "policy_private.h"

#define FILE_BYTES_MAX ((size_t)1024 * 1024)
#define ANY_KEY TD_LIT("*")
#define TAG_PREFIX "aws:PrincipalTag/"
#define OWN_KEYS 5 /* that every caller may have */

struct td_iam_callers {
    td_arena arena;
    td_slice account;
    td_map *by_key;     /* access key → td_iam_caller */
    td_iam_caller *any; /* NULL: there is no "*" */
};

/* A file while it is read. */
typedef struct reading {
    td_iam_callers *callers;
    const char *path;
    td_slice source;
    td_slice access_key;
    td_buf *says;
} reading;

static bool read_file(const char *path, td_arena *arena, td_slice *ret_text, td_buf *says);
static bool read_json(reading *it, td_json **ret_json);
static bool read_entry(reading *it, const td_json *json);
static bool read_context(reading *it, const td_json *entry, td_iam_caller *caller);
static bool read_policies(reading *it, const td_json *list, td_iam_caller *caller);
static bool fill_caller(td_slice arn, td_slice user_id, td_arena *arena, td_iam_caller *caller);
static bool refuse(const reading *it, const td_json *at, const char *format, ...) TD_PRINTF(3, 4);
static bool refuse_memory(const reading *it);

td_iam_callers *td_iam_callers_load(const char *path, const char *account, td_buf *says)
{
    td_arena arena;
    td_arena_init(&arena, 4 * FILE_BYTES_MAX);
    td_slice text;
    td_iam_callers *callers =
        read_file(path, &arena, &text, says) ? td_iam_callers_read(path, text, account, says) : NULL;
    td_arena_done(&arena);
    return callers;
}

td_iam_callers *td_iam_callers_read(const char *path, td_slice text, const char *account, td_buf *says)
{
    reading it = {.path = path, .says = says};
    td_iam_callers *callers = td_alloc_zero(sizeof *callers);
    bool is_read = false;
    it.callers = callers;
    if (callers != NULL) {
        td_arena_init(&callers->arena, 64 * FILE_BYTES_MAX);
        callers->by_key = td_map_new();
    }
    if (callers == NULL || callers->by_key == NULL ||
        !td_arena_copy(&callers->arena, td_slice_of_cstr(account), &callers->account) ||
        !td_arena_copy(&callers->arena, text, &it.source)) {
        (void)refuse_memory(&it);
    } else {
        td_json *root = NULL;
        const td_json *keys = NULL;
        is_read = read_json(&it, &root);
        if (is_read) {
            bool is_object = root->type == TD_JSON_OBJECT;
            keys = is_object ? td_json_find(root, TD_LIT("AccessKeys")) : NULL;
            bool is_alone = is_object && root->count == 1 && keys != NULL && keys->type == TD_JSON_OBJECT;
            if (!is_alone) is_read = refuse(&it, root, "there must be one object, {\"AccessKeys\": {…}}");
        }
        for (uint32_t i = 0; is_read && i < keys->count; i++)
            is_read = read_entry(&it, &keys->children[i]);
    }
    if (is_read) return callers;
    td_iam_callers_free(callers);
    return NULL;
}

void td_iam_callers_free(td_iam_callers *callers)
{
    if (callers == NULL) return;
    td_map_free(callers->by_key);
    td_arena_done(&callers->arena);
    td_free(callers);
}

bool td_iam_callers_identify(const td_iam_callers *callers, td_slice access_key, td_arena *arena,
                             td_iam_caller *ret_caller)
{
    const td_iam_caller *own = td_map_find(callers->by_key, access_key);
    if (own == NULL) own = callers->any;
    if (own != NULL && own->arn.len > 0) {
        *ret_caller = *own;
        return true;
    }
    /* Without an ARN, or an entry, a user of the key's name. */
    td_slice account = callers->account;
    td_slice arn;
    td_iam_caller made = {.key_count = 0};
    if (!td_arena_format(arena, &arn, "arn:aws:iam::%.*s:user/%.*s", (int)account.len, (const char *)account.ptr,
                         (int)access_key.len, (const char *)access_key.ptr) ||
        !fill_caller(arn, access_key, arena, &made)) {
        return false;
    }
    if (own != NULL) {
        td_iam_key *keys = td_arena_alloc_array(arena, own->key_count + made.key_count, sizeof(*keys));
        if (keys == NULL) return false;
        if (own->key_count > 0) memcpy(keys, own->keys, own->key_count * sizeof(*keys));
        memcpy(keys + own->key_count, made.keys, made.key_count * sizeof(*keys));
        made.keys = keys;
        made.key_count += own->key_count;
        made.policies = own->policies;
        made.policy_count = own->policy_count;
    }
    *ret_caller = made;
    return true;
}

bool td_iam_identify_root(td_slice account, td_arena *arena, td_iam_caller *ret_caller)
{
    td_slice arn;
    *ret_caller = (td_iam_caller){.key_count = 0};
    return td_arena_format(arena, &arn, "arn:aws:iam::%.*s:root", (int)account.len, (const char *)account.ptr) &&
           fill_caller(arn, account, arena, ret_caller);
}

/* ---- callers ---- */

static void add_key(td_iam_caller *caller, td_iam_key *keys, td_slice *values, const char *name, td_slice value)
{
    values[caller->key_count] = value;
    keys[caller->key_count] = (td_iam_key){td_slice_of_cstr(name), &values[caller->key_count], 1};
    caller->key_count++;
}

/* The role of "assumed-role/ROLE/SESSION". */
static bool find_role(const td_iam_arn *arn, td_slice *ret_role)
{
    static const td_slice prefix = TD_LIT_INIT("assumed-role/");
    if (!td_slice_equal(arn->service, TD_LIT("sts")) || !td_slice_has_prefix(arn->rest, prefix)) return false;
    td_slice rest = td_slice_of(arn->rest.ptr + prefix.len, arn->rest.len - prefix.len);
    const uint8_t *slash = rest.len == 0 ? NULL : memchr(rest.ptr, '/', rest.len);
    *ret_role = slash == NULL ? rest : td_slice_of(rest.ptr, (size_t)(slash - rest.ptr));
    return true;
}

/* The ARN is one, of an account. What it says of its owner. false: no memory. */
static bool fill_caller(td_slice text, td_slice user_id, td_arena *arena, td_iam_caller *caller)
{
    td_iam_arn arn;
    td_slice role;
    bool is_arn = td_iam__read_arn(text, &arn);
    TD_ASSERT(is_arn);
    td_iam_key *keys = td_arena_alloc_array(arena, OWN_KEYS, sizeof(*keys));
    td_slice *values = td_arena_alloc_array(arena, OWN_KEYS, sizeof(*values));
    if (keys == NULL || values == NULL) return false;
    caller->arn = text;
    caller->principal = text;
    caller->account = arn.account;
    caller->is_root = td_slice_equal(arn.rest, TD_LIT("root"));
    bool is_user = td_slice_has_prefix(arn.rest, TD_LIT("user/"));
    if (find_role(&arn, &role) &&
        !td_arena_format(arena, &caller->principal, "arn:%.*s:iam::%.*s:role/%.*s", (int)arn.partition.len,
                         (const char *)arn.partition.ptr, (int)arn.account.len, (const char *)arn.account.ptr,
                         (int)role.len, (const char *)role.ptr)) {
        return false;
    }
    add_key(caller, keys, values, "aws:PrincipalArn", caller->principal);
    add_key(caller, keys, values, "aws:PrincipalAccount", arn.account);
    add_key(caller, keys, values, "aws:PrincipalType",
            caller->is_root ? TD_LIT("Account")
            : is_user       ? TD_LIT("User")
                            : TD_LIT("AssumedRole"));
    add_key(caller, keys, values, "aws:userid", user_id);
    if (is_user) {
        size_t start = arn.rest.len; /* behind the path */
        while (arn.rest.ptr[start - 1] != '/')
            start--;
        add_key(caller, keys, values, "aws:username", td_slice_of(arn.rest.ptr + start, arn.rest.len - start));
    }
    caller->keys = keys;
    return true;
}

/* ---- the file ---- */

static bool read_file(const char *path, td_arena *arena, td_slice *ret_text, td_buf *says)
{
    FILE *file = fopen(path, "re");
    uint8_t *place = td_arena_alloc(arena, FILE_BYTES_MAX);
    size_t len = file == NULL || place == NULL ? 0 : fread(place, 1, FILE_BYTES_MAX, file);
    bool has_failed = file == NULL || ferror(file) != 0;
    if (has_failed) {
        td_buf_append_format(says, "%s cannot be read: %s", path, strerror(errno));
    } else if (place == NULL || len == FILE_BYTES_MAX) {
        td_buf_append_format(says, "%s is larger than 1 MiB", path);
        has_failed = true;
    }
    if (file != NULL) fclose(file);
    *ret_text = td_slice_of(place, len);
    return !has_failed;
}

static bool refuse_at(const reading *it, size_t offset, const char *sentence)
{
    unsigned line = 0;
    unsigned column = 0;
    td_iam_locate(it->source, offset, &line, &column);
    td_buf_append_format(it->says, "%s:%u:%u: %s", it->path, line, column, sentence);
    return false;
}

static bool refuse(const reading *it, const td_json *at, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    return refuse_at(it, td_iam__offset_of(it->source, at), sentence);
}

static bool refuse_memory(const reading *it)
{
    td_buf_append_lit(it->says, "there is no memory for the policies");
    return false;
}

static bool read_json(reading *it, td_json **ret_json)
{
    td_arena *arena = &it->callers->arena;
    td_error error = {.arena = arena};
    size_t offset = 0;
    td_status status = td_json_parse_or_tell(it->source, arena, ret_json, &offset, &error);
    if (status == TD_OK) return true;
    return status == TD_OUT_OF_MEMORY ? refuse_memory(it) : refuse_at(it, offset, "this is not JSON");
}

static bool is_account_arn(td_slice text)
{
    td_iam_arn arn;
    return td_iam__read_arn(text, &arn) && td_iam__is_account(arn.account) && arn.rest.len > 0 &&
           (td_slice_equal(arn.service, TD_LIT("iam")) || td_slice_equal(arn.service, TD_LIT("sts")));
}

static bool check_entry(const reading *it, const td_json *json)
{
    static const td_slice names[] = {TD_LIT_INIT("Arn"), TD_LIT_INIT("UserId"), TD_LIT_INIT("Tags"),
                                     TD_LIT_INIT("Context"), TD_LIT_INIT("Policies")};
    static const td_json_type types[] = {TD_JSON_STRING, TD_JSON_STRING, TD_JSON_OBJECT, TD_JSON_OBJECT, TD_JSON_ARRAY};
    if (json->type != TD_JSON_OBJECT) return refuse(it, json, "an access key has an object");
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *member = &json->children[i];
        size_t at = 0;
        while (at < TD_COUNT_OF(names) && !td_slice_equal(names[at], member->name))
            at++;
        if (at == TD_COUNT_OF(names)) {
            return refuse(it, member, "an access key has Arn, UserId, Tags, Context and Policies, but no %.*s",
                          (int)member->name.len, (const char *)member->name.ptr);
        }
        if (member->type != types[at]) {
            return refuse(it, member, "%.*s must be %s", (int)member->name.len, (const char *)member->name.ptr,
                          types[at] == TD_JSON_STRING   ? "a text"
                          : types[at] == TD_JSON_OBJECT ? "an object"
                                                        : "a list");
        }
    }
    return true;
}

static bool read_entry(reading *it, const td_json *json)
{
    td_iam_callers *callers = it->callers;
    bool is_any = td_slice_equal(json->name, ANY_KEY);
    it->access_key = json->name;
    if (!check_entry(it, json)) return false;
    if (is_any ? callers->any != NULL : td_map_find(callers->by_key, json->name) != NULL) {
        return refuse(it, json, "this access key is given twice");
    }
    td_iam_caller *caller = td_arena_alloc_zero(&callers->arena, sizeof(*caller));
    if (caller == NULL) return refuse_memory(it);
    const td_json *arn = td_json_find(json, TD_LIT("Arn"));
    const td_json *policies = td_json_find(json, TD_LIT("Policies"));
    if (arn != NULL && !is_account_arn(arn->text)) {
        return refuse(it, arn, "this is no ARN of a user, a role's session or an account's root user");
    }
    if (!read_context(it, json, caller)) return false;
    if (policies != NULL && !read_policies(it, policies, caller)) return false;
    if (is_any) callers->any = caller;
    return is_any || td_map_put(callers->by_key, json->name, caller) || refuse_memory(it);
}

static uint32_t count_of(const td_json *json)
{
    return json == NULL ? 0 : json->count;
}

/* The values of a key: a text or several. */
static bool read_values(reading *it, const td_json *json, td_iam_key *key)
{
    bool is_list = json->type == TD_JSON_ARRAY;
    key->count = is_list ? json->count : 1;
    td_slice *values = td_arena_alloc_array(&it->callers->arena, key->count, sizeof(*values));
    if (values == NULL) return refuse_memory(it);
    for (uint32_t i = 0; i < key->count; i++) {
        const td_json *value = is_list ? &json->children[i] : json;
        if (value->type != TD_JSON_STRING) return refuse(it, json, "a value must be a text, or a list of texts");
        values[i] = value->text;
    }
    key->values = values;
    return true;
}

/* What the entry gives stands before what follows from its ARN, and so counts. */
static bool read_context(reading *it, const td_json *entry, td_iam_caller *caller)
{
    td_arena *arena = &it->callers->arena;
    const td_json *arn = td_json_find(entry, TD_LIT("Arn"));
    const td_json *user_id = td_json_find(entry, TD_LIT("UserId"));
    const td_json *context = td_json_find(entry, TD_LIT("Context"));
    const td_json *tags = td_json_find(entry, TD_LIT("Tags"));
    td_iam_key *keys = td_arena_alloc_array(arena, count_of(context) + count_of(tags) + 1 + OWN_KEYS, sizeof(*keys));
    if (keys == NULL) return refuse_memory(it);
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_of(context); i++) {
        const td_json *json = &context->children[i];
        if (td_slice_has_prefix(json->name, TD_LIT("dynamodb:"))) {
            return refuse(it, json, "the keys of dynamodb: come from requests");
        }
        keys[count].name = json->name;
        if (!read_values(it, json, &keys[count++])) return false;
    }
    for (uint32_t i = 0; i < count_of(tags); i++) {
        const td_json *json = &tags->children[i];
        if (!td_arena_format(arena, &keys[count].name, TAG_PREFIX "%.*s", (int)json->name.len,
                             (const char *)json->name.ptr)) {
            return refuse_memory(it);
        }
        if (!read_values(it, json, &keys[count++])) return false;
    }
    if (user_id != NULL) {
        keys[count].name = TD_LIT("aws:userid");
        if (!read_values(it, user_id, &keys[count++])) return false;
    }
    if (arn != NULL) {
        if (!fill_caller(arn->text, it->access_key, arena, caller)) return refuse_memory(it);
        memcpy(keys + count, caller->keys, caller->key_count * sizeof(*keys));
        count += caller->key_count;
    }
    caller->keys = keys;
    caller->key_count = count;
    return true;
}

/* ---- policies ---- */

static bool compile(const reading *it, const td_json *json, td_iam_policy **ret_policy)
{
    td_iam_fault fault;
    if (td_iam_compile(TD_IAM_IDENTITY, it->source, json, &it->callers->arena, ret_policy, &fault)) return true;
    if (fault.kind == TD_IAM_FAULT_MEMORY) return refuse_memory(it);
    char sentence[1280];
    (void)snprintf(sentence, sizeof(sentence), "the policy of access key %.*s: %.*s", (int)it->access_key.len,
                   (const char *)it->access_key.ptr, (int)fault.sentence.len, (const char *)fault.sentence.ptr);
    return refuse_at(it, fault.offset, sentence);
}

/* A file beside that of the callers, unless its name begins at the root. */
static bool compile_file(const reading *it, td_slice name, td_iam_policy **ret_policy)
{
    td_arena *arena = &it->callers->arena;
    const char *slash = strrchr(it->path, '/');
    size_t folder_len = slash == NULL || (name.len > 0 && name.ptr[0] == '/') ? 0 : (size_t)(slash - it->path) + 1;
    td_slice path;
    if (!td_arena_format(arena, &path, "%.*s%.*s%c", (int)folder_len, it->path, (int)name.len, (const char *)name.ptr,
                         '\0')) {
        return refuse_memory(it);
    }
    reading file = *it;
    td_json *json = NULL;
    file.path = (const char *)path.ptr;
    return read_file(file.path, arena, &file.source, it->says) && read_json(&file, &json) &&
           compile(&file, json, ret_policy);
}

static bool read_policies(reading *it, const td_json *list, td_iam_caller *caller)
{
    td_iam_policy **policies = td_arena_alloc_array(&it->callers->arena, list->count, sizeof(td_iam_policy *));
    if (policies == NULL) return refuse_memory(it);
    for (uint32_t i = 0; i < list->count; i++) {
        const td_json *json = &list->children[i];
        bool is_read =
            json->type == TD_JSON_STRING ? compile_file(it, json->text, &policies[i]) : compile(it, json, &policies[i]);
        if (!is_read) return false;
    }
    caller->policies = policies;
    caller->policy_count = list->count;
    return true;
}
