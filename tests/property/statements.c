/* SPDX-License-Identifier: Apache-2.0
 * statements.c: statements mutated at random from those of the wire cases: whatever they have become, the server
 * answers, not with a failure of its own, and not late.
 *
 * usage: property_statements DIRECTORY: where the cases are. TD_SEED repeats a run, TD_PROPERTY_STATEMENTS (20,000)
 * says how many; a million takes some minutes without sanitizers. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "thermodyn/text.h"
#include "wire/json.h"

#include "asked.h"
#include "random.h"

enum {
    STATEMENTS = 20000,
    FRESH_EVERY = 20000, /* statements to one server: what they insert would make scans long */
    SEEDS_MAX = 2048,
    PARAMETERS_MAX = 5,
    TEXT_BYTES_MAX = 6000,
    TOKENS_MAX = 16,
    FILE_BYTES_MAX = 1 << 22,
};

static const char *const folders[] = {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "faults"};
static const char *const tables[] = {"hash", "range", "gsi", "lsi"};
static const char *const words[] = {
    "SELECT ",
    " FROM ",
    " WHERE ",
    " AND ",
    " OR ",
    " NOT ",
    " IN ",
    " BETWEEN ",
    " IS MISSING ",
    " IS NOT NULL ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    ",",
    ".",
    "?",
    "*",
    "'",
    "\"",
    "''",
    " = ",
    " <> ",
    " < ",
    ">=",
    "!=",
    " + ",
    " - ",
    "-",
    "1",
    "0",
    "2147483648",
    "1e400",
    "1e-400",
    "0.1e5",
    "99999999999999999999999999999999999999999",
    "'a'",
    "'x'",
    "pk",
    "sk",
    "gh",
    "lr",
    "x",
    "m.k",
    "l[0]",
    "l[-1]",
    "\"pk\"",
    "begins_with(pk, 'a')",
    "contains(x, 1)",
    "size(x)",
    "attribute_type(x, 'N')",
    "attribute_exists(x)",
    "set_add(s, <<1>>)",
    "list_append(l, [1])",
    "EXISTS(",
    " SET ",
    " REMOVE ",
    " VALUE ",
    "INSERT INTO ",
    "UPDATE ",
    "DELETE FROM ",
    " RETURNING ALL OLD *",
    " RETURNING MODIFIED NEW *",
    " ORDER BY sk DESC",
    " ORDER BY pk",
    "\"range\"",
    "\"gsi\".\"gix\"",
    "\"lsi\".\"lix\"",
    "null",
    "true",
    "missing",
    "--",
    "/*",
    "*/",
    ";",
    "\\",
    "\t",
    "\n",
    "\xC3\xA4",
    "\xF0\x9F\x98\x80",
    " AS y",
    "COUNT(*)",
};
static const char *const parameters[] = {
    "{\"S\":\"a\"}",
    "{\"S\":\"\"}",
    "{\"N\":\"1\"}",
    "{\"N\":\"x\"}",
    "{\"N\":\"1e400\"}",
    "{\"B\":\"YQ==\"}",
    "{\"BOOL\":true}",
    "{\"NULL\":true}",
    "{\"NULL\":false}",
    "{\"SS\":[\"a\"]}",
    "{\"SS\":[\"a\",\"a\"]}",
    "{\"NS\":[]}",
    "{\"L\":[{\"N\":\"1\"}]}",
    "{\"M\":{\"k\":{\"S\":\"v\"}}}",
    "{}",
};

typedef struct text_list {
    char *at[SEEDS_MAX];
    uint32_t count;
} text_list;

static text_list seeds;
static text_list tokens; /* of answers */
static td_rng rng;

/* ---- statements of the cases --------------------------------------------------------------------------------------
 */

static void keep(text_list *list, uint32_t count_max, td_slice text)
{
    char *copy = malloc(text.len + 1);
    TD_ASSERT(copy != NULL);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    uint32_t at = list->count < count_max ? list->count++ : (uint32_t)td_rng_below(&rng, count_max);
    free(list->at[at]);
    list->at[at] = copy;
}

