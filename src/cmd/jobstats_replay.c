/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_replay - baro jobstats replay: a capture, observed and sent once more.
 *
 * The whole way: text, parser, observer, batches, server.  Everything in a batch
 * follows from the capture, its identifier too, so that a replay that is repeated
 * changes nothing.
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/secret.h"
#include "cmd/commands.h"
#include "net/net.h"
#include "source/lustre/lustre.h"
#include "wire/wire.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <time.h>

#define GENERATIONS_MAX 10000000

struct args {
    const char *to, *token_file;
    int64_t interval_ns;
    uint64_t speed;
    bool as_fast;
};

struct replay {
    const struct args *args;
    const char *dir, *host;
    struct uuid uuid;
    struct net_client *client; /* NULL: nothing is sent */
    struct observe *observe;
    struct observe_target *target; /* while its dump is read */
    struct net_answer answer;
    int64_t last_ms; /* of the file before */
    uint64_t dumps, rows, batches, bad_lines;
};

static int take_entry(void *arg, const struct entry *entry)
{
    struct replay *r = arg;
    return observe_entry(r->target, entry);
}

static void take_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                       struct span text)
{
    struct replay *r = arg;
    (void)fault;
    (void)line;
    (void)text;
    r->bad_lines++;
    observe_entry_lost(r->target);
}

