/* SPDX-License-Identifier: Apache-2.0
 * main.c: arguments, configuration, start, stop, exit codes:
 *   0  ended by a signal, in order; or --help, --version; or health: the server is well; check: the directory is sound;
 *      dump, load: done
 *   1  it could not start or go on; health: the server is not well; check: the directory is not sound; dump, load: the
 *      directory cannot be read or written
 *   2  wrong arguments, configuration or fixtures
 * `thermodyn advise`, `report` and `simulate` have their own (report/ask.h, sim/sim.h). */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/credentials.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "durable/check.h"
#include "durable/durable.h"
#include "http/server.h"
#include "iam/callers.h"
#include "init/dump.h"
#include "init/init.h"
#include "ops/dispatch.h"
#include "report/advise.h"
#include "report/report.h"
#include "sim/sim.h"
#include "thermodyn/clock.h"
#include "thermodyn/memory.h"
#include "thermodyn/rng.h"
#include "thermodyn/store.h"

#define SENTENCE_BYTES_MAX ((size_t)16 * 1024)

/* What is said when the server serves. */
typedef struct announcement {
    td_server *server;
    const char *port_file; /* "": none */
    bool has_failed;
} announcement;

/* Fixtures over what a directory has. */
typedef struct fixtures_over {
    td_service *service;
    bool are_refused; /* the sentence was printed */
} fixtures_over;

static int check_health(const td_config *config);
static int check_directory(const td_config *config);
static int serve(const td_config *config);
static int dump(const td_config *config);
static int load(const td_config *config);
static int with_service(const td_config *config, int (*work)(td_service *service));
static int start_and_serve(td_service *service);
static int dump_directory(td_service *service);
static int load_directory(td_service *service);
static bool open_directory(fixtures_over *over);
static bool try_fixtures(void *context);
static void ignore(void *context);
static bool tell_loaded(void *context);
static bool load_credentials(td_service *service);
static bool load_policies(td_service *service);
static bool load_fixtures_first(const td_service *service);
static bool load_fixtures(const td_service *service);
static int serve_from_directory(td_service *service);
static int serve_requests(td_service *service);
static void enter_sandbox(const td_service *service);
static bool announce(void *announcement);
static bool write_port_file(const char *path, int port);
static int fail(const char *sentence);

/* Those whose options are the server's. */
static const struct {
    const char *name;
    int (*run)(const td_config *config);
} commands[] = {{"health", check_health}, {"check", check_directory}, {"dump", dump}, {"load", load}};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "advise") == 0) return td_advise(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "report") == 0) return td_report_command(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "simulate") == 0) return td_sim_command(argc - 2, argv + 2);
    int (*run)(const td_config *config) = serve;
    for (size_t i = 0; i < TD_COUNT_OF(commands); i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0) run = commands[i].run;
    bool is_command = run != serve;
    td_config config;
    td_config_outcome outcome = td_config_load(argc - is_command, argv + is_command, &config);
    int code = 0;
    switch (outcome) {
    case TD_CONFIG_RUN: code = run(&config); break;
    case TD_CONFIG_PRINTED: code = 0; break;
    case TD_CONFIG_INVALID: code = 2; break;
    }
    td_config_done(&config);
    return code;
}

static int check_health(const td_config *config)
{
    char sentence[TD_SERVER_ERROR_BYTES] = "";
    return td_server_probe(config, sentence) ? 0 : fail(sentence);
}

static int check_directory(const td_config *config)
{
    if (config->data_dir[0] == '\0') {
        fail("say which directory: thermodyn check --data-dir DIR");
        return 2;
    }
    return td_durable_check_directory(config->data_dir, (td_placement)config->hash) ? 0 : 1;
}

static int serve(const td_config *config)
{
    return with_service(config, start_and_serve);
}

static int with_service(const td_config *config, int (*work)(td_service *service))
{
    if (config->max_memory > 0) td_memory_start_counting();
    td_store_options options = {.placement = (td_placement)config->hash,
                                .seed = config->seed != 0 ? (uint64_t)config->seed : td_rng_system_seed(),
                                .has_table_delays = config->table_delays,
                                .ttl_delay_us = config->ttl_delay * TD_US_PER_S,
                                .index_lag_us = config->index_lag_ms * TD_US_PER_MS,
                                .stale_reads_us = config->stale_reads_ms * TD_US_PER_MS,
                                .stale_reads_share = config->stale_reads,
                                .memory_max_bytes = config->max_memory * 1024 * 1024,
                                .has_journal = config->data_dir[0] != '\0',
                                .capacity = config->capacity};
    td_service service = {.config = config,
                          .store = td_store_new(&options),
                          .clock = td_clock_new(),
                          .log = td_log_new((td_log_level)config->log_level, config->log_format == TD_LOG_FORMAT_JSON),
                          .faults = td_faults_new(options.seed),
                          .metrics = td_metrics_new(2 * (uint32_t)config->threads),
                          .started_monotonic_us = td_monotonic_us()};
    int code = 1;
    if (service.store == NULL || service.clock == NULL || service.log == NULL || service.faults == NULL ||
        service.metrics == NULL) {
        code = fail("out of memory");
    } else {
        service.started_us = td_clock_now(service.clock);
        code = work(&service);
    }
    td_iam_callers_free(service.callers);
    td_credentials_free(service.credentials);
    td_metrics_free(service.metrics);
    td_faults_free(service.faults);
    if (service.store != NULL) td_store_free(service.store);
    if (service.clock != NULL) td_clock_free(service.clock);
    td_log_free(service.log);
    return code;
}

