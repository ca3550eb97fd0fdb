/* SPDX-License-Identifier: Apache-2.0
 * token.h: ClientRequestToken: which transactions have been done, so that a repeated one is answered and not done
 * again.
 *
 *   begin ─ a new token ─────► (in flight) ─► finish: remembered for ten minutes from then
 *     │                            └────────► abandon: the transaction was cancelled; the token is free again
 *     └─ a known one ─► what it is a repetition of; another request under that token; or one that is still in flight
 *
 * The memory is bounded: beyond TD_LIMIT_TOKENS_MAX the oldest one is forgotten, as if its time had passed.
 * Threads: any; a lock of its own, under which no other lock is taken. */
#ifndef THERMODYN_ENGINE_TOKEN_H
#define THERMODYN_ENGINE_TOKEN_H

#include <pthread.h>

#include "thermodyn/map.h"
#include "thermodyn/txn.h"

#include "journal.h"

typedef struct td_token td_token;
struct td_token {
    td_slice key; /* of the map; in the same block */
    uint64_t fingerprint;
    uint32_t count;  /* of actions */
    uint32_t *sizes; /* by action, bytes of the larger image: what a repetition reads. In the same block */
    bool is_done;
    td_time_us done_us;
    td_token *older; /* among those that are done */
    td_token *newer;
};

typedef struct td_tokens {
    pthread_mutex_t lock;
    td_map *by_key;
    td_token *oldest; /* of those that are done, in that order */
    td_token *newest;
    uint32_t done_count;
} td_tokens;

TD_MUST_USE bool td_tokens__init(td_tokens *tokens);
void td_tokens__done(td_tokens *tokens);

/* TD_OK: *ret_token is new and in flight, for the caller to finish or to abandon; or it is NULL and *ret_sizes, in the
 * call's arena, are those of the transaction that this one repeats. Errors: IDEMPOTENT_PARAMETER_MISMATCH,
 * TRANSACTION_IN_PROGRESS. */
TD_MUST_USE td_status td_tokens__begin(td_tokens *tokens, const td_call *call, const td_transact_write *request,
                                       td_token **ret_token, uint32_t **ret_sizes, td_error *error);
/* The owner has filled the sizes. */
void td_tokens__finish(td_tokens *tokens, td_token *token, td_time_us now_us);
void td_tokens__abandon(td_tokens *tokens, td_token *token);

/* What the disk is to keep of a token that will be done at that instant: an entry, to be filled with the sizes. false:
 * no memory. */
TD_MUST_USE bool td_token__keep(const td_token *token, td_time_us done_us, td_journal_group *group);
void td_token__fill_kept(const td_token *token, td_journal_group *group);

/* One that the disk has, in the order in which they were done. false: no memory. */
typedef struct td_token_restored {
    td_slice key;
    td_time_us done_us;
    uint64_t fingerprint;
    uint32_t count;
    const uint8_t *sizes; /* of four bytes each */
} td_token_restored;
TD_MUST_USE bool td_tokens__restore(td_tokens *tokens, const td_token_restored *restored);

/* Forgets what is done, as the tables that it was done to are dropped. */
void td_tokens__forget_all(td_tokens *tokens);

#endif
