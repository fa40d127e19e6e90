/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_capture - baro jobstats capture: raw dumps of this server, kept. */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "cmd/commands.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

struct args {
    const char *host, *source, *lctl, *reader, *root;
    int64_t every_ns;
    uint64_t rounds, bytes_max;
    bool anonymize;
};

struct capture {
    const struct args *args;
    const char *dir, *host;
    struct agent_opts opts;
    uint64_t key; /* of this run's pseudonyms; never written down */
    uint64_t dumps, bytes;
};

static volatile sig_atomic_t is_ended;

static void on_signal(int signal)
{
    (void)signal;
    is_ended = 1;
}

static int keep(struct capture *c, int64_t t_ms, struct span param, struct span text,
                struct err *err)
{
    AUTO(strbuf_done) struct strbuf other = STRBUF_INIT;
    if (c->args->anonymize && !span_is(param, "list")) {
        capture_anonymize(text, c->key, &other);
        if (strbuf_error(&other))
            return -ENOMEM;
        text = strbuf_span(&other);
    }
    c->bytes += text.size;
    return capture_write(c->dir, c->host, t_ms, param, text, err);
}

static int capture_target(struct capture *c, struct span param, struct err *err)
{
    AUTO(agent_answer_done) struct agent_answer answer = { 0 };
    AUTO_FREE char *text = span_dup(param);
    if (!text)
        return -ENOMEM;
    int64_t t_ms = clock_now_ms();
    int rc = agent_ask(&c->opts, "-n", text, NULL, &answer);
    if (rc < 0 || answer.error || answer.status) {
        fprintf(stderr, "baro: %s: %s " SPAN_FMT "; left out\n", text,
                answer.error ? strerror(-answer.error) : "cannot be read:",
                SPAN_ARG(strbuf_span(&answer.complaint)));
        return 0;
    }
    c->dumps++;
    param.size -= strlen(".job_stats");
    return keep(c, t_ms, param, strbuf_span(&answer.text), err);
}

static int capture_round(struct capture *c, struct err *err)
{
    AUTO(agent_answer_done) struct agent_answer list = { 0 };
    AUTO(agent_answer_done) struct agent_answer cleanup = { 0 };
    int64_t t_ms = clock_now_ms();
    int rc =
        agent_ask(&c->opts, "-N", "obdfilter.*.job_stats", "mdt.*.job_stats", &list);
    if (rc < 0)
        return err_set(err, -rc, "start '%s': %s", c->opts.lctl, strerror(-rc));
    (void)agent_ask(&c->opts, NULL, "obdfilter.*.job_cleanup_interval",
                    "mdt.*.job_cleanup_interval", &cleanup);
    size_t list_size = list.text.size;
    strbuf_add_span(&list.text, strbuf_span(&cleanup.text));
    rc = keep(c, t_ms, SPAN("list"), strbuf_span(&list.text), err);
    struct span rest = { strbuf_text(&list.text), list_size }, line, name;
    enum target_kind kind;
    while (rc == 0 && rest.size && !is_ended) {
        (void)span_cut(&rest, '\n', &line);
        line = span_trim(line);
        if (agent_parse_param(line, "job_stats", &name, &kind) == 0)
            rc = capture_target(c, line, err);
    }
    return rc;
}

/* ---- bounded ---- */

static int is_of_capture(const struct dirent *entry)
{
    struct capture_file file;
    return capture_parse_name(span_of(entry->d_name), &file) == 0;
}

/* The oldest files go until the rest fits; names of one length sort by time. */
static int prune(const struct capture *c)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/%s", c->dir, c->host);
    struct dirent **names = NULL;
    int count = scandir(strbuf_text(&path), &names, is_of_capture, alphasort);
    uint64_t bytes = 0;
    for (int i = count - 1; i >= 0; i--) {
        struct stat st;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s/%s", c->dir, c->host, names[i]->d_name);
        if (!strbuf_error(&path) && stat(path.data, &st) == 0)
            bytes += (uint64_t)st.st_size;
        if (bytes > c->args->bytes_max && !strbuf_error(&path))
            (void)unlink(path.data);
        free(names[i]);
    }
    free(names);
    return count < 0 ? -errno : 0;
}

/* Until the next multiple of every, or a signal. */
static void wait_for_round(int64_t every_ns)
{
    int64_t next_ns = agent_round_at(clock_now_ns() + 1, every_ns);
    while (!is_ended) {
        int64_t wait_ms = clock_wait_ms(next_ns);
        if (wait_ms <= 0)
            return;
        if (wait_ms > every_ns / NS_PER_MS) { /* the clock was set back */
            next_ns = agent_round_at(clock_now_ns() + 1, every_ns);
            continue;
        }
        struct timespec t = { wait_ms / MS_PER_S, wait_ms % MS_PER_S * NS_PER_MS };
        (void)nanosleep(&t, NULL);
    }
}

static int run_rounds(struct capture *c, struct err *err)
{
    struct uuid ignored;
    int rc = capture_uuid(c->dir, &ignored, err);
    for (uint64_t round = 0; rc == 0 && !is_ended; round++) {
        if (round)
            wait_for_round(c->args->every_ns);
        if (is_ended)
            break;
        rc = capture_round(c, err);
        if (rc == 0)
            rc = prune(c);
        if (c->args->rounds && round + 1 >= c->args->rounds)
            break;
    }
    return rc;
}

static int run(void *opts, int operand_count, char **operands)
{
    struct args *args = opts;
    if (operand_count != 1) {
        fputs("baro jobstats capture: one DIR is expected\n", stderr);
        return EXIT_USAGE;
    }
    static char host[HOST_NAME_MAX + 1];
    (void)gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    if (!args->every_ns)
        args->every_ns = 120 * NS_PER_S;
    if (!args->bytes_max)
        args->bytes_max = UINT64_C(1) << 30;
    struct capture c = {
        .args = args,
        .dir = operands[0],
        .host = args->host ? args->host : host,
        .opts = {
            .source = args->source ? args->source : "lctl",
            .lctl = args->lctl ? args->lctl : "lctl",
            .reader = args->reader ? args->reader : BARO_LIBEXECDIR "/baro-lustre-read",
            .root = args->root ? args->root : "/",
            .deadline_ns = 60 * NS_PER_S,
        },
    };
    if (strchr(c.host, '/') || getrandom(&c.key, sizeof c.key, 0) != sizeof c.key) {
        fputs("baro jobstats capture: --host is a name, without '/'\n", stderr);
        return EXIT_USAGE;
    }
    struct sigaction action = { .sa_handler = on_signal };
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct err err = { 0 };
    int rc = run_rounds(&c, &err);
    printf("%" PRIu64 " dumps, %" PRIu64 " bytes before compression\n", c.dumps,
           c.bytes);
    if (rc < 0)
        fprintf(stderr, "baro: %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "every", 0, OPTION_DURATION, offsetof(struct args, every_ns), "DURATION",
      "Between two rounds, aligned to the clock; default 2m." },
    { "rounds", 0, OPTION_COUNT, offsetof(struct args, rounds), "COUNT",
      "End after so many; default: run until a signal." },
    { "bytes-max", 0, OPTION_SIZE, offsetof(struct args, bytes_max), "SIZE",
      "The oldest dumps go when more is kept; default 1GiB." },
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
    .help = "Keep raw dumps of this Lustre server's job_stats in a directory.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
};