static int send_all(struct replay *r, const struct agent_batches *batches,
                    struct err *err)
{
    for (size_t i = 0; i < agent_batches_count(batches); i++) {
        const struct agent_batch *batch = agent_batches_at(batches, i);
        r->batches++;
        r->rows += batch->entries;
        if (!r->client)
            continue;
        int rc = net_client_post(r->client, "/v1/jobstats", "application/json", "zstd",
                                 strbuf_span(&batch->data), &r->answer, err);
        if (rc == 0)
            rc = net_answer_check(&r->answer, err);
        struct batch_response response;
        if (rc == 0)
            rc = batch_response_parse(strbuf_span(&r->answer.body), &response, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parse_dump(struct replay *r, const struct strbuf *text)
{
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    int rc = jobstats_parser_new(take_entry, take_fault, r, &parser);
    if (rc < 0)
        return rc;
    jobstats_parser_begin(parser, observe_target_name(r->target),
                          observe_target_kind(r->target));
    rc = jobstats_parser_feed(parser, strbuf_text(text), text->size);
    return rc < 0 ? rc : jobstats_parser_finish(parser);
}

static int replay_dump(struct replay *r, const struct capture_file *file,
                       const struct strbuf *text, struct err *err)
{
    struct span name = file->param, device;
    AUTO(agent_batches_free) struct agent_batches *batches = NULL;
    if (!span_cut(&name, '.', &device))
        return 0;
    r->target = observe_target_find(r->observe, name);
    if (!r->target || !observe_target_is_there(r->target))
        return 0; /* not in the list that came before: its list was lost */
    /* One name for each server and target; its batches are numbered by time, with room
     * for the parts of a large one. */
    AUTO(strbuf_done) struct strbuf who = STRBUF_INIT;
    strbuf_addf(&who, "%s/" SPAN_FMT, r->host, SPAN_ARG(file->param));
    struct uuid agent;
    int rc = strbuf_error(&who);
    if (rc == 0)
        rc = uuid_v5(&r->uuid, strbuf_span(&who), SPAN(""), &agent);
    uint64_t number = (uint64_t)file->t_ms * 1000;
    if (rc == 0)
        rc = agent_batches_new(&agent, span_of(r->host), &number, &batches);
    if (rc == 0)
        rc = observe_round_begin(r->target, file->t_ms, agent_batches_row, batches);
    if (rc < 0)
        return rc;
    r->dumps++;
    rc = parse_dump(r, text);
    if (rc == 0)
        rc = observe_round_end(r->target);
    if (rc == 0)
        rc = agent_batches_finish(batches);
    return rc < 0 ? rc : send_all(r, batches, err);
}

static int replay_list(struct replay *r, int64_t t_ms, const struct strbuf *text)
{
    size_t count = 0, room = 1;
    for (size_t i = 0; i < text->size; i++)
        room += text->data[i] == '\n';
    AUTO_FREE struct observe_listed *listed = calloc(room, sizeof listed[0]);
    if (!listed)
        return -ENOMEM;
    struct span rest = strbuf_span(text), line, name, param;
    enum target_kind kind;
    uint64_t cleanup_s = 0;
    while (rest.size && count < room) {
        (void)span_cut(&rest, '\n', &line);
        if (agent_parse_param(span_trim(line), "job_stats", &name, &kind) == 0)
            listed[count++] = (struct observe_listed){ name, kind };
    }
    int rc = observe_list(r->observe, t_ms, listed, count);
    rest = strbuf_span(text);
    while (rc == 0 && rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (!span_cut(&line, '=', &param) ||
            agent_parse_param(param, "job_cleanup_interval", &name, &kind) < 0 ||
            number_parse_u64(span_trim(line), &cleanup_s) < 0 || cleanup_s > UINT32_MAX)
            continue;
        struct observe_target *target = observe_target_find(r->observe, name);
        if (target)
            observe_target_set_cleanup(target, (int64_t)cleanup_s * MS_PER_S);
    }
    return rc;
}

/* As long as lay between the two, divided by the speed. */
static void pause_before(const struct replay *r, int64_t t_ms)
{
    uint64_t speed = r->args->speed ? r->args->speed : 1;
    if (r->args->as_fast || r->last_ms == T_NONE || t_ms <= r->last_ms)
        return;
    int64_t ns = (t_ms - r->last_ms) * NS_PER_MS / (int64_t)speed;
    struct timespec wait = { ns / NS_PER_S, ns % NS_PER_S };
    (void)nanosleep(&wait, NULL);
}

static int replay_file(struct replay *r, const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct capture_file file;
    if (capture_parse_name(span_of(name), &file) < 0)
        return 0;
    strbuf_addf(&path, "%s/%s/%s", r->dir, r->host, name);
    if (strbuf_error(&path))
        return -ENOMEM;
    int rc = capture_read(path.data, &text, err);
    if (rc < 0)
        return rc;
    pause_before(r, file.t_ms);
    r->last_ms = file.t_ms;
    if (span_is(file.param, "list"))
        return replay_list(r, file.t_ms, &text);
    return replay_dump(r, &file, &text, err);
}

/* By time; at one time the list comes before the dumps. */
static int file_order(const struct dirent **a, const struct dirent **b)
{
    struct capture_file x, y;
    if (capture_parse_name(span_of((*a)->d_name), &x) < 0 ||
        capture_parse_name(span_of((*b)->d_name), &y) < 0)
        return strcmp((*a)->d_name, (*b)->d_name);
    if (x.t_ms != y.t_ms)
        return x.t_ms < y.t_ms ? -1 : 1;
    bool x_list = span_is(x.param, "list"), y_list = span_is(y.param, "list");
    return x_list != y_list ? (x_list ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static int replay_host(struct replay *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct dirent **names = NULL;
    strbuf_addf(&path, "%s/%s", r->dir, r->host);
    int count = scandir(strbuf_text(&path), &names, is_visible, file_order);
    if (count < 0)
        return errno == ENOTDIR ? 0 : err_set(err, errno, "'%s'", strbuf_text(&path));
    struct observe_opts opts = {
        .interval_ms = r->args->interval_ns / NS_PER_MS,
        .generations_max = GENERATIONS_MAX,
    };
    int rc = observe_new(&opts, &r->observe);
    r->last_ms = T_NONE;
    for (int i = 0; rc == 0 && i < count; i++) {
        rc = replay_file(r, names[i]->d_name, err);
        if (rc < 0)
            (void)err_prefix(err, rc, "%s/%s", r->host, names[i]->d_name);
    }
    observe_free(r->observe);
    r->observe = NULL;
    free_names(names, count);
    return rc;
}

static int connect_to(struct replay *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    if (!r->args->to)
        return 0;
    int rc = 0;
    if (r->args->token_file)
        rc = secret_read(r->args->token_file, 8192, &token, err);
    if (rc < 0)
        return rc;
    AUTO_FREE char *text = span_dup(span_trim(strbuf_span(&token)));
    struct net_client_opts opts = { .url = r->args->to, .token = text };
    return net_client_new(&opts, &r->client, err);
}

static int replay_all(struct replay *r, struct err *err)
{
    struct dirent **names = NULL;
    int rc = capture_uuid(r->dir, &r->uuid, err);
    if (rc == 0)
        rc = connect_to(r, err);
    if (rc < 0)
        return rc;
    int count = scandir(r->dir, &names, is_visible, alphasort);
    if (count < 0)
        return err_set(err, errno, "'%s': %s", r->dir, strerror(errno));
    for (int i = 0; rc == 0 && i < count; i++) {
        r->host = names[i]->d_name;
        rc = replay_host(r, err);
    }
    free_names(names, count);
    net_client_free(r->client);
    net_answer_done(&r->answer);
    return rc;
}

static int run(void *opts, int operand_count, char **operands)
{
    struct args *args = opts;
    if (operand_count != 1 || (args->as_fast && args->speed)) {
        fputs("baro jobstats replay: one DIR is expected, and one of --speed and "
              "--as-fast-as-possible\n",
              stderr);
        return EXIT_USAGE;
    }
    if (access(operands[0], R_OK | X_OK) < 0) {
        fprintf(stderr, "baro: '%s': %s\n", operands[0], strerror(errno));
        return EXIT_FAILED;
    }
    if (!args->interval_ns)
        args->interval_ns = 120 * NS_PER_S;
    struct replay r = { .args = args, .dir = operands[0] };
    struct err err = { 0 };
    int rc = replay_all(&r, &err);
    printf("%" PRIu64 " dumps, %" PRIu64 " bad lines, %" PRIu64 " rows in %" PRIu64
           " batches%s\n",
           r.dumps, r.bad_lines, r.rows, r.batches, args->to ? "" : ", not sent");
    if (rc < 0)
        fprintf(stderr, "baro: %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? err_exit_status(rc) : EXIT_OK;
}

static const struct option options[] = {
    { "to", 0, OPTION_TEXT, offsetof(struct args, to), "URL",
      "Send to this barod; without it the capture is only observed and counted." },
    { "token-file", 0, OPTION_TEXT, offsetof(struct args, token_file), "FILE",
      "File with the token to show." },
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
    .run = run,
};
