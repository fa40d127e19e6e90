/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_capture - baro jobstats capture: raw dumps of this server, stored. */
#include "agent/agent.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/system/helper.h"
#include "cmd/commands.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/random.h>

#define WHO "baro jobstats capture"

#define INTERVAL_NS (120 * NS_PER_S)
#define BYTES_MAX (UINT64_C(1) << 30)
#define DEADLINE_NS (60 * NS_PER_S)

struct args {
    const char *host, *source, *lctl, *reader, *root;
    int64_t interval_ns;
    uint64_t rounds, bytes_max;
    bool anonymize;
};

static volatile sig_atomic_t is_ended;

static void capture_on_signal(int signal)
{
    (void)signal;
    is_ended = 1;
}

static void capture_report(void *arg, enum log_level level, enum agent_event event,
                           const char *text)
{
    (void)arg;
    (void)level;
    (void)event;
    fprintf(stderr, WHO ": %s\n", text);
}

/* Errors: -EINVAL (there is no such source). */
static int capture_source_check(const char *source, struct err *err)
{
    if (!source || strcmp(source, "lctl") == 0 || strcmp(source, "files") == 0)
        return 0;
    return suggest_invalid(err, "--source", span_of(source), "lctl, files");
}

static int jobstats_capture_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    static const struct agent_report report = { capture_report, NULL };
    struct recorder_counts counts = { 0 };
    struct err err = { 0 };
    char host[HOST_NAME_MAX + 1] = "";
    if (operand_count != 1) {
        fputs("baro jobstats capture: one DIR is expected\n", stderr);
        return EXIT_USAGE;
    }
    (void)gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    char reader[PATH_MAX];
    struct recorder_opts opts = {
        .dir = operands[0],
        .host = args->host ? args->host : host,
        .source = { .source = args->source ? args->source : "lctl",
                    .lctl = args->lctl ? args->lctl : "lctl",
                    .reader =
                        args->reader
                            ? args->reader
                            : helper_find(BARO_LIBEXECDIR "/baro-lustre-read", reader),
                    .root = args->root ? args->root : "/",
                    .deadline_ns = DEADLINE_NS },
        .interval_ns = args->interval_ns ? args->interval_ns : INTERVAL_NS,
        .rounds = args->rounds,
        .bytes_max = args->bytes_max ? args->bytes_max : BYTES_MAX,
        .anonymize = args->anonymize,
        .is_ended = &is_ended,
        .report = &report,
    };
    if (capture_source_check(args->source, &err) < 0 ||
        recorder_check(&opts, &err) < 0) {
        fprintf(stderr, "baro jobstats capture: %s\n", err.text);
        return EXIT_USAGE;
    }
    if (getrandom(&opts.key, sizeof opts.key, 0) != sizeof opts.key) {
        fputs("baro jobstats capture: no random numbers\n", stderr);
        return EXIT_FAILED;
    }
    const struct sigaction action = { .sa_handler = capture_on_signal };
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    int rc = recorder_run(&opts, &counts, &err);
    printf("%" PRIu64 " dumps, %" PRIu64 " bytes before compression\n", counts.dumps,
           counts.bytes);
    if (rc < 0)
        fprintf(stderr, WHO ": %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "interval", 0, OPTION_DURATION, offsetof(struct args, interval_ns), "DURATION",
      "Between two rounds, aligned to the clock; default 2m." },
    { "rounds", 0, OPTION_COUNT, offsetof(struct args, rounds), "COUNT",
      "End after so many; default: run until a signal." },
    { "bytes-max", 0, OPTION_SIZE, offsetof(struct args, bytes_max), "SIZE",
      "The oldest dumps go when more is stored; default 1GiB." },
    { "anonymize", 0, OPTION_FLAG, offsetof(struct args, anonymize), NULL,
      "Write identifiers with other letters and digits, the same for the same word." },
    { "host", 0, OPTION_TEXT, offsetof(struct args, host), "NAME",
      "Name of this server; default: its host name." },
    { "source", 0, OPTION_TEXT, offsetof(struct args, source), "lctl|files",
      "Where to read; default lctl." },
    { "lctl", 0, OPTION_TEXT, offsetof(struct args, lctl), "PROGRAM",
      "The lctl program." },
    { "reader", 0, OPTION_TEXT, offsetof(struct args, reader), "PROGRAM",
      "The reader program of --source files." },
    { "root", 0, OPTION_TEXT, offsetof(struct args, root), "DIR",
      "Where --source files finds proc and sys." },
};

const struct command cmd_jobstats_capture = {
    .name = "jobstats capture",
    .operands = "DIR",
    .help = "Store raw dumps of this Lustre server's job_stats in a directory.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_capture_run,
};
