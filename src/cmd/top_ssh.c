/* SPDX-License-Identifier: Apache-2.0 */
/* top_ssh - baro top --ssh: who does most, with nothing installed on the servers and no
 * daemon.
 *
 *     hosts ──ssh_host──▶ rows ──▶ live (in memory) ──▶ query_top ──▶ screen
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/screen.h"
#include "base/timetext.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "daemon/config/config.h"

#include <stdio.h>
#include <unistd.h>

#define EVERY_NS (30 * NS_PER_S)
#define LIVE_BYTES_MAX ((size_t)512 << 20)

struct args {
    struct client_args client; /* first: the shared options lie in it */
    const char *hosts;
    const char *command;
    const char *config;
    struct option_list formats;
    int64_t every_ns, timeout_ns;
    uint64_t rounds;
};

struct top {
    const struct args *args;
    struct result_form form;
    struct ssh_group *group;
    struct config *config;
    struct site *site;
    struct live *live;
    struct hashmap sids; /* target, NUL, identifier -> sid */
    struct arena arena;  /* of one row */
    int64_t first_ms;    /* of the first round */
    struct err *err;
};

static void top_done(struct top *top)
{
    ssh_group_free(top->group);
    live_free(top->live);
    site_free(top->site);
    config_free(top->config);
    hashmap_done(&top->sids);
    arena_done(&top->arena);
}
DEFINE_AUTO_DONE(struct top, top_done);

/* ---- rows ---- */

static int sid_of(struct top *top, const struct entry *entry, int64_t *ret)
{
    char *key = arena_alloc(&top->arena, entry->target.size + 1 + entry->id.size);
    if (!key)
        return -ENOMEM;
    memcpy(key, entry->target.data, entry->target.size);
    memcpy(key + entry->target.size + 1, entry->id.data, entry->id.size);
    struct span bytes = { key, entry->target.size + 1 + entry->id.size };
    uintptr_t *sid = hashmap_put(&top->sids, bytes, NULL);
    if (!sid)
        return -ENOMEM;
    if (*sid == 0)
        *sid = top->sids.count;
    *ret = (int64_t)*sid;
    return 0;
}

static void make_row(const struct entry *entry, const struct observation *seen,
                     struct strbuf *more, struct jobrow *ret)
{
    *ret = (struct jobrow){
        .target = entry->target,
        .kind = entry->kind,
        .entry_id = entry->id,
        .id_exact = entry->flags & ENTRY_ID_QUOTED,
        .t_ms = seen->t_ms,
        .since_ms = seen->since_ms,
        .previous_ms = seen->previous_ms,
        .reset = seen->reset ? RESET_YES : RESET_NO,
        .snapshot_ns = seen->is_zero ? T_NONE : entry->snapshot_ns,
        .start_ns = entry->start_ns,
    };
    for (size_t i = 0; i < entry->op_count; i++)
        jobrow_add_op(ret, &entry->ops[i], more);
    if (!seen->is_zero)
        return;
    memset(ret->samples, 0, sizeof ret->samples);
    memset(ret->sum, 0, sizeof ret->sum);
}

static int on_row(void *arg, struct span server, const struct entry *entry,
                  const struct observation *seen)
{
    struct top *top = arg;
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    struct jobrow row;
    struct series series = { 0 };
    int64_t sid = 0;
    arena_reset(&top->arena);
    make_row(entry, seen, &more, &row);
    row.server = server;
    row.fs = site_fs(top->site, server, entry->target);
    int rc = site_describe(top->site, row.fs, row.target, row.kind, row.entry_id,
                           row.id_exact, &top->arena, &series);
    if (rc == 0)
        rc = sid_of(top, entry, &sid);
    if (rc < 0)
        return rc;
    series.sid = sid;
    live_taken(top->live, &series, &row);
    return 0;
}

/* ---- a round ---- */

static bool is_interrupted(void *arg)
{
    (void)arg;
    return !screen_wait(0); /* Ctrl-C */
}

static int read_round(struct top *top)
{
    int64_t t_ms = clock_now_ms();
    int rc = ssh_group_round(top->group, t_ms, top->err);
    if (rc == 0 && top->first_ms == 0)
        top->first_ms = t_ms;
    return rc;
}

/* ---- showing ---- */

static int fill_selection(const struct top *top, struct selection *sel)
{
    int rc = client_args_select(&top->args->client, sel, top->err);
    if (rc < 0)
        return rc;
    /* What was done before the first look is known for few: it would make rates of the
     * others too low. */
    int64_t last_ms = sel->last_ms ? sel->last_ms : 10 * 60 * MS_PER_S;
    int64_t latest_ms = live_latest_ms(top->live);
    if (sel->from_ms == T_NONE && latest_ms > top->first_ms &&
        latest_ms - top->first_ms < last_ms) {
        sel->from_ms = top->first_ms;
        sel->to_ms = latest_ms;
        sel->last_ms = 0;
    }
    return 0;
}

static void add_problems(const struct top *top, struct table *table)
{
    size_t targets = 0, answered = 0, count = ssh_group_count(top->group);
    for (size_t i = 0; i < count; i++) {
        const struct ssh_host *host = ssh_group_at(top->group, i);
        const char *problem = ssh_host_problem(host);
        targets += ssh_host_target_count(host);
        answered += !*problem;
        if (*problem)
            table_add_note(table, "%s", problem);
    }
    table_add_note(table, "%zu targets of %zu servers, of which %zu answered", targets,
                   count, answered);
}

