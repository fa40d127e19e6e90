/* SPDX-License-Identifier: Apache-2.0 */
/* top_ssh - baro top --ssh: who does most, with nothing installed on the servers and no
 * daemon.
 *
 *     hosts ──ssh_group──▶ rows ──▶ observed (in memory) ──watch──▶ screen
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/terminal/screen.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "daemon/config/config.h"

#include <stdio.h>
#include <unistd.h>

#define INTERVAL_NS (30 * NS_PER_S)
#define TIMEOUT_NS (60 * NS_PER_S)

struct args {
    struct client_args client; /* first: the shared options lie in it */
    const char *hosts;
    const char *command;
    const char *config;
    struct option_list formats;
    int64_t interval_ns, timeout_ns;
    uint64_t rounds;
};

struct top {
    const struct args *args;
    struct result_form form;
    struct ssh_group *group;
    struct config_site site;
    struct observed *observed;
    struct screen screen;
};

static void top_done(struct top *top)
{
    ssh_group_free(top->group);
    observed_free(top->observed);
    config_site_done(&top->site);
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

static int top_read(void *arg, int64_t t_ms, struct err *err)
{
    const struct top *top = arg;
    return ssh_group_round(top->group, t_ms, err);
}

static int top_show(void *arg, struct table *table, struct err *err)
{
    struct top *top = arg;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    ssh_group_add_notes(top->group, table);
    const struct result_heading heading = { .now_ms = clock_now_ms() };
    int rc = result_screen_draw(&top->screen, table, &top->form, &heading, &notes, err);
    if (!top->screen.is_terminal)
        (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return rc;
}

static bool top_wait(void *arg, int64_t wait_ms)
{
    (void)arg;
    return screen_wait(wait_ms);
}

/* Clients write identifiers in the formats that barod's configuration names, or those
 * of the options. */
static int top_open_site(struct top *top, struct err *err)
{
    const struct option_list *formats = &top->args->formats;
    int rc = config_site_load(top->args->config, &top->site, err);
    if (rc < 0 || !formats->count)
        return rc;
    rc = site_set_formats(top->site.site, formats->items, formats->count, err);
    return rc < 0 ? err_prefix(err, rc, "--format") : 0;
}

static int top_open(struct top *top, struct err *err)
{
    const struct args *args = top->args;
    const struct ssh_group_opts group = {
        .hosts = args->hosts,
        .command = args->command,
        .interval_ms = args->interval_ns / NS_PER_MS,
        .timeout_ns = args->timeout_ns,
        .fn = top_add_row,
        .is_ended_fn = top_is_interrupted,
        .arg = top,
    };
    int rc = output_form(&top->form, args->client.output, args->client.raw, err);
    if (rc == 0)
        rc = top_open_site(top, err);
    if (rc == 0)
        rc = observed_new(top->site.site, &top->observed);
    return rc == 0 ? ssh_group_new(&group, &top->group, err) : rc;
}

static int top_open_and_watch(const struct args *args, struct err *err)
{
    AUTO(top_done) struct top top = { .args = args };
    int rc = top_open(&top, err);
    if (rc < 0)
        return rc;
    screen_init(&top.screen, stdout, STDOUT_FILENO);
    const struct watch_opts watch = {
        .args = &args->client,
        .observed = top.observed,
        .interval_ns = args->interval_ns,
        .rounds = args->rounds,
        .shows_each_round = top.screen.is_terminal,
        .read_fn = top_read,
        .show_fn = top_show,
        .wait_fn = top_wait,
        .arg = &top,
    };
    screen_start(&top.screen);
    rc = watch_run(&watch, err);
    screen_stop(&top.screen);
    return rc;
}

static int top_run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    struct err err = { 0 };
    (void)operands;
    args->interval_ns = args->interval_ns ? args->interval_ns : INTERVAL_NS;
    args->timeout_ns = args->timeout_ns ? args->timeout_ns : TIMEOUT_NS;
    if (operand_count || !args->hosts) {
        fprintf(stderr,
                "baro top: --ssh HOSTS is required; with a daemon: baro jobstats "
                "top\n");
        return EXIT_USAGE;
    }
    int rc = top_open_and_watch(args, &err);
    if (rc < 0)
        fprintf(stderr, "baro top: %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? err_exit_status(rc) : EXIT_OK;
}

static const struct option options[] = {
    { "ssh", 0, OPTION_TEXT, offsetof(struct args, hosts), "HOSTS",
      "The Lustre servers to read: oss[01-08],mds1." },
    { "interval", 0, OPTION_DURATION, offsetof(struct args, interval_ns), "DURATION",
      "How often they are read; default 30s." },
    { "timeout", 0, OPTION_DURATION, offsetof(struct args, timeout_ns), "DURATION",
      "Time limit of one reading; default 60s." },
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
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "table|json|csv",
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
    .prints_times = true,
};
