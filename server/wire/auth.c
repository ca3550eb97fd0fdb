/* SPDX-License-Identifier: Apache-2.0
 * auth.c: who signed a request, and for which region: the Authorization header, or the query of a presigned URL.
 *
 * Model:    the service first looks whether there is a signature at all, then whether all of its parts are there (each
 *           missing one is a sentence of the message), then at the credential's form.
 * Not here: whether the signature is right (sigv4.c). */
#include "wire/envelope.h"

#include "thermodyn/text.h"

static td_status parse_header(const td_envelope *envelope, td_identity *ret_identity, td_error *error);
static td_status parse_query(td_slice query, td_identity *ret_identity, td_error *error);
static bool find_query_parameter(td_slice query, td_slice name, td_slice *ret_value);
static td_slice printable(td_slice text, td_arena *arena);

td_status td_identity_parse(const td_envelope *envelope, td_identity *ret_identity, td_error *error)
{
    td_slice algorithm;
    bool is_presigned = find_query_parameter(envelope->query, TD_LIT("X-Amz-Algorithm"), &algorithm);
    bool has_header = envelope->authorization.len > 0;
    if (has_header && is_presigned) return TD_RAISE(error, TD_MSG_SIGNATURE_TWICE);
    if (is_presigned) return parse_query(envelope->query, ret_identity, error);
    if (!td_slice_has_prefix(envelope->authorization, TD_LIT("AWS4-"))) return TD_RAISE(error, TD_MSG_TOKEN_MISSING);
    return parse_header(envelope, ret_identity, error);
}

/* The first one, or the text's end. */
static const uint8_t *find_byte(td_slice text, int byte)
{
    const uint8_t *at = text.len == 0 ? NULL : memchr(text.ptr, byte, text.len);
    return at == NULL ? text.ptr + text.len : at;
}

/* ---- the credential ---- */

/* keyid/date/region/service/term, where the slash may be percent-encoded: the length of the separator at `at`. */
static size_t separator_len(td_slice text, size_t at)
{
    if (text.ptr[at] == '/') return 1;
    if (text.len - at < 3 || text.ptr[at] != '%' || text.ptr[at + 1] != '2') return 0;
    return (text.ptr[at + 2] | 0x20) == 'f' ? 3 : 0;
}

/* Where the next separator can be: the next slash or, as hardly any text has one, percent sign. */
static size_t skip_to_separator(td_slice text, size_t at, bool has_percent)
{
    if (!has_percent) return (size_t)(find_byte(td_slice_of(text.ptr + at, text.len - at), '/') - text.ptr);
    while (at < text.len && text.ptr[at] != '/' && text.ptr[at] != '%')
        at++;
    return at;
}

/* Regions become part of names and answers, so that they must look like one. */
static bool is_region(td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= '0' && byte <= '9') && byte != '-') return false;
    }
    return text.len > 0;
}

static td_status parse_credential(td_slice credential, td_identity *ret_identity, td_error *error)
{
    enum { KEY_ID, DATE, REGION, SERVICE, TERM, PARTS };
    td_slice parts[PARTS];
    size_t count = 0;
    size_t start = 0;
    size_t at = 0;
    bool has_percent = find_byte(credential, '%') < credential.ptr + credential.len;
    for (;;) {
        at = skip_to_separator(credential, at, has_percent);
        if (at == credential.len) break;
        size_t skip = separator_len(credential, at);
        if (skip == 0) {
            at++;
            continue;
        }
        if (count == PARTS) break;
        parts[count++] = td_slice_of(credential.ptr + start, at - start);
        at += skip;
        start = at;
    }
    /* Slashes at the end are not counted. */
    if (start < credential.len && count < PARTS) {
        parts[count++] = td_slice_of(credential.ptr + start, credential.len - start);
        start = credential.len;
    }
    while (start < credential.len && separator_len(credential, start) > 0)
        start += separator_len(credential, start);
    if (count != PARTS || start < credential.len) {
        return TD_RAISE(error, TD_MSG_CREDENTIAL_MALFORMED, printable(credential, error->arena));
    }
    if (!is_region(parts[REGION])) {
        return TD_RAISE(error, TD_MSG_REGION_INVALID, printable(parts[REGION], error->arena));
    }
    ret_identity->access_key = parts[KEY_ID];
    ret_identity->day = parts[DATE];
    ret_identity->region = parts[REGION];
    ret_identity->service = parts[SERVICE];
    ret_identity->term = parts[TERM];
    return TD_OK;
}

/* ---- the header ---- */

enum { CREDENTIAL, SIGNATURE, SIGNED_HEADERS, HEADER_PARAMETERS };

static const td_slice header_parameters[HEADER_PARAMETERS] = {
    [CREDENTIAL] = TD_LIT_INIT("Credential"),
    [SIGNATURE] = TD_LIT_INIT("Signature"),
    [SIGNED_HEADERS] = TD_LIT_INIT("SignedHeaders"),
};

/* Parameters stand behind the algorithm, separated by commas or blanks, as name=value; the last of a name counts. */
static void find_header_parameters(td_slice header, td_slice ret_values[HEADER_PARAMETERS])
{
    const uint8_t *end = header.ptr + header.len;
    const uint8_t *comma = find_byte(header, ',');
    const uint8_t *at = find_byte(td_slice_of(header.ptr, (size_t)(comma - header.ptr)), ' ');
    for (; at < end; at++) {
        if (*at == ' ' || *at == ',') continue;
        if (comma < at) comma = find_byte(td_slice_of(at, (size_t)(end - at)), ',');
        const uint8_t *part_end = find_byte(td_slice_of(at, (size_t)(comma - at)), ' ');
        td_slice part = td_slice_of(at, (size_t)(part_end - at));
        for (size_t i = 0; i < HEADER_PARAMETERS; i++) {
            td_slice name = header_parameters[i];
            if (part.len <= name.len || part.ptr[name.len] != '=' || !td_slice_has_prefix(part, name)) continue;
            ret_values[i] = td_slice_of(part.ptr + name.len + 1, part.len - name.len - 1);
        }
        at = part_end;
    }
}

