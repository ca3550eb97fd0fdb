/* SPDX-License-Identifier: Apache-2.0
 * iterator.c: any bytes as a stream's ARN and as a shard iterator; what is written reads back as the same.
 * The first sixteen bytes are also a place, which becomes an iterator. */
#include "fuzz/fuzz.h"
#include "ops/ops.h"
#include "thermodyn/text.h"

enum { ARENA_BYTES_MAX = 1 << 20, PLACE_BYTES = 16 };

static void check_arn(td_request *request, td_slice text)
{
    td_stream_ref stream;
    td_stream_ref again;
    td_slice arn;
    if (td_ops__parse_stream_arn(request, text, &stream) != TD_OK) return;
    TD_ASSERT(td_ops__stream_arn(request, stream.table, stream.label_us, &arn) == TD_OK);
    TD_ASSERT(td_ops__parse_stream_arn(request, arn, &again) == TD_OK);
    TD_ASSERT(td_slice_equal(again.table, stream.table) && again.label_us == stream.label_us);
}

static void check_place(td_request *request, td_slice bytes)
{
    uint64_t words[2];
    td_shard_iterator again;
    td_slice text;
    memcpy(words, bytes.ptr, sizeof(words));
    td_shard_iterator place = {.label_us = 1796032043425000, .shard = words[0], .position = words[1]};
    request->call.table = TD_LIT("TTT");
    TD_ASSERT(td_ops__format_shard_iterator(request, &place, &text) == TD_OK);
    TD_ASSERT(td_ops__parse_shard_iterator(request, text, &again) == TD_OK);
    TD_ASSERT(again.label_us == place.label_us && again.shard == place.shard && again.position == place.position);
    TD_ASSERT(td_slice_equal(request->call.table, TD_LIT("TTT")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice copy = fuzz_copy(data, size);
    td_config config = {.account = "000000000000"};
    td_service service = {.config = &config};
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_request request = {.service = &service, .arena = &arena};
    request.call = (td_call){.arena = &arena, .now_us = 1796032043425000, .region = TD_LIT_INIT("us-east-1")};
    request.error.arena = &arena;
    if (size < ARENA_BYTES_MAX / 16 && td_utf8_is_valid(copy)) {
        td_shard_iterator iterator;
        check_arn(&request, copy);
        td_status status = td_ops__parse_shard_iterator(&request, copy, &iterator);
        TD_ASSERT(status == TD_OK || request.error.text.len > 0);
    }
    if (size >= PLACE_BYTES) check_place(&request, copy);
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
