/* SPDX-License-Identifier: Apache-2.0 */
/* top_ssh - baro top --ssh: who does most, with nothing installed on the servers and no
 * daemon.
 *
 *     hosts ──ssh_group──▶ rows ──▶ observed (in memory) ──▶ screen
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/terminal/screen.h"
#include "base/timetext.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "daemon/config/config.h"

#include <stdio.h>
#include <unistd.h>

#define EVERY_NS (30 * NS_PER_S)

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
    struct observed *observed;
    struct err *err;
};

static void top_done(struct top *top)
{
    ssh_group_free(top->group);
    observed_free(top->observed);
    site_free(top->site);
    config_free(top->config);
}
DEFINE_AUTO_DONE(struct top, top_done);

static bool top_is_interrupted(void *arg)
{
    (void)arg;
    return !screen_wait(0); /* Ctrl-C */
}

static int top_add_row(void *arg, struct span server, const struct entry *entry,
                       const struct observation *seen)
{
    const struct top *top = arg;
    return observed_add(top->observed, server, entry, seen);
}

/* ---- showing ---- */

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

static int top_show(struct top *top, struct screen *screen)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    int rc = client_args_select(&top->args->client, &sel, top->err);
    if (rc == 0)
        rc = observed_top(top->observed, &sel, &table, top->err);
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

static int top_watch(struct top *top, struct screen *screen)
{
    for (uint64_t round = 1;; round++) {
        int64_t began_ns = clock_monotonic_ns();
        int64_t t_ms = clock_now_ms();
        int rc = ssh_group_round(top->group, t_ms, top->err);
        observed_round(top->observed, t_ms);
        if (rc == 0 &&
            (screen->is_terminal || !top->args->rounds || round == top->args->rounds))
            rc = top_show(top, screen);
        if (rc < 0 || round == top->args->rounds)
            return rc;
        /* A terminal that changes its size is drawn anew at once. */
        for (;;) {
            int64_t left_ns = began_ns + top->args->every_ns - clock_monotonic_ns();
            if (!screen_wait(left_ns > 0 ? left_ns / NS_PER_MS : 0))
                return 0;
            if (clock_monotonic_ns() - began_ns + NS_PER_MS >= top->args->every_ns)
                break;
            rc = top_show(top, screen);
            if (rc < 0)
                return rc;
        }
    }
}

/* ---- the command ---- */

/* In what formats clients write identifiers: as barod's configuration has it, or the
 * options. */
static int top_open_site(struct top *top)
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

static int top_open(struct top *top)
{
    int rc = output_form(&top->form, top->args->client.output, top->args->client.raw,
                         top->err);
    if (rc == 0)
        rc = top_open_site(top);
    if (rc == 0)
        rc = observed_new(top->site, &top->observed);
    const struct ssh_group_opts group = {
        .hosts = top->args->hosts,
        .command = top->args->command,
        .interval_ms = top->args->every_ns / NS_PER_MS,
        .timeout_ns = top->args->timeout_ns,
        .fn = top_add_row,
        .is_ended_fn = top_is_interrupted,
        .arg = top,
    };
    if (rc == 0)
        rc = ssh_group_new(&group, &top->group, top->err);
    return rc;
}

static int top_open_and_watch(const struct args *args, struct err *err)
{
    AUTO(top_done) struct top top = { .args = args, .err = err };
    int rc = top_open(&top);
    if (rc < 0)
        return rc;
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    screen_start(&screen);
    rc = top_watch(&top, &screen);
    screen_stop(&screen);
    return rc;
}

static int top_run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    struct err err = { 0 };
    (void)operands;
    int status = EXIT_OK;
    args->every_ns = args->every_ns ? args->every_ns : EVERY_NS;
    args->timeout_ns = args->timeout_ns ? args->timeout_ns : 60 * NS_PER_S;
    if (operand_count || !args->hosts) {
        fprintf(stderr,
                "baro top: --ssh HOSTS is required; with a daemon: baro jobstats "
                "top\n");
        status = EXIT_USAGE;
    } else {
        int rc = top_open_and_watch(args, &err);
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
      "Read file systems and their formats from this barod.conf." },
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
    .help = "Show who does most, read through ssh: nothing installed, no daemon.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = top_run,
    .details = "Every server needs baro-ssh-read on its PATH, best as the forced "
               "command of a\n"
               "key of its own; see baro-top(1).\n",
};