/* A list of sentences, gathered in the error's arena by formatting ever longer ones; there are five at most. */
static bool add_sentence(td_arena *arena, td_slice *text, const char *before, td_slice name, const char *after)
{
    return td_arena_format(arena, text, "%.*s%s%.*s%s", (int)text->len, (const char *)text->ptr, before, (int)name.len,
                           (const char *)name.ptr, after);
}

static td_status parse_header(const td_envelope *envelope, td_identity *ret_identity, td_error *error)
{
    td_slice values[HEADER_PARAMETERS] = {{NULL, 0}};
    td_slice missing = TD_LIT("");
    bool has_memory = true;
    find_header_parameters(envelope->authorization, values);
    for (size_t i = 0; i < HEADER_PARAMETERS; i++) {
        if (values[i].len > 0) continue;
        has_memory = has_memory && add_sentence(error->arena, &missing, "Authorization header requires '",
                                                header_parameters[i], "' parameter. ");
    }
    if (envelope->date.len == 0) {
        has_memory = has_memory && add_sentence(error->arena, &missing, "Authorization header requires existence of ",
                                                TD_LIT("either a 'X-Amz-Date' or a 'Date' header. "), "");
    }
    if (!has_memory) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (missing.len > 0) {
        return TD_RAISE(error, TD_MSG_AUTHORIZATION_INCOMPLETE, missing,
                        printable(envelope->authorization, error->arena));
    }
    *ret_identity = (td_identity){.signed_headers = values[SIGNED_HEADERS],
                                  .digits = values[SIGNATURE],
                                  .time = envelope->date,
                                  .token = envelope->token};
    return parse_credential(values[CREDENTIAL], ret_identity, error);
}

/* ---- the query ---- */

static bool find_query_parameter(td_slice query, td_slice name, td_slice *ret_value)
{
    size_t at = 0;
    while (at < query.len) {
        size_t end = at;
        while (end < query.len && query.ptr[end] != '&')
            end++;
        td_slice part = td_slice_of(query.ptr + at, end - at);
        if (td_slice_has_prefix(part, name) && (part.len == name.len || part.ptr[name.len] == '=')) {
            size_t skip = part.len == name.len ? name.len : name.len + 1;
            *ret_value = td_slice_of(part.ptr + skip, part.len - skip);
            return true;
        }
        at = end + 1;
    }
    return false;
}

enum {
    Q_ALGORITHM,
    Q_CREDENTIAL,
    Q_SIGNATURE,
    Q_SIGNED_HEADERS,
    Q_DATE,
    Q_NEEDED,
    Q_TOKEN = Q_NEEDED,
    Q_EXPIRES,
    QUERY_PARAMETERS
};

static const td_slice query_parameters[QUERY_PARAMETERS] = {
    [Q_ALGORITHM] = TD_LIT_INIT("X-Amz-Algorithm"),
    [Q_CREDENTIAL] = TD_LIT_INIT("X-Amz-Credential"),
    [Q_SIGNATURE] = TD_LIT_INIT("X-Amz-Signature"),
    [Q_SIGNED_HEADERS] = TD_LIT_INIT("X-Amz-SignedHeaders"),
    [Q_DATE] = TD_LIT_INIT("X-Amz-Date"),
    [Q_TOKEN] = TD_LIT_INIT("X-Amz-Security-Token"),
    [Q_EXPIRES] = TD_LIT_INIT("X-Amz-Expires"),
};

static td_status parse_query(td_slice query, td_identity *ret_identity, td_error *error)
{
    td_slice missing = TD_LIT("");
    td_slice values[QUERY_PARAMETERS] = {{NULL, 0}};
    for (size_t i = 0; i < QUERY_PARAMETERS; i++) {
        td_slice name = query_parameters[i];
        bool is_there = find_query_parameter(query, name, &values[i]) && values[i].len > 0;
        if (is_there || i >= Q_NEEDED) continue;
        if (!add_sentence(error->arena, &missing, "AWS query-string parameters must include '", name, "'. ")) {
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        }
    }
    if (missing.len > 0) return TD_RAISE(error, TD_MSG_PRESIGNED_INCOMPLETE, missing);
    /* The credential's slashes are read encoded or not, and its form is judged as it came. */
    for (size_t i = Q_CREDENTIAL + 1; i < QUERY_PARAMETERS; i++) {
        uint8_t *plain = td_arena_alloc(error->arena, values[i].len);
        if (plain == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        values[i] = td_slice_of(plain, td_percent_decode(values[i], plain));
    }
    *ret_identity = (td_identity){.signed_headers = values[Q_SIGNED_HEADERS],
                                  .digits = values[Q_SIGNATURE],
                                  .time = values[Q_DATE],
                                  .token = values[Q_TOKEN],
                                  .lifetime = values[Q_EXPIRES]};
    return parse_credential(values[Q_CREDENTIAL], ret_identity, error);
}

/* Headers may hold any byte, answers hold UTF-8: what is no text is shown with question marks. */
static td_slice printable(td_slice text, td_arena *arena)
{
    if (td_utf8_is_valid(text)) return text;
    uint8_t *copy = td_arena_alloc(arena, text.len);
    if (copy == NULL) return TD_LIT("");
    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.ptr[i] < 0x80 ? text.ptr[i] : '?';
    return td_slice_of(copy, text.len);
}
