/* SPDX-License-Identifier: Apache-2.0
 * token.c: tokens of transactions.
 *
 * Invariants: the map holds every token once; those that are done are linked from the oldest to the newest, those in
 *             flight are not linked and belong to the call that began them.
 * Not here:   what a repetition costs (txn_read.c). */
#include "token.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "persist.h"

#define TOKEN_US (TD_LIMIT_TOKEN_SECONDS * TD_US_PER_S)

static void lock(td_tokens *tokens);
static void unlock(td_tokens *tokens);
static td_status begin_locked(td_tokens *tokens, const td_call *call, const td_transact_write *request, td_slice key,
                              td_token **ret_token, uint32_t **ret_sizes, td_error *error);
static td_status repeat_locked(const td_token *token, const td_call *call, const td_transact_write *request,
                               uint32_t **ret_sizes, td_error *error);
static td_token *add_locked(td_tokens *tokens, td_slice key, uint64_t fingerprint, uint32_t count);
static void finish_locked(td_tokens *tokens, td_token *token, td_time_us now_us);
static void forget_old_locked(td_tokens *tokens, td_time_us now_us);
static void forget_locked(td_tokens *tokens, td_token *token);
static bool is_over(const td_token *token, td_time_us now_us);

bool td_tokens__init(td_tokens *tokens)
{
    *tokens = (td_tokens){.by_key = td_map_new()};
    if (tokens->by_key == NULL) return false;
    int error = pthread_mutex_init(&tokens->lock, NULL);
    TD_ASSERT(error == 0);
    return true;
}

void td_tokens__done(td_tokens *tokens)
{
    td_tokens__forget_all(tokens);
    TD_ASSERT(td_map_count(tokens->by_key) == 0); /* nothing is in flight */
    td_map_free(tokens->by_key);
    pthread_mutex_destroy(&tokens->lock);
}

td_status td_tokens__begin(td_tokens *tokens, const td_call *call, const td_transact_write *request,
                           td_token **ret_token, uint32_t **ret_sizes, td_error *error)
{
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    td_slice key = td_catalog__key(call->scope, request->token, bytes);
    TD_ASSERT(key.len > 0); /* tokens are short: 36 bytes at most, by the service model */
    lock(tokens);
    td_status status = begin_locked(tokens, call, request, key, ret_token, ret_sizes, error);
    unlock(tokens);
    return status;
}

void td_tokens__finish(td_tokens *tokens, td_token *token, td_time_us now_us)
{
    lock(tokens);
    finish_locked(tokens, token, now_us);
    unlock(tokens);
}

void td_tokens__abandon(td_tokens *tokens, td_token *token)
{
    lock(tokens);
    TD_ASSERT(!token->is_done);
    forget_locked(tokens, token);
    unlock(tokens);
}

/* The instant first, so that those that are over are a range. */
bool td_token__keep(const td_token *token, td_time_us done_us, td_journal_group *group)
{
    size_t head_bytes = TD_PERSIST_TOKEN_HEAD_BYTES + token->count * sizeof *token->sizes + token->key.len;
    td_key_hash hash = td_key_hash_of(&token->key, 1, TD_PLACEMENT_SERVICE);
    td_journal_entry *entry = td_journal__add(group, TD_SPACE_TOKENS, 8 + sizeof hash.bytes, head_bytes);
    if (entry == NULL) return false;
    td_persist__put_u64(td_journal__key(entry), (uint64_t)done_us);
    memcpy(td_journal__key(entry) + 8, hash.bytes, sizeof hash.bytes);
    return true;
}

void td_token__fill_kept(const td_token *token, td_journal_group *group)
{
    uint8_t *head = td_journal__head(group->first);
    memcpy(head, &token->fingerprint, sizeof token->fingerprint);
    memcpy(head + 8, &token->count, sizeof token->count);
    memcpy(head + TD_PERSIST_TOKEN_HEAD_BYTES, token->sizes, token->count * sizeof *token->sizes);
    memcpy(head + TD_PERSIST_TOKEN_HEAD_BYTES + token->count * sizeof *token->sizes, token->key.ptr, token->key.len);
    td_journal__put(group->first, NULL, NULL);
}

bool td_tokens__restore(td_tokens *tokens, const td_token_restored *restored)
{
    lock(tokens);
    td_token *token = td_map_find(tokens->by_key, restored->key);
    if (token != NULL) forget_locked(tokens, token); /* the same token, done again later */
    token = add_locked(tokens, restored->key, restored->fingerprint, restored->count);
    if (token != NULL) {
        memcpy(token->sizes, restored->sizes, token->count * sizeof *token->sizes);
        finish_locked(tokens, token, restored->done_us);
    }
    unlock(tokens);
    return token != NULL;
}

