/* SPDX-License-Identifier: Apache-2.0 */
/* watch - baro resource watch: changes of health as they come. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <inttypes.h>
#include <unistd.h>

#define WATCH_PAUSE_S_MAX 30

struct resource_watch_args {
    struct client_args client;
    const char *after;
    bool once;
};

static int watch_print(const struct table *table, bool has_any,
                       struct result_form *form, struct err *err)
{
    if (!has_any) {
        for (size_t i = 0; i < table->note_count; i++)
            fprintf(stderr, "baro resource watch: %s\n", table->notes[i]);
        return 0;
    }
    int rc = output_table(table, form, err);
    (void)fflush(stdout);
    form->print.no_header = true;
    return rc;
}

/* barod starts again, has as many that wait as can, or hangs; a proxy before it has
 * none (5xx).  What it refuses ends it. */
static bool is_passing(int rc)
{
    return rc == -ENOTCONN || rc == -EAGAIN || rc == -ETIMEDOUT || rc == -EIO;
}

struct watch_away {
    unsigned pause_s; /* 0: it is there */
    int64_t since_ns; /* steady */
};

static void watch_away(struct watch_away *away, const struct err *err)
{
    if (away->pause_s == 0) {
        fprintf(stderr, "baro resource watch: %s; trying again\n", err->text);
        away->since_ns = clock_steady_ns();
    }
    away->pause_s = away->pause_s == 0                      ? 1
                    : 2 * away->pause_s < WATCH_PAUSE_S_MAX ? 2 * away->pause_s
                                                            : WATCH_PAUSE_S_MAX;
    (void)sleep(away->pause_s);
}

/* What was missed between, if anything was, barod has a note of. */
static void watch_back(struct watch_away *away)
{
    if (away->pause_s > 0)
        fprintf(stderr,
                "baro resource watch: barod responds again, after %" PRId64
                " s; a note follows where changes are lost\n",
                (clock_steady_ns() - away->since_ns) / NS_PER_S);
    away->pause_s = 0;
}

static int resource_watch(const struct resource_watch_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf after = STRBUF_INIT;
    struct result_form form;
    struct watch_away away = { 0 };
    bool has_any = false;
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    if (args->after)
        strbuf_adds(&after, args->after);
    for (bool waits = false; rc == 0; waits = true) {
        AUTO(table_done) struct table table;
        table_init(&table);
        rc = resource_changes_fetch(&args->client.endpoint, &after, waits, &table,
                                    &has_any, err);
        if (waits && is_passing(rc)) {
            watch_away(&away, err);
            rc = 0;
            continue;
        }
        if (rc == 0)
            watch_back(&away);
        if (rc == 0)
            rc = watch_print(&table, has_any, &form, err);
        if (args->once)
            break;
    }
    return rc;
}

static int resource_watch_run(void *arg, int operand_count, char **operands)
{
    const struct resource_watch_args *args = arg;
    struct err err = { 0 };
    (void)operands;
    if (operand_count > 0) {
        fprintf(stderr, "baro resource watch: it has no operands; see --help\n");
        return EXIT_USAGE;
    }
    int rc = resource_watch(args, &err);
    return rc < 0 ? request_failed("resource watch", rc, &err) : EXIT_OK;
}

static const struct option resource_watch_options[] = {
    { "after", 'a', OPTION_TEXT, offsetof(struct resource_watch_args, after), "ID",
      "Only changes after this one; default: the last ones, then those to come." },
    { "once", 0, OPTION_FLAG, offsetof(struct resource_watch_args, once), NULL,
      "Those that there are now, and no more." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_watch = {
    .name = "resource watch",
    .operands = "",
    .help = "Changes of the health of components as they come.",
    .options = resource_watch_options,
    .option_count = COUNT_OF(resource_watch_options),
    .args_size = sizeof(struct resource_watch_args),
    .run = resource_watch_run,
    .prints_times = true,
};