static int show(struct top *top, struct screen *screen)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    const struct query_ctx ctx = { .live = top->live };
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    int rc = fill_selection(top, &sel);
    if (rc == 0)
        rc = query_top(&ctx, &sel, &table, top->err);
    if (rc < 0)
        return rc;
    add_problems(top, &table);
    screen_measure(screen);
    if (screen->is_terminal) {
        char now[TIMETEXT_SIZE];
        size_t size = timetext_print(now, clock_now_ms() / MS_PER_S * NS_PER_S);
        strbuf_addf(&out, "%.*s  Ctrl-C ends\n\n", (int)size, now);
        top->form.print.width = screen->width;
    }
    result_print(&table, &top->form, &out, &notes);
    if (strbuf_error(&out))
        return -ENOMEM;
    rc = screen_draw(screen, &out);
    if (!screen->is_terminal)
        (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return rc;
}

static int watch(struct top *top, struct screen *screen)
{
    for (uint64_t round = 1;; round++) {
        int64_t began_ns = clock_monotonic_ns();
        int rc = read_round(top);
        if (rc == 0 &&
            (screen->is_terminal || !top->args->rounds || round == top->args->rounds))
            rc = show(top, screen);
        if (rc < 0 || round == top->args->rounds)
            return rc;
        /* A terminal that changes its size is drawn anew at once. */
        for (;;) {
            int64_t left_ns = began_ns + top->args->every_ns - clock_monotonic_ns();
            if (!screen_wait(left_ns > 0 ? left_ns / NS_PER_MS : 0))
                return 0;
            if (clock_monotonic_ns() - began_ns + NS_PER_MS >= top->args->every_ns)
                break;
            rc = show(top, screen);
            if (rc < 0)
                return rc;
        }
    }
}

/* ---- the command ---- */

/* In what formats clients write identifiers: as barod's configuration has it, or said
 * here. */
static int open_site(struct top *top)
{
    const struct args *args = top->args;
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    int rc = 0;
    if (args->config)
        rc = config_load(args->config, sections, count, &top->config, top->err);
    if (rc == 0)
        rc = site_new(top->config, &top->site, top->err);
    if (rc == 0 && args->formats.count) {
        rc = site_set_formats(top->site, args->formats.items, args->formats.count,
                              top->err);
        if (rc < 0)
            return err_prefix(top->err, rc, "--format");
    }
    return rc;
}

static int open_top(struct top *top)
{
    const struct live_opts live = { .bytes_max = LIVE_BYTES_MAX, .is_alone = true };
    int rc = output_form(&top->form, top->args->client.output, top->args->client.raw,
                         top->err);
    if (rc == 0)
        rc = open_site(top);
    if (rc == 0)
        rc = live_new(&live, &top->live);
    const struct ssh_group_opts group = {
        .hosts = top->args->hosts,
        .command = top->args->command,
        .interval_ms = top->args->every_ns / NS_PER_MS,
        .timeout_ns = top->args->timeout_ns,
        .fn = on_row,
        .is_ended_fn = is_interrupted,
        .arg = top,
    };
    if (rc == 0)
        rc = ssh_group_new(&group, &top->group, top->err);
    return rc;
}

static int run_top(const struct args *args, struct err *err)
{
    AUTO(top_done) struct top top = { .args = args, .err = err };
    arena_init(&top.arena, 1 << 20);
    int rc = open_top(&top);
    if (rc < 0)
        return rc;
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    screen_start(&screen);
    rc = watch(&top, &screen);
    screen_stop(&screen);
    return rc;
}

static int run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    struct err err = { 0 };
    (void)operands;
    int status = EXIT_OK;
    args->every_ns = args->every_ns ? args->every_ns : EVERY_NS;
    args->timeout_ns = args->timeout_ns ? args->timeout_ns : 60 * NS_PER_S;
    if (operand_count || !args->hosts) {
        fprintf(stderr, "baro top: --ssh HOSTS is wanted; with a daemon: baro jobstats "
                        "top\n");
        status = EXIT_USAGE;
    } else {
        int rc = run_top(args, &err);
        if (rc < 0) {
            fprintf(stderr, "baro top: %s\n", err.text[0] ? err.text : strerror(-rc));
            status = err_exit_status(rc);
        }
    }
    return status;
}

static const struct option options[] = {
    { "ssh", 0, OPTION_TEXT, offsetof(struct args, hosts), "HOSTS",
      "The Lustre servers to read: oss[01-08],mds1." },
    { "every", 0, OPTION_DURATION, offsetof(struct args, every_ns), "DURATION",
      "How often they are read; default 30s." },
    { "timeout", 0, OPTION_DURATION, offsetof(struct args, timeout_ns), "DURATION",
      "How long one reading may take; default 60s." },
    { "rounds", 0, OPTION_COUNT, offsetof(struct args, rounds), "COUNT",
      "End after so many readings, and show the last only; default: never." },
    { "command", 0, OPTION_TEXT, offsetof(struct args, command), "COMMAND",
      "Run this instead of ssh; it is given the host and baro-ssh-read." },
    { "format", 0, OPTION_LIST, offsetof(struct args, formats), "FORMAT",
      "A format of job identifiers (jobid_name); may be repeated, tried in order." },
    { "config", 'c', OPTION_TEXT, offsetof(struct args, config), "FILE",
      "Take file systems and their formats from this barod.conf." },
    CLIENT_SUM_OPTIONS,
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",
      "Length of the window; default 10m, or since the first reading." },
    CLIENT_FILTER_OPTIONS,
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "FORM",
      "table (default), json or csv." },
    { "raw", 0, OPTION_FLAG, CLIENT_FIELD(raw), NULL,
      "Numbers in full in tables, not 1.2 GiB/s." },
};

const struct command cmd_top = {
    .name = "top",
    .operands = "",
    .help = "Who does most, read through ssh: nothing installed, no daemon.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .details = "Every server needs baro-ssh-read on its PATH, best as the forced "
               "command of a\n"
               "key of its own; see baro-top(1).\n",
};
