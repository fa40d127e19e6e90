/* SPDX-License-Identifier: Apache-2.0 */
/* baro-sim-rounds - the way from a dump to a row in one process, hours in seconds.
 *
 *     dump ─▶ parser ─▶ observe ─▶ JSON ─▶ decoder ─▶ records
 *
 * The same rooms that baro-agent and barod are made of, without processes between them:
 * what an agent's crash, a long absence, a lost batch, a batch sent twice or late do to
 * the rows is played by chance out of --seed, and the journal is written as the agent's
 * reads would have it.  tests/sim/check.py then holds the rows against the reference.
 */
#include "journal.h"
#include "params.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "observe/observe.h"
#include "records/records.h"
#include "source/lustre/lustre.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <string.h>

#define LATE_MAX 24 /* batches held back at most, of one server */

struct args {
    const char *fs, *path, *connection;
    uint64_t rounds, seed, faults_percent, kind;
    int64_t interval_ns, begin_ns;
};

/* One server's agent, as far as this goes. */
struct agent {
    size_t server;
    struct observe *observe;
    struct uuid id;
    uint64_t sequence;
    uint64_t down_until; /* round */
    bool has_state;
    struct strbuf list_state;
    struct strbuf *states; /* one a target that was ever there */
    size_t state_count;
    struct strbuf late[LATE_MAX]; /* in order */
    size_t late_count;
};

struct world {
    const struct args *args;
    struct sim *sim;
    struct records *records;
    struct agent *agents;
    struct jobstats_encoder encoder;
    struct observe_target *target; /* being read */
    uint64_t rows, batches, crashes, lost, twice;
    int64_t now_ns;
};

static int write_row(void *arg, const struct entry *entry,
                     const struct observation *seen)
{
    struct world *w = arg;
    jobstats_encode_entry(&w->encoder, entry, seen);
    w->rows++;
    return 0;
}

static int read_entry(void *arg, const struct entry *entry)
{
    struct world *w = arg;
    return observe_entry(w->target, entry);
}

/* ---- one read ---- */

static int read_target(struct world *w, struct agent *a, struct sim_param_ref *ref,
                       int64_t t_ns)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    struct span name = span_of(ref->target->name);
    w->target = observe_target_find(a->observe, name);
    if (!w->target)
        return -ENOENT;
    int rc = sim_param_value(w->sim, ref, t_ns, &text, NULL);
    if (rc == 0)
        rc = jobstats_parser_new(read_entry, NULL, w, &parser);
    if (rc == 0)
        rc = observe_round_begin(w->target, t_ns / NS_PER_MS, write_row, w);
    if (rc < 0)
        return rc;
    observe_target_set_cleanup(w->target, w->sim->conf.cleanup_ns / NS_PER_MS);
    jobstats_parser_begin(parser, name,
                          ref->target->kind == SIM_MDT ? TARGET_MDT : TARGET_OST);
    rc = jobstats_parser_feed(parser, text.data ? text.data : "", text.size);
    if (rc == 0)
        rc = jobstats_parser_finish(parser);
    return rc < 0 ? rc : observe_round_end(w->target);
}

/* The targets that the server has now, told to its observer; *ret is to be freed. */
static int list_targets(struct world *w, struct agent *a, int64_t t_ns,
                        struct sim_param_ref **ret, size_t *ret_count)
{
    struct sim_param_ref *refs = NULL;
    size_t count = 0, kept = 0;
    int rc = sim_params_list(w->sim, a->server, t_ns, &refs, &count);
    if (rc < 0)
        return rc;
    AUTO_FREE struct observe_listed *listed = calloc(count + 1, sizeof *listed);
    if (!listed) {
        free(refs);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (refs[i].param != SIM_PARAM_JOB_STATS)
            continue;
        refs[kept] = refs[i];
        listed[kept].name = span_of(refs[i].target->name);
        listed[kept].kind = refs[i].target->kind == SIM_MDT ? TARGET_MDT : TARGET_OST;
        kept++;
    }
    rc = observe_list(a->observe, t_ns / NS_PER_MS, listed, kept);
    *ret = refs;
    *ret_count = kept;
    return rc;
}

/* ---- the observer's state, as it would stand on disk ---- */

static void state_save(struct agent *a)
{
    strbuf_clear(&a->list_state);
    observe_save_list(a->observe, &a->list_state);
    for (size_t i = 0; i < observe_target_count(a->observe); i++) {
        struct observe_target *t = observe_target_at(a->observe, i);
        strbuf_clear(&a->states[i]);
        observe_save_target(t, &a->states[i]);
        a->state_count = i + 1;
    }
    a->has_state = true;
}

static int observer_start(const struct world *w, struct agent *a, struct err *err)
{
    const struct observe_opts opts = { .interval_ms = w->args->interval_ns / NS_PER_MS,
                                       .generations_max = 10000000 };
    observe_free(a->observe);
    a->observe = NULL;
    int rc = observe_new(&opts, &a->observe);
    if (rc == 0 && a->has_state)
        rc = observe_load_list(a->observe, strbuf_span(&a->list_state), err);
    for (size_t i = 0; rc == 0 && a->has_state && i < a->state_count; i++)
        rc = observe_load_target(a->observe, strbuf_span(&a->states[i]), err);
    return rc;
}

