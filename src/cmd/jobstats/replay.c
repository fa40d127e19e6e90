/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_replay - baro jobstats replay: a capture, observed and sent once more. */
#include "agent/agent.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "net/net.h"

#include <inttypes.h>
#include <time.h>

#define WHO "baro jobstats replay"
#define TOKEN_BYTES_MAX 8192
#define INTERVAL_NS (120 * NS_PER_S)

struct args {
    const char *to, *token_file;
    int64_t interval_ns;
    uint64_t speed;
    bool as_fast;
};

struct target {
    struct net_client *client;
    uint64_t speed;
    struct progress_line line;
};

static int replay_post(void *arg, struct span payload, struct net_response *ret,
                       struct err *err)
{
    const struct target *target = arg;
    return net_client_post(target->client, "/v1/jobstats", "application/json", "zstd",
                           payload, ret, err);
}

static void replay_pause(void *arg, int64_t ms)
{
    const struct target *target = arg;
    int64_t ns = ms * NS_PER_MS / (int64_t)target->speed;
    struct timespec wait = { ns / NS_PER_S, ns % NS_PER_S };
    (void)nanosleep(&wait, NULL);
}

static void replay_progress(void *arg, size_t done, size_t count)
{
    struct target *target = arg;
    progress_line_print(&target->line, done, count);
}

static int replay_connect(const struct args *args, struct net_client **ret,
                          struct err *err)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    int rc = args->token_file
                 ? secret_read(args->token_file, TOKEN_BYTES_MAX, &token, err)
                 : 0;
    if (rc < 0)
        return rc;
    AUTO_FREE char *text = span_dup(span_trim(strbuf_span(&token)));
    const struct net_client_opts opts = { .url = args->to, .token = text };
    return net_client_new(&opts, ret, err);
}

static int jobstats_replay_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct target target = { .speed = args->speed ? args->speed : 1 };
    struct replay_counts counts = { 0 };
    struct err err = { 0 };
    if (operand_count != 1 || (args->as_fast && args->speed)) {
        fputs(WHO ": one DIR is expected, and one of --speed and "
                  "--as-fast-as-possible\n",
              stderr);
        return EXIT_USAGE;
    }
    if (access(operands[0], R_OK | X_OK) < 0) {
        fprintf(stderr, WHO ": '%s': %s\n", operands[0], strerror(errno));
        return EXIT_FAILED;
    }
    const struct replay_opts opts = {
        .dir = operands[0],
        .interval_ms =
            (args->interval_ns ? args->interval_ns : INTERVAL_NS) / NS_PER_MS,
        .post_fn = args->to ? replay_post : NULL,
        .pause_fn = args->as_fast ? NULL : replay_pause,
        .progress_fn = replay_progress,
        .arg = &target,
    };
    int rc = args->to ? replay_connect(args, &target.client, &err) : 0;
    progress_line_begin(&target.line, "files");
    if (rc == 0)
        rc = replay_run(&opts, &counts, &err);
    progress_line_end(&target.line);
    net_client_free(target.client);
    printf("%" PRIu64 " dumps, %" PRIu64 " bad lines, %" PRIu64 " rows in %" PRIu64
           " batches%s\n",
           counts.dumps, counts.bad_lines, counts.rows, counts.batches,
           args->to ? "" : ", not sent");
    if (rc < 0)
        fprintf(stderr, WHO ": %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? err_exit_status(rc) : EXIT_OK;
}

static const struct option options[] = {
    { "to", 0, OPTION_TEXT, offsetof(struct args, to), "URL",
      "Send to this barod; without it the capture is only observed and counted." },
    { "token-file", 0, OPTION_TEXT, offsetof(struct args, token_file), "FILE",
      "Access token file." },
    { "speed", 0, OPTION_COUNT, offsetof(struct args, speed), "N",
      "So many times as fast as it was; default 1." },
    { "as-fast-as-possible", 0, OPTION_FLAG, offsetof(struct args, as_fast), NULL,
      "Without pauses." },
    { "interval", 0, OPTION_DURATION, offsetof(struct args, interval_ns), "DURATION",
      "Between two rounds of the capture; default 2m." },
};

const struct command cmd_jobstats_replay = {
    .name = "jobstats replay",
    .operands = "DIR",
    .help = "Observe a capture and send it, as an agent would have.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_replay_run,
};
