/* SPDX-License-Identifier: Apache-2.0
 * config.c: any configuration file is read or refused with a sentence, and any body of a control request likewise.
 * The first byte chooses: even, a configuration file; odd, a control request (the endpoint by the byte). */
#include "base/config_private.h"
#include "control/control.h"
#include "fuzz/file.h"
#include "fuzz/fuzz.h"
#include "thermodyn/clock.h"

static void read_file(td_slice text)
{
    td_config config;
    td_buf says;
    memset(&config, 0, sizeof(config));
    td_arena_init(&config.texts, (size_t)4 * 1024 * 1024);
    td_buf_init(&says, (size_t)64 * 1024);
    td_config_reader reader = {.config = &config, .says = &says};
    TD_ASSERT(td_config__set_defaults(&reader));
    char path[FUZZ_PATH_BYTES];
    int fd = fuzz_open_file(text, path);
    bool is_read = td_config__read_file(&reader, path);
    TD_ASSERT(is_read == (says.len == 0));
    TD_ASSERT(close(fd) == 0);
    td_buf_done(&says);
    td_config_done(&config);
}

static void ask_control(uint8_t which, td_slice body)
{
    static const char *const calls[][2] = {{"PUT", "/_thermodyn/clock"},
                                           {"POST", "/_thermodyn/clock/advance"},
                                           {"PATCH", "/_thermodyn/capacity"},
                                           {"POST", "/_thermodyn/reset"},
                                           {"POST", "/_thermodyn/faults"}};
    const char *const *call = calls[which % TD_COUNT_OF(calls)];
    td_config config = {.preset = TD_PRESET_UNIT_TEST, .init = ""};
    td_store_options options = {.seed = 1};
    td_capacity_settings_init(&options.capacity);
    td_service service = {.config = &config,
                          .store = td_store_new(&options),
                          .clock = td_clock_new(),
                          .faults = td_faults_new(options.seed)};
    TD_ASSERT(service.store != NULL && service.clock != NULL && service.faults != NULL);
    td_clock_set_manual(service.clock);
    td_arena arena;
    td_buf reply;
    td_arena_init(&arena, (size_t)4 * 1024 * 1024);
    td_buf_init(&reply, (size_t)64 * 1024);
    td_control_request request = {
        .method = td_slice_of_cstr(call[0]), .path = td_slice_of_cstr(call[1]), .query = TD_LIT(""), .body = body};
    td_control_reply answer = td_control_handle(&service, &request, &arena, &reply);
    TD_ASSERT(answer.http_status >= 200 && answer.http_status < 500);
    TD_ASSERT(reply.len > 0 && reply.data[0] == '{');
    td_buf_done(&reply);
    td_arena_done(&arena);
    td_faults_free(service.faults);
    td_clock_free(service.clock);
    td_store_free(service.store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    td_slice input = fuzz_copy(data + 1, size - 1);
    if (data[0] % 2 == 0) {
        read_file(input);
    } else {
        ask_control(data[0] / 2, input);
    }
    fuzz_done(input);
    return 0;
}