static int start_and_serve(td_service *service)
{
    const td_config *config = service->config;
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    if (config->faults[0] != '\0' && !td_faults_load(service->faults, config->faults, sentence)) {
        fail(sentence);
        return 2;
    }
    if (config->auth == TD_AUTH_SIGV4 && !load_credentials(service)) return 2;
    if (config->policies[0] != '\0' && !load_policies(service)) return 2;
    if (config->preset == TD_PRESET_UNIT_TEST) td_clock_set_manual(service->clock);
    if (config->data_dir[0] != '\0') return serve_from_directory(service);
    return load_fixtures_first(service) ? serve_requests(service) : 2;
}

static bool load_credentials(td_service *service)
{
    td_buf says;
    td_buf_init(&says, SENTENCE_BYTES_MAX);
    service->credentials = td_credentials_load(service->config->credentials, &says);
    td_slice text = td_buf_contents(&says);
    if (service->credentials == NULL) fprintf(stderr, "thermodyn: %.*s\n", (int)text.len, (const char *)text.ptr);
    td_buf_done(&says);
    return service->credentials != NULL;
}

static bool load_policies(td_service *service)
{
    td_buf says;
    td_buf_init(&says, SENTENCE_BYTES_MAX);
    service->callers = td_iam_callers_load(service->config->policies, service->config->account, &says);
    td_slice text = td_buf_contents(&says);
    if (service->callers == NULL) fprintf(stderr, "thermodyn: %.*s\n", (int)text.len, (const char *)text.ptr);
    td_buf_done(&says);
    return service->callers != NULL;
}

/* A signal ends a long load at once; as the first process of a container too, which has no handling by default. */
static void stop_loading(int number)
{
    _exit(128 + number);
}

static bool load_fixtures_first(const td_service *service)
{
    signal(SIGTERM, stop_loading);
    signal(SIGINT, stop_loading);
    bool is_loaded = load_fixtures(service);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    return is_loaded;
}

static bool load_fixtures(const td_service *service)
{
    td_buf says;
    td_buf_init(&says, SENTENCE_BYTES_MAX);
    td_init_loaded loaded;
    bool is_loaded = td_init_load(service, &loaded, &says);
    td_slice text = td_buf_contents(&says);
    if (!is_loaded) fprintf(stderr, "thermodyn: %.*s\n", (int)text.len, (const char *)text.ptr);
    if (loaded.tables + loaded.items > 0) {
        TD_LOG(service->log, TD_LOG_INFO, "fixtures loaded", TD_LOG_NUMBER("tables", loaded.tables),
               TD_LOG_NUMBER("items", loaded.items));
    }
    td_buf_done(&says);
    return is_loaded;
}

/* The directory is taken before the port, and given back after it. Fixtures come over what it has. */
static int serve_from_directory(td_service *service)
{
    fixtures_over over = {.service = service};
    if (!open_directory(&over)) return 1;
    int code = serve_requests(service);
    const char *failure = td_durable_get_failure(service->durable);
    if (failure != NULL) code = over.are_refused ? 2 : fail(failure);
    td_durable_free(service->durable);
    return code;
}

static bool open_directory(fixtures_over *over)
{
    td_service *service = over->service;
    const td_config *config = service->config;
    char sentence[TD_DISK_SENTENCE_BYTES] = "";
    td_durable_options options = {.path = config->data_dir,
                                  .is_async = config->durability == TD_DURABILITY_ASYNC,
                                  .bound_us = config->durability_bound_ms * TD_US_PER_MS,
                                  .store = service->store,
                                  .clock = service->clock,
                                  .log = service->log};
    service->durable = td_durable_open(&options, sentence);
    if (service->durable == NULL) {
        fail(sentence);
        return false;
    }
    td_durable_set_loaded(service->durable, try_fixtures, over);
    return true;
}

static int serve_requests(td_service *service)
{
    char sentence[TD_SERVER_ERROR_BYTES] = "";
    td_server *server = td_server_new(service, sentence);
    if (server == NULL) return fail(sentence);
    enter_sandbox(service);
    announcement about = {.server = server, .port_file = service->config->port_file};
    bool has_run = td_server_run(server, announce, &about, sentence);
    td_server_free(server);
    if (about.has_failed) return 1; /* it has said why */
    return has_run ? 0 : fail(sentence);
}

