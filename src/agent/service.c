/* SPDX-License-Identifier: Apache-2.0 */
/* service - the agent as a whole. */
#include "agent/service.h"

#include "agent/counters.h"
#include "agent/metrics_listener.h"
#include "agent/rounds.h"
#include "agent/sampling/sampler.h"
#include "agent/send/send.h"
#include "agent/session_part.h"
#include "agent/token_reminder.h"
#include "agent/totals/totals.h"
#include "base/number.h"
#include "base/span.h"

#include <signal.h>

#define REPLY_BYTES_MAX (1 << 20)

struct agent_service {
    const struct agent_opts *opts;
    const struct agent_report *report;
    uv_loop_t loop;
    uv_signal_t signals[4];
    struct observe *observe;
    struct commit_log log;
    struct net_client *client; /* the sender's */
    struct strbuf refused_dir;
    struct sender *sender;
    struct rounds *rounds;
    struct agent_totals *totals;  /* NULL: none are sent */
    struct sampler *sampler;      /* NULL: nothing of the node is sampled */
    struct session_part *session; /* NULL: none is configured */
    struct token_reminder token;
    struct metrics_listener *listener; /* NULL: there is none */
};

/* ---- counters ---- */

void agent_service_counters(struct agent_service *s, struct strbuf *out)
{
    struct agent_counters counters = {
        .observe = *observe_counts(s->observe),
        .generations = observe_generation_count(s->observe),
        .token_expires_s = s->token.expires_s,
    };
    if (s->rounds)
        rounds_count(s->rounds, &counters.rounds);
    if (s->sender)
        sender_count(s->sender, &counters.sender);
    spool_count(s->log.spool, &counters.spool);
    agent_totals_count(s->totals, &counters.totals);
    agent_counters_print(&counters, out);
    sampler_print(s->sampler, out);
    session_part_print(s->session, out);
}

static void print_counters(void *arg, struct strbuf *out)
{
    agent_service_counters(arg, out);
}

static void report_counters(struct agent_service *s)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    agent_service_counters(s, &text);
    struct span rest = strbuf_span(&text), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size && line.data[0] != '#')
            agent_report(s->report, LOG_LEVEL_INFO, AGENT_EVENT_ONCE, SPAN_FMT,
                         SPAN_ARG(line));
    }
}

static void write_counters(struct agent_service *s)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *path = s->opts->metrics;
    if (!path || !*path)
        return;
    agent_service_counters(s, &text);
    agent_counters_write(path, &text);
}

/* ---- what the parts call ---- */

static void on_round_begin(void *arg)
{
    write_counters(arg);
}

static void on_committed(void *arg)
{
    struct agent_service *s = arg;
    sender_wake(s->sender);
}

static void on_finished(void *arg)
{
    struct agent_service *s = arg;
    uv_stop(&s->loop);
}

static int post_batch(void *arg, struct span payload, struct net_response *ret,
                      struct err *err)
{
    struct agent_service *s = arg;
    return net_client_post(s->client, "/v1/jobstats", "application/json", "zstd",
                           payload, ret, err);
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct agent_service *s = handle->data;
    if (signal == SIGUSR1)
        report_counters(s);
    else if (signal == SIGHUP)
        agent_report(s->report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                     "SIGHUP changes nothing: the configuration is read at start; "
                     "restart baro-agent to have it read anew (token_file needs none)");
    else
        uv_stop(&s->loop);
}

/* ---- starting ---- */

static int open_log(struct agent_service *s, const struct agent_folds *folds,
                    struct err *err)
{
    const struct observe_opts observe = {
        .interval_ms = s->opts->interval_ns / NS_PER_MS,
        .generations_max = s->opts->entries_max,
        .folds = folds->folds,
        .fold_count = folds->count,
    };
    int rc = observe_new(&observe, &s->observe);
    if (rc < 0)
        return rc;
    const struct commit_opts commit = {
        .state_dir = s->opts->state,
        .spool = { .dir = s->opts->spool,
                   .bytes_max = s->opts->spool_bytes_max,
                   .sync = s->opts->spool_sync },
        .observe = s->observe,
        .report = s->report,
    };
    return commit_log_open(&s->log, &commit, err);
}