void td_tokens__forget_all(td_tokens *tokens)
{
    lock(tokens);
    while (tokens->oldest != NULL)
        forget_locked(tokens, tokens->oldest);
    TD_ASSERT(tokens->done_count == 0);
    unlock(tokens);
}

static void lock(td_tokens *tokens)
{
    int error = pthread_mutex_lock(&tokens->lock);
    TD_ASSERT(error == 0);
}

static void unlock(td_tokens *tokens)
{
    int error = pthread_mutex_unlock(&tokens->lock);
    TD_ASSERT(error == 0);
}

static td_status begin_locked(td_tokens *tokens, const td_call *call, const td_transact_write *request, td_slice key,
                              td_token **ret_token, uint32_t **ret_sizes, td_error *error)
{
    forget_old_locked(tokens, call->now_us);
    td_token *token = td_map_find(tokens->by_key, key);
    if (token != NULL && is_over(token, call->now_us)) { /* behind one that was finished by a slower clock */
        forget_locked(tokens, token);
        token = NULL;
    }
    if (token != NULL) {
        TD_TRY(repeat_locked(token, call, request, ret_sizes, error));
        *ret_token = NULL;
        return TD_OK;
    }
    token = add_locked(tokens, key, request->fingerprint, request->count);
    if (token == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_token = token;
    *ret_sizes = NULL;
    return TD_OK;
}

static td_status repeat_locked(const td_token *token, const td_call *call, const td_transact_write *request,
                               uint32_t **ret_sizes, td_error *error)
{
    if (token->fingerprint != request->fingerprint || token->count != request->count) {
        return TD_RAISE(error, TD_MSG_TOKEN_OF_OTHER_REQUEST);
    }
    if (!token->is_done) return TD_RAISE(error, TD_MSG_TOKEN_IN_PROGRESS);
    uint32_t *sizes = td_arena_alloc_array(call->arena, token->count, sizeof *sizes);
    if (sizes == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    memcpy(sizes, token->sizes, token->count * sizeof *sizes);
    *ret_sizes = sizes;
    return TD_OK;
}

/* One block: the token, its sizes, its key. */
static td_token *add_locked(td_tokens *tokens, td_slice key, uint64_t fingerprint, uint32_t count)
{
    TD_ASSERT(count <= TD_LIMIT_TRANSACT_ACTIONS_MAX);
    while (tokens->done_count >= TD_LIMIT_TOKENS_MAX)
        forget_locked(tokens, tokens->oldest);
    size_t sizes_bytes = count * sizeof(uint32_t);
    td_token *token = td_alloc_zero(sizeof *token + sizes_bytes + key.len);
    if (token == NULL) return NULL;
    token->sizes = (uint32_t *)(void *)(token + 1);
    uint8_t *key_bytes = (uint8_t *)(token + 1) + sizes_bytes;
    memcpy(key_bytes, key.ptr, key.len);
    token->key = td_slice_of(key_bytes, key.len);
    token->fingerprint = fingerprint;
    token->count = count;
    if (td_map_put(tokens->by_key, key, token)) return token;
    td_free(token);
    return NULL;
}

static void finish_locked(td_tokens *tokens, td_token *token, td_time_us now_us)
{
    TD_ASSERT(!token->is_done);
    token->is_done = true;
    token->done_us = now_us;
    token->older = tokens->newest;
    if (tokens->newest != NULL) tokens->newest->newer = token;
    tokens->newest = token;
    if (tokens->oldest == NULL) tokens->oldest = token;
    tokens->done_count++;
}

static void forget_old_locked(td_tokens *tokens, td_time_us now_us)
{
    while (tokens->oldest != NULL && is_over(tokens->oldest, now_us))
        forget_locked(tokens, tokens->oldest);
}

static void forget_locked(td_tokens *tokens, td_token *token)
{
    void *removed = td_map_remove(tokens->by_key, token->key);
    TD_ASSERT(removed == token);
    if (token->is_done) {
        if (token->older != NULL) token->older->newer = token->newer;
        if (token->newer != NULL) token->newer->older = token->older;
        if (tokens->oldest == token) tokens->oldest = token->newer;
        if (tokens->newest == token) tokens->newest = token->older;
        tokens->done_count--;
    }
    td_free(token);
}

static bool is_over(const td_token *token, td_time_us now_us)
{
    return token->is_done && now_us - token->done_us >= TOKEN_US;
}