/* ---- sending ---- */

static int put_text(struct world *w, const struct strbuf *text, struct err *err)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    jobbatch_init(&batch, 0);
    int rc = jobstats_decoder_new(&batch, &decoder);
    if (rc == 0)
        rc = jobstats_decoder_feed(decoder, text->data, text->size, err);
    if (rc == 0)
        rc = jobstats_decoder_finish(decoder, err);
    if (rc == 0 && jobstats_decoder_bad_count(decoder))
        rc = err_set(err, EBADMSG, "a row was not understood: %s",
                     jobstats_decoder_bad(decoder, 0)->reason);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < batch.row_count; i++)
        batch.rows[i].fs = SPAN("scratch");
    struct records_response answer = { 0 };
    rc = records_put(w->records, &batch, w->now_ns / NS_PER_MS, &answer, NULL, NULL,
                     err);
    if (rc == 0 && answer.refused)
        rc = err_set(err, EBADMSG, "a row was refused: %s", answer.refusals[0].reason);
    w->batches++;
    return rc;
}

/* Everything that waits, or the first few of it. */
static int deliver(struct world *w, struct agent *a, size_t keep, struct err *err)
{
    while (a->late_count > keep) {
        int rc = put_text(w, &a->late[0], err);
        if (rc == 0 && sim_mix(w->args->seed, w->batches * 7) % 20 == 0) {
            rc = put_text(w, &a->late[0], err);
            w->twice++;
        }
        if (rc < 0)
            return rc;
        strbuf_done(&a->late[0]);
        memmove(&a->late[0], &a->late[1], (a->late_count - 1) * sizeof a->late[0]);
        a->late_count--;
    }
    return 0;
}

/* ---- rounds ---- */

enum accident {
    NONE,
    CRASH_BEFORE_SPOOL, /* what was read is gone, with the knowledge of it */
    CRASH_BEFORE_STATE, /* the rows are kept, the knowledge of them is not */
    BATCH_LOST,         /* a full disk: the knowledge is kept, the rows are not */
};

static enum accident accident_of(const struct world *w, const struct agent *a,
                                 uint64_t round)
{
    uint64_t h = sim_mix(sim_mix(w->args->seed, round), a->server);
    if (h % 100 >= w->args->faults_percent)
        return NONE;
    return (enum accident)(w->args->kind ? w->args->kind : sim_mix(h, 1) % 3 + 1);
}

static int journal_round(const struct world *w, const struct agent *a,
                         const struct sim_param_ref *refs, size_t count, int64_t t_ns)
{
    int rc = sim_journal_add(w->sim, t_ns, a->server, "list"); /* the list itself */
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sim_journal_add_dump(w->sim, t_ns + (int64_t)i * NS_PER_MS, a->server,
                                  refs[i].target, 0);
    return rc;
}

static int round_of(struct world *w, struct agent *a, uint64_t round, struct err *err)
{
    enum accident accident = accident_of(w, a, round);
    uint64_t h = sim_mix(sim_mix(w->args->seed, round + 1000000), a->server);
    AUTO_FREE struct sim_param_ref *refs = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t count = 0;
    /* A stable offset for each server, as agents have. */
    int64_t t_ns = w->now_ns + (int64_t)(a->server % 5) * NS_PER_S;
    int rc = list_targets(w, a, t_ns, &refs, &count);
    jobstats_encode_start(&w->encoder, &text, &a->id, ++a->sequence,
                          span_of(w->sim->servers[a->server]));
    uint64_t rows = w->rows;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = read_target(w, a, &refs[i], t_ns + (int64_t)i * NS_PER_MS);
    if (rc == 0)
        rc = jobstats_encode_finish(&w->encoder);
    if (rc < 0)
        return err_set(err, -rc, "%s: round failed", w->sim->servers[a->server]);
    if (accident == CRASH_BEFORE_SPOOL) {
        a->sequence--;
    } else {
        if (accident != BATCH_LOST)
            rc = journal_round(w, a, refs, count, t_ns);
        else
            rc = sim_journal_add(w->sim, t_ns, a->server, "list");
        w->lost += accident == BATCH_LOST;
        if (rc == 0 && accident != BATCH_LOST && w->rows > rows) {
            a->late[a->late_count++] = text;
            text = (struct strbuf)STRBUF_INIT;
        }
    }
    if (accident != CRASH_BEFORE_STATE && accident != CRASH_BEFORE_SPOOL)
        state_save(a);
    else {
        w->crashes++;
        a->down_until = round + 1 + (sim_mix(h, 2) % 3 ? 0 : sim_mix(h, 3) % 14);
        rc = rc == 0 ? observer_start(w, a, err) : rc;
    }
    size_t keep = sim_mix(h, 4) % 4 ? 0 : a->late_count < LATE_MAX / 2 ? LATE_MAX : 0;
    return rc < 0 ? rc : deliver(w, a, keep, err);
}