static void gather(const td_json *json)
{
    if (json->type == TD_JSON_STRING && td_slice_equal(json->name, TD_LIT("Statement")) &&
        json->text.len < TEXT_BYTES_MAX / 4) {
        keep(&seeds, SEEDS_MAX, json->text);
    }
    if (json->type != TD_JSON_ARRAY && json->type != TD_JSON_OBJECT) return;
    for (uint32_t i = 0; i < json->count; i++)
        gather(&json->children[i]);
}

static void gather_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(FILE_BYTES_MAX);
    TD_ASSERT(file != NULL && bytes != NULL);
    size_t len = fread(bytes, 1, FILE_BYTES_MAX, file);
    (void)fclose(file);
    td_arena arena;
    td_json *root = NULL;
    td_arena_init(&arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_error error = {.arena = &arena};
    TD_ASSERT(td_json_parse(td_slice_of(bytes, len), &arena, &root, &error) == TD_OK);
    gather(root);
    td_arena_done(&arena);
    free(bytes);
}

static void gather_folder(const char *directory, const char *folder)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", directory, folder);
    DIR *entries = opendir(path);
    TD_ASSERT(entries != NULL);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strstr(entry->d_name, ".json") == NULL) continue;
        (void)snprintf(path, sizeof(path), "%s/%s/%s", directory, folder, entry->d_name);
        gather_file(path);
    }
    (void)closedir(entries);
}

/* ---- mutation -----------------------------------------------------------------------------------------------------
 */

typedef struct text {
    char bytes[TEXT_BYTES_MAX];
    size_t len;
} text;

/* Puts `added` in the place of `removed` bytes. */
static void splice(text *it, size_t at, size_t removed, const char *added, size_t added_len)
{
    if (it->len - removed + added_len > TEXT_BYTES_MAX) return;
    memmove(it->bytes + at + added_len, it->bytes + at + removed, it->len - at - removed);
    if (added_len > 0) memcpy(it->bytes + at, added, added_len);
    it->len = it->len - removed + added_len;
}

static const char *random_seed(void)
{
    return seeds.at[td_rng_below(&rng, seeds.count)];
}

static void mutate(text *it)
{
    size_t at = td_rng_below(&rng, it->len + 1);
    size_t span = td_rng_below(&rng, it->len - at + 1);
    if (random_chance(&rng, 70) && span > 12) span = td_rng_below(&rng, 12);
    const char *word = words[td_rng_below(&rng, TD_COUNT_OF(words))];
    switch (td_rng_below(&rng, 6)) {
    case 0: splice(it, at, span, NULL, 0); return;
    case 1: splice(it, at, 0, word, strlen(word)); return;
    case 2: splice(it, at, span, word, strlen(word)); return;
    case 3: {
        const char *other = random_seed();
        size_t from = td_rng_below(&rng, strlen(other) + 1);
        splice(it, at, span, other + from, td_rng_below(&rng, strlen(other + from) + 1));
        return;
    }
    case 4: { /* again and again: nesting and long lists */
        char piece[64];
        size_t len = span < sizeof(piece) ? span : sizeof(piece);
        memcpy(piece, it->bytes + at, len);
        for (uint64_t n = td_rng_below(&rng, random_chance(&rng, 90) ? 3 : 200); n > 0; n--)
            splice(it, at, 0, piece, len);
        return;
    }
    default: {
        char byte = (char)(32 + td_rng_below(&rng, 95));
        if (at < it->len) it->bytes[at] = byte;
        return;
    }
    }
}

static void fill_in_table(text *it)
{
    char *mark = NULL;
    const char *table = tables[td_rng_below(&rng, TD_COUNT_OF(tables))];
    while (it->len + 16 < TEXT_BYTES_MAX && (mark = memmem(it->bytes, it->len, "{T}", 3)) != NULL)
        splice(it, (size_t)(mark - it->bytes), 3, table, strlen(table));
}

