/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_top - baro jobstats top: who does most, right now. */
#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/terminal/screen.h"
#include "base/user_time.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>
#include <unistd.h>

struct args {
    struct client_args client; /* first: the shared options lie in it */
    bool follow;
    int64_t interval_ns;
};

static int top_fetch(const struct args *args, struct client *client,
                     const struct result_form *form, struct strbuf *out,
                     struct strbuf *notes, struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(selection_done) struct selection sel;
    table_init(&table);
    selection_init(&sel, clock_now_ms());
    int rc = client_args_select(&args->client, &sel, err);
    if (rc == 0)
        rc = client_table(client, CLIENT_TOP, &sel, &table, err);
    if (rc < 0)
        return rc;
    result_print(&table, form, out, notes);
    return strbuf_error(out);
}

static void add_heading(const struct args *args, const struct screen *screen,
                        struct strbuf *out)
{
    char now[USER_TIME_SIZE], every[FIGURE_SIZE];
    user_time_print(now, screen->is_terminal, clock_now_ms() / MS_PER_S * NS_PER_S);
    figure_print_duration(every, sizeof every, args->interval_ns);
    strbuf_addf(out, "%s  every %s, Ctrl-C ends\n\n", now, every);
}

/* One picture.  What goes wrong later than at the start is shown, and tried again: a
 * daemon that is restarted ends nobody's watching. */
static int top_draw(const struct args *args, struct client *client,
                    struct result_form *form, struct screen *screen, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    screen_measure(screen);
    form->print.width = screen->width;
    if (form->form == TABLE_FORM_TABLE)
        add_heading(args, screen, &out);
    int rc = top_fetch(args, client, form, &out, &notes, err);
    if (rc < 0 && rc != -EINVAL)
        strbuf_addf(&out, "# %s\n", err->text[0] ? err->text : strerror(-rc));
    else if (rc < 0)
        return rc;
    return screen_draw(screen, &out);
}

static int top_follow(const struct args *args, struct client *client,
                      struct result_form *form, struct err *err)
{
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    int rc = top_fetch(args, client, form, &first, &notes, err);
    if (rc < 0)
        return rc; /* said plainly, before the terminal is taken over */
    struct screen screen;
    screen_init(&screen, stdout, STDOUT_FILENO);
    screen_start(&screen);
    do
        rc = top_draw(args, client, form, &screen, err);
    while (rc == 0 && screen_wait(args->interval_ns / NS_PER_MS));
    screen_stop(&screen);
    return rc;
}

static int top_follow_start(const struct args *args, struct err *err)
{
    AUTO(client_close) struct client *client = NULL;
    struct result_form form;
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    if (rc == 0)
        rc = client_open(&args->client.endpoint, &client, err);
    return rc < 0 ? rc : top_follow(args, client, &form, err);
}

static int jobstats_top_run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    struct err err = { 0 };
    (void)operands;
    int status = EXIT_OK;
    if (args->interval_ns == 0)
        args->interval_ns = 5 * NS_PER_S;
    if (operand_count) {
        fprintf(stderr,
                "baro jobstats top: no operands are accepted; to filter: --job ID\n");
        status = EXIT_USAGE;
    } else if (!args->follow) {
        status = request_run(&args->client, CLIENT_TOP, "jobstats top");
    } else {
        int rc = top_follow_start(args, &err);
        if (rc < 0) {
            status = request_failed("jobstats top", rc, &err);
        }
    }
    return status;
}

static const struct option options[] = {
    CLIENT_SUM_OPTIONS,
    CLIENT_WINDOW_OPTIONS,
    { "follow", 'f', OPTION_FLAG, offsetof(struct args, follow), NULL,
      "Draw the table again and again, until Ctrl-C." },
    { "interval", 0, OPTION_DURATION, offsetof(struct args, interval_ns), "DURATION",
      "How often, with --follow; default 5s." },
    CLIENT_FILTER_OPTIONS,
    CLIENT_ENDPOINT_OPTIONS,
};

const struct command cmd_jobstats_top = {
    .name = "jobstats top",
    .operands = "",
    .help = "Who does most, right now, and since when.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_top_run,
    .details =
        "share is the greatest of the group's shares of the operations shown, of "
        "all that\nthe filter lets through.  since is when its activity began, by "
        "UTC, over gaps of up\nto five minutes; \"before\": earlier than that.  "
        "jobs, targets and nodes are how many.\nA login entry is a job of its own, "
        "EXECUTABLE.USER.\n\nWho is writing to OST0001 right now, and since when?\n"
        "    baro jobstats top --target '*-OST0001' --op write_bytes\n",
};
