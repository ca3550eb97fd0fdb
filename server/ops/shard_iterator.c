/* SPDX-License-Identifier: Apache-2.0
 * shard_iterator.c: a place in a shard as the text that clients carry.
 *
 *   <stream ARN>|1|<base64 of: shard[8] position[8] time of making[8] checksum[8]>
 *
 * Model:    the service's own have the same look, and live for 15 minutes. The checksum is over all that stands before
 *           it, so that a text which was cut or put together is refused and never read as another place.
 * Not here: whether the place is still there (the engine). PARSES INPUT FROM OUTSIDE. */
#include "thermodyn/map.h"
#include "thermodyn/text.h"

#include "ops.h"

#define VERSION_PART "|1|"
#define ITERATOR_LIFE_US (15 * 60 * TD_US_PER_S)

enum { WORD_SHARD, WORD_POSITION, WORD_MADE, WORD_CHECKSUM, WORD_COUNT };
enum { WORD_BYTES = 8, CHECKED_BYTES = WORD_CHECKSUM * WORD_BYTES, PLACE_BYTES = WORD_COUNT * WORD_BYTES };
enum { PLACE_TEXT_LEN = (PLACE_BYTES + 2) / 3 * 4 };

static td_status hash_place(td_request *request, td_slice arn, const uint8_t *place, uint64_t *ret_hash);

/* Big-endian. */
static void put_word(uint8_t *place, int word, uint64_t value)
{
    for (int i = 0; i < WORD_BYTES; i++)
        place[word * WORD_BYTES + i] = (uint8_t)(value >> (8 * (WORD_BYTES - 1 - i)));
}

static uint64_t get_word(const uint8_t *place, int word)
{
    uint64_t value = 0;
    for (int i = 0; i < WORD_BYTES; i++)
        value = value << 8 | place[word * WORD_BYTES + i];
    return value;
}

td_status td_ops__format_shard_iterator(td_request *request, const td_shard_iterator *iterator, td_slice *ret_text)
{
    td_slice arn;
    TD_TRY(td_ops__stream_arn(request, request->call.table, iterator->label_us, &arn));
    uint8_t place[PLACE_BYTES];
    uint64_t hash = 0;
    put_word(place, WORD_SHARD, iterator->shard);
    put_word(place, WORD_POSITION, iterator->position);
    put_word(place, WORD_MADE, (uint64_t)request->call.now_us);
    TD_TRY(hash_place(request, arn, place, &hash));
    put_word(place, WORD_CHECKSUM, hash);

    uint8_t encoded[PLACE_TEXT_LEN];
    TD_ASSERT(td_base64_encoded_len(PLACE_BYTES) == PLACE_TEXT_LEN);
    size_t len = td_base64_encode(td_slice_of(place, PLACE_BYTES), encoded);
    if (!td_arena_format(request->arena, ret_text, "%.*s" VERSION_PART "%.*s", (int)arn.len, (const char *)arn.ptr,
                         (int)len, (const char *)encoded)) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

td_status td_ops__parse_shard_iterator(td_request *request, td_slice text, td_shard_iterator *ret_iterator)
{
    td_error *error = &request->error;
    size_t tail_len = sizeof(VERSION_PART) - 1 + PLACE_TEXT_LEN;
    if (text.len <= tail_len) return TD_RAISE(error, TD_MSG_SHARD_ITERATOR_INVALID);
    td_slice arn = td_slice_of(text.ptr, text.len - tail_len);
    td_slice version = td_slice_of(text.ptr + arn.len, sizeof(VERSION_PART) - 1);
    td_slice encoded = td_slice_of(version.ptr + version.len, PLACE_TEXT_LEN);
    uint8_t place[PLACE_TEXT_LEN / 4 * 3];
    size_t place_len = 0;
    if (!td_slice_equal(version, TD_LIT(VERSION_PART)) || !td_base64_decode(encoded, place, &place_len) ||
        place_len != PLACE_BYTES) {
        return TD_RAISE(error, TD_MSG_SHARD_ITERATOR_INVALID);
    }
    uint64_t hash = 0;
    td_stream_ref stream;
    TD_TRY(hash_place(request, arn, place, &hash));
    td_status status = td_ops__parse_stream_arn(request, arn, &stream);
    if (status == TD_OUT_OF_MEMORY) return status;
    if (status != TD_OK || hash != get_word(place, WORD_CHECKSUM)) {
        return TD_RAISE(error, TD_MSG_SHARD_ITERATOR_INVALID);
    }
    td_time_us age_us = request->call.now_us - (td_time_us)get_word(place, WORD_MADE);
    if (age_us > ITERATOR_LIFE_US) return TD_RAISE(error, TD_MSG_SHARD_ITERATOR_EXPIRED);
    request->call.table = stream.table;
    *ret_iterator = (td_shard_iterator){stream.label_us, get_word(place, WORD_SHARD), get_word(place, WORD_POSITION)};
    return TD_OK;
}

static td_status hash_place(td_request *request, td_slice arn, const uint8_t *place, uint64_t *ret_hash)
{
    uint8_t *bytes = td_arena_alloc(request->arena, arn.len + CHECKED_BYTES);
    if (bytes == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    memcpy(bytes, arn.ptr, arn.len);
    memcpy(bytes + arn.len, place, CHECKED_BYTES);
    *ret_hash = td_hash64(td_slice_of(bytes, arn.len + CHECKED_BYTES));
    return TD_OK;
}