/* What is written from here on is the data directory, and the port's file beside its place. */
static void enter_sandbox(const td_service *service)
{
    const td_config *config = service->config;
    if (!config->sandbox) return;
    char folder[PATH_MAX] = "";
    const char *name = strrchr(config->port_file, '/');
    if (name != NULL)
        snprintf(folder, sizeof(folder), "%.*s", (int)(name - config->port_file) + 1, config->port_file);
    else if (config->port_file[0] != '\0')
        snprintf(folder, sizeof(folder), ".");
    const char *folders[] = {config->data_dir, folder};
    td_sandbox_enter(folders, TD_COUNT_OF(folders), service->log);
}

static bool announce(void *context)
{
    announcement *about = context;
    about->has_failed =
        about->port_file[0] != '\0' && !write_port_file(about->port_file, td_server_get_port(about->server));
    if (about->has_failed) return false;
    printf("thermodyn %s listening on %s\n", TD_VERSION, td_server_get_url(about->server));
    const char *fingerprint = td_server_get_fingerprint(about->server);
    if (fingerprint != NULL) printf("its certificate has the SHA-256 fingerprint %s\n", fingerprint);
    fflush(stdout);
    return true;
}

/* Beside its place first, then renamed: whoever waits for the file never reads half a number. */
static bool write_port_file(const char *path, int port)
{
    char beside[4096];
    int len = snprintf(beside, sizeof(beside), "%s.%ld", path, (long)getpid());
    FILE *file = len < 0 || (size_t)len >= sizeof(beside) ? NULL : fopen(beside, "we");
    bool is_written = file != NULL && fprintf(file, "%d\n", port) > 0;
    if (file != NULL && fclose(file) != 0) is_written = false;
    if (is_written && rename(beside, path) == 0) return true;
    fprintf(stderr, "thermodyn: the port file %s cannot be written: %s\n", path, strerror(errno));
    if (file != NULL) unlink(beside);
    return false;
}

static int fail(const char *sentence)
{
    fprintf(stderr, "thermodyn: %s\n", sentence);
    return 1;
}

/* ---- a data directory as files, and back ------------------------------------------------------------------------- */

static int dump(const td_config *config)
{
    if (config->data_dir[0] != '\0' && config->dump_to[0] != '\0') return with_service(config, dump_directory);
    fail("say which directory, and where to: thermodyn dump --data-dir DIR FOLDER");
    return 2;
}

static int dump_directory(td_service *service)
{
    char sentence[TD_DISK_SENTENCE_BYTES] = "";
    td_durable_options options = {
        .path = service->config->data_dir, .store = service->store, .clock = service->clock, .log = service->log};
    if (!td_durable_read_directory(&options, sentence)) return fail(sentence);
    td_buf says;
    td_buf_init(&says, SENTENCE_BYTES_MAX);
    td_init_loaded dumped;
    bool is_dumped = td_init_dump(service, service->config->dump_to, &dumped, &says);
    if (is_dumped) {
        TD_LOG(service->log, TD_LOG_INFO, "dumped", TD_LOG_NUMBER("tables", dumped.tables),
               TD_LOG_NUMBER("items", dumped.items));
    } else {
        fprintf(stderr, "thermodyn: %.*s\n", (int)says.len, (const char *)says.data);
    }
    td_buf_done(&says);
    return is_dumped ? 0 : 1;
}

static int load(const td_config *config)
{
    if (config->data_dir[0] != '\0' && config->init[0] != '\0') return with_service(config, load_directory);
    fail("say which directory, and what to load: thermodyn load --data-dir DIR PATH...");
    return 2;
}

/* As a server starts, and stops when it would listen. What is loaded waits in memory until all of it is there: fixtures
 * that are wrong, and signals until then, leave the directory as it was. */
static int load_directory(td_service *service)
{
    fixtures_over over = {.service = service};
    sigset_t ends;
    siginfo_t end;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    if (!open_directory(&over)) return 1;
    td_durable_set_watch(service->durable, (td_durable_watch){ignore, NULL});
    sigprocmask(SIG_BLOCK, &ends, NULL);
    if (!td_durable_start(service->durable, tell_loaded, NULL)) return fail("out of memory");
    while (sigwaitinfo(&ends, &end) < 0)
        continue;
    if (end.si_pid != getpid()) _exit(128 + end.si_signo);
    td_durable_stop(service->durable);
    const char *failure = td_durable_get_failure(service->durable);
    int code = over.are_refused ? 2 : failure == NULL ? 0 : fail(failure);
    td_durable_free(service->durable);
    return code;
}

static bool try_fixtures(void *context)
{
    fixtures_over *over = context;
    over->are_refused = !load_fixtures(over->service);
    return !over->are_refused;
}

static void ignore(void *context)
{
    (void)context;
}

/* As the directory's thread says by itself when it fails. */
static bool tell_loaded(void *context)
{
    (void)context;
    return kill(getpid(), SIGTERM) == 0;
}