static int start_sender(struct agent_service *s, struct err *err)
{
    const struct net_client_opts client = {
        .url = s->opts->server,
        .token_file = s->opts->token_file,
        .ca_file = s->opts->ca_file,
        .timeout_ns = s->opts->timeout_ns,
        .reply_bytes_max = REPLY_BYTES_MAX,
    };
    strbuf_addf(&s->refused_dir, "%s/refused", s->opts->spool);
    int rc = strbuf_error(&s->refused_dir);
    if (rc == 0)
        rc = net_client_new(&client, &s->client, err);
    if (rc < 0)
        return rc;
    const struct sender_opts sender = {
        .spool = s->log.spool,
        .committed = &s->log.committed,
        .backoff_max_ns = s->opts->backoff_max_ns,
        .delivery = { .post_fn = post_batch,
                      .post_arg = s,
                      .refused_dir = strbuf_text(&s->refused_dir),
                      .report = s->report },
    };
    return sender_start(&sender, &s->sender, err);
}

int agent_service_new(const struct agent_opts *opts, const struct agent_folds *folds,
                      const struct agent_report *report, struct agent_service **ret,
                      struct err *err)
{
    struct agent_service *s = calloc(1, sizeof *s);
    if (!s || uv_loop_init(&s->loop) < 0) {
        free(s);
        return -ENOMEM;
    }
    s->opts = opts;
    s->report = report;
    *ret = s;
    int rc = open_log(s, folds, err);
    if (rc == 0)
        rc = start_sender(s, err);
    if (rc == 0)
        token_reminder_start(&s->token, opts->token_file, &s->loop, report);
    return rc;
}

/* ---- running ---- */

static void start_signals(struct agent_service *s)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGUSR1, SIGHUP };
    _Static_assert(COUNT_OF(numbers) == COUNT_OF(s->signals), "one handle each");
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        (void)uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        (void)uv_signal_start(&s->signals[i], on_signal, numbers[i]);
    }
}

static int finish_once(struct agent_service *s)
{
    struct rounds_counts counts = { 0 };
    if (s->rounds)
        rounds_count(s->rounds, &counts);
    bool has_failed = counts.reading.reads_failed || counts.reading.reads_not_stored ||
                      counts.lists_failed;
    int rc = has_failed ? -EIO : sender_drain(s->sender);
    report_counters(s);
    return rc;
}

/* At the session's triggers; without one by a timer of the agent's loop. */
static int start_sampling(struct agent_service *s, struct err *err)
{
    int rc = sampler_new(s->opts, s->report, &s->loop, &s->sampler, err);
    if (rc == 0)
        rc = session_part_start(s->opts, s->report, s->sampler, &s->session, err);
    if (rc == 0 && s->sampler && !s->session)
        rc = sampler_begin(s->sampler, &s->loop, NULL);
    return rc;
}

int agent_service_run(struct agent_service *s, enum service_mode mode, struct err *err)
{
    const struct rounds_opts rounds = {
        .agent = s->opts,
        .loop = &s->loop,
        .log = &s->log,
        .observe = s->observe,
        .report = s->report,
        .mode = mode == SERVICE_ONCE ? ROUNDS_ONE : ROUNDS_FOREVER,
        .begin_fn = on_round_begin,
        .committed_fn = on_committed,
        .finished_fn = on_finished,
        .arg = s,
    };
    start_signals(s);
    bool has_lustre = strcmp(s->opts->source, "none") != 0;
    int rc = has_lustre ? rounds_start(&rounds, &s->rounds) : 0;
    if (rc == 0 && mode == SERVICE_FOREVER && has_lustre)
        rc = agent_totals_start(s->opts, &s->loop, s->report, &s->totals, err);
    if (rc == 0 && mode == SERVICE_FOREVER)
        rc = start_sampling(s, err);
    if (rc == 0 && mode == SERVICE_FOREVER)
        rc = metrics_listener_start(s->opts->metrics_listen, &s->loop, print_counters,
                                    s, &s->listener, err);
    if (rc < 0)
        return err->text[0] ? rc : err_set(err, -rc, "%s", strerror(-rc));
    if (has_lustre || mode == SERVICE_FOREVER)
        (void)uv_run(&s->loop, UV_RUN_DEFAULT);
    session_part_stop(TAKE(s->session));
    sampler_stop(s->sampler); /* stays as long as the loop */
    if (s->rounds)
        rounds_stop(s->rounds);
    agent_totals_stop(s->totals);
    rc = mode == SERVICE_ONCE ? finish_once(s) : 0;
    if (sender_stop(s->sender))
        s->sender = NULL;
    return rc;
}