static int play(struct world *w, struct err *err)
{
    const struct args *args = w->args;
    int rc = 0;
    for (uint64_t round = 1; rc == 0 && round <= args->rounds; round++) {
        w->now_ns = args->begin_ns + (int64_t)round * args->interval_ns;
        for (size_t s = 0; rc == 0 && s < w->sim->server_count; s++)
            if (w->agents[s].down_until <= round)
                rc = round_of(w, &w->agents[s], round, err);
    }
    for (size_t s = 0; rc == 0 && s < w->sim->server_count; s++)
        rc = deliver(w, &w->agents[s], 0, err);
    return rc;
}

/* ---- start and end ---- */

static int open_world(struct world *w, struct site **ret_site, struct err *err)
{
    AUTO(config_free) struct config *config = NULL;
    struct records_opts opts = { 0 };
    const struct config_section sections[] = { records_config_section,
                                               site_config_section };
    int rc = sim_open(w->args->fs, &w->sim, err);
    if (rc == 0)
        rc = config_parse("rounds", (struct span){ 0 }, sections, COUNT_OF(sections),
                          &config, err);
    if (rc == 0)
        rc = config_fill(config, "records", NULL, &opts, err);
    if (rc == 0)
        rc = site_new(config, ret_site, err);
    if (rc < 0)
        return rc;
    opts.engine = w->args->connection ? "postgres" : "sqlite";
    opts.path = w->args->path;
    opts.connection = w->args->connection;
    rc = records_open(&opts, *ret_site, &w->records, err);
    w->agents = calloc(w->sim->server_count, sizeof *w->agents);
    if (rc < 0 || !w->agents)
        return rc < 0 ? rc : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < w->sim->server_count; i++) {
        struct agent *a = &w->agents[i];
        a->server = i;
        a->states = calloc(w->sim->target_count, sizeof *a->states);
        rc = a->states ? uuid_new(&a->id) : -ENOMEM;
        if (rc == 0)
            rc = observer_start(w, a, err);
    }
    return rc;
}

static void close_world(struct world *w)
{
    for (size_t i = 0; w->agents && i < w->sim->server_count; i++) {
        struct agent *a = &w->agents[i];
        observe_free(a->observe);
        strbuf_done(&a->list_state);
        for (size_t t = 0; a->states && t < w->sim->target_count; t++)
            strbuf_done(&a->states[t]);
        free(a->states);
        for (size_t b = 0; b < a->late_count; b++)
            strbuf_done(&a->late[b]);
    }
    free(w->agents);
    records_close(w->records);
    sim_free(w->sim);
}

static int run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    (void)operands;
    if (operand_count || !args->fs || (!args->path && !args->connection)) {
        fprintf(stderr,
                "baro-sim-rounds: --fs and --path or --connection are wanted\n");
        return EXIT_USAGE;
    }
    if (args->kind > BATCH_LOST)
        return EXIT_USAGE;
    args->rounds = args->rounds ? args->rounds : 180;
    args->interval_ns = args->interval_ns ? args->interval_ns : 120 * NS_PER_S;
    AUTO(site_free) struct site *site = NULL;
    struct world w = { .args = args };
    struct err err = { 0 };
    int rc = open_world(&w, &site, &err);
    if (rc == 0) {
        args->begin_ns = w.sim->conf.epoch_ns + 3600 * NS_PER_S;
        rc = play(&w, &err);
    }
    if (rc < 0)
        fprintf(stderr, "baro-sim-rounds: %s\n",
                err.text[0] ? err.text : strerror(-rc));
    else
        printf("rows %" PRIu64 " batches %" PRIu64 " twice %" PRIu64 " crashes %" PRIu64
               " lost %" PRIu64 " until @%" PRId64 "\n",
               w.rows, w.batches, w.twice, w.crashes, w.lost, w.now_ns / NS_PER_S + 60);
    close_world(&w);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
#define FIELD(name) offsetof(struct args, name)
    static const struct option options[] = {
        { "fs", 0, OPTION_TEXT, FIELD(fs), "DIR", "The played file system." },
        { "path", 0, OPTION_TEXT, FIELD(path), "FILE", "SQLite's file." },
        { "connection", 0, OPTION_TEXT, FIELD(connection), "TEXT", "Or PostgreSQL." },
        { "rounds", 0, OPTION_COUNT, FIELD(rounds), "N", "How many (180)." },
        { "interval", 0, OPTION_DURATION, FIELD(interval_ns), "TIME", "Between them." },
        { "seed", 0, OPTION_COUNT, FIELD(seed), "N", "Of the accidents." },
        { "faults", 0, OPTION_COUNT, FIELD(faults_percent), "PERCENT",
          "Rounds with an accident." },
        { "kind", 0, OPTION_COUNT, FIELD(kind), "N",
          "1 crash before the spool, 2 before the state is saved, 3 batch lost." },
    };
#undef FIELD
    static const struct command command = {
        .name = "baro-sim-rounds",
        .operands = "",
        .help = "Play rounds of observation into a database, in one process.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = run,
    };
    return options_main(&command, argc, argv);
}