/* {"Statement": …, "Parameters": […]} without the closing brace. */
static void write_statement(td_buf *body)
{
    static text it;
    const char *seed = random_seed();
    it.len = 0;
    splice(&it, 0, 0, seed, strlen(seed));
    fill_in_table(&it);
    for (uint64_t count = td_rng_below(&rng, 5); count > 0; count--)
        mutate(&it);
    td_slice whole = td_slice_of(it.bytes, it.len);
    td_buf_append_lit(body, "{\"Statement\":");
    td_json_write_string(body, td_utf8_is_valid(whole) ? whole : td_slice_of_cstr(seed));
    uint64_t count = td_rng_below(&rng, PARAMETERS_MAX);
    for (uint64_t i = 0; i < count; i++) {
        td_buf_append(body, i == 0 ? TD_LIT(",\"Parameters\":[") : TD_LIT(","));
        td_buf_append(body, td_slice_of_cstr(parameters[td_rng_below(&rng, TD_COUNT_OF(parameters))]));
    }
    if (count > 0) td_buf_append_lit(body, "]");
    if (random_chance(&rng, 20)) td_buf_append_lit(body, ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
}

/* A token of an earlier answer, sometimes with a change. */
static void write_token(td_buf *body)
{
    const char *token = tokens.at[td_rng_below(&rng, tokens.count)];
    size_t len = strlen(token);
    td_buf_append_lit(body, ",\"NextToken\":\"");
    for (size_t i = 0; i < len; i++)
        td_buf_append_byte(body, random_chance(&rng, 1) ? 'A' : (uint8_t)token[i]);
    td_buf_append_lit(body, "\"");
}

static const char *write_request(td_buf *body)
{
    td_buf_clear(body);
    const char *operation = "ExecuteStatement";
    if (random_chance(&rng, 70)) {
        write_statement(body);
        if (random_chance(&rng, 30)) td_buf_append_format(body, ",\"Limit\":%d", (int)td_rng_below(&rng, 4) + 1);
        if (random_chance(&rng, 20)) td_buf_append_lit(body, ",\"ConsistentRead\":true");
        if (tokens.count > 0 && random_chance(&rng, 10)) write_token(body);
    } else {
        bool is_batch = random_chance(&rng, 50);
        operation = is_batch ? "BatchExecuteStatement" : "ExecuteTransaction";
        td_buf_append(body, is_batch ? TD_LIT("{\"Statements\":[") : TD_LIT("{\"TransactStatements\":["));
        for (uint64_t count = td_rng_below(&rng, 4), i = 0; i <= count; i++) {
            if (i > 0) td_buf_append_byte(body, ',');
            write_statement(body);
            td_buf_append_byte(body, '}');
        }
        td_buf_append_byte(body, ']');
        if (!is_batch && random_chance(&rng, 20)) td_buf_append_lit(body, ",\"ClientRequestToken\":\"t\"");
    }
    td_buf_append_lit(body, ",\"ReturnConsumedCapacity\":\"INDEXES\"}");
    TD_ASSERT(!td_buf_has_failed(body));
    return operation;
}

/* ---- the run ------------------------------------------------------------------------------------------------------
 */

static void create_table(asked_server *server, const char *name, const char *more_definitions, const char *rest)
{
    char body[1024];
    (void)snprintf(body, sizeof(body),
                   "{\"TableName\":\"%s\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
                   "{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}%s],"
                   "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}%s}",
                   name, more_definitions, rest);
    (void)asked_surely(server, "CreateTable", td_slice_of_cstr(body));
    (void)snprintf(body, sizeof(body), "{\"TableName\":\"%s\"}", name);
    (void)asked_surely(server, "DescribeTable", td_slice_of_cstr(body));
}

#define DEFINE(name, type) ",{\"AttributeName\":\"" name "\",\"AttributeType\":\"" type "\"}"
#define RANGE(name) ",{\"AttributeName\":\"" name "\",\"KeyType\":\"RANGE\"}"

static void start(asked_server *server)
{
    asked_init(server, td_rng_next(&rng));
    create_table(server, "hash", "", "]");
    create_table(server, "range", DEFINE("sk", "S"), RANGE("sk") "]");
    create_table(server, "gsi", DEFINE("gh", "S"),
                 "],\"GlobalSecondaryIndexes\":[{\"IndexName\":\"gix\",\"KeySchema\":[{\"AttributeName\":\"gh\","
                 "\"KeyType\":\"HASH\"}],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}]");
    create_table(
        server, "lsi", DEFINE("sk", "S") DEFINE("lr", "N"),
        RANGE("sk") "],\"LocalSecondaryIndexes\":[{\"IndexName\":\"lix\",\"KeySchema\":[{\"AttributeName\":"
                    "\"pk\",\"KeyType\":\"HASH\"}" RANGE("lr") "],\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}]");
    for (size_t i = 0; i < TD_COUNT_OF(tables) * 26; i++) {
        char body[256];
        (void)snprintf(
            body, sizeof(body),
            "{\"TableName\":\"%s\",\"Item\":{\"pk\":{\"S\":\"%c\"},\"sk\":{\"S\":\"%zu\"},\"gh\":{\"S\":\"x\"},"
            "\"lr\":{\"N\":\"%zu\"},\"x\":{\"N\":\"1\"},\"l\":{\"L\":[{\"N\":\"1\"}]}}}",
            tables[i % TD_COUNT_OF(tables)], (char)('a' + i / TD_COUNT_OF(tables)), i % 3, i);
        (void)asked_surely(server, "PutItem", td_slice_of_cstr(body));
    }
}

static void keep_token(td_slice answer)
{
    static const char mark[] = "\"NextToken\":\"";
    const char *found = answer.len == 0 ? NULL : memmem(answer.ptr, answer.len, mark, sizeof(mark) - 1);
    if (found == NULL) return;
    const char *begin = found + sizeof(mark) - 1;
    const char *end = memchr(begin, '"', (size_t)((const char *)answer.ptr + answer.len - begin));
    keep(&tokens, TOKENS_MAX, td_slice_of(begin, (size_t)(end - begin)));
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

typedef struct tally {
    uint64_t answered;
    uint64_t refused;
    uint64_t failed; /* 500s, and what took over a second */
    double slowest;
} tally;

static void run_one(asked_server *server, td_buf *body, tally *sum)
{
    const char *operation = write_request(body);
    double began = seconds();
    td_slice answer = asked(server, operation, td_buf_contents(body));
    double took = seconds() - began;
    if (took > sum->slowest) sum->slowest = took;
    if (server->http_status == 200) sum->answered++;
    if (server->http_status == 400) sum->refused++;
    if (server->http_status == 200) keep_token(answer);
    if ((server->http_status == 200 || server->http_status == 400) && took < 1) return;
    sum->failed++;
    printf("%d after %.3f s: %s %.*s\n%.*s\n", server->http_status, took, operation, (int)body->len,
           (const char *)body->data, (int)answer.len, (const char *)answer.ptr);
}

int main(int argc, char **argv)
{
    TD_ASSERT(argc == 2);
    uint64_t seed = number_from_env("TD_SEED", td_rng_system_seed());
    uint64_t count = number_from_env("TD_PROPERTY_STATEMENTS", STATEMENTS);
    printf("seed %" PRIu64 "\n", seed);
    td_rng_init(&rng, seed);
    for (size_t i = 0; i < TD_COUNT_OF(folders); i++)
        gather_folder(argv[1], folders[i]);
    TD_ASSERT(seeds.count > 0);

    static asked_server server;
    tally sum = {.failed = 0};
    td_buf body;
    td_buf_init(&body, 1 << 20);
    for (uint64_t i = 0; i < count; i++) {
        if (i % FRESH_EVERY == 0 && i > 0) asked_done(&server);
        if (i % FRESH_EVERY == 0) start(&server);
        run_one(&server, &body, &sum);
    }
    asked_done(&server);
    td_buf_done(&body);
    for (uint32_t i = 0; i < seeds.count; i++)
        free(seeds.at[i]);
    for (uint32_t i = 0; i < tokens.count; i++)
        free(tokens.at[i]);
    printf("%" PRIu64 " statements: %" PRIu64 " answered, %" PRIu64 " refused, slowest %.1f ms\n", count, sum.answered,
           sum.refused, sum.slowest * 1000);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", count - sum.failed, sum.failed);
    return sum.failed == 0 ? 0 : 1;
}
