/* SPDX-License-Identifier: Apache-2.0 */
/* watch - baro resource watch: changes of health as they come. */
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <unistd.h>

#define WATCH_PAUSE_S 1

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

/* barod starts again, or has as many that wait as can. */
static bool is_passing(int rc)
{
    return rc == -ENOTCONN || rc == -EAGAIN;
}

static int resource_watch(const struct resource_watch_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf after = STRBUF_INIT;
    struct result_form form;
    bool is_away = false, has_any = false;
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    if (args->after)
        strbuf_adds(&after, args->after);
    for (bool waits = false; rc == 0; waits = true) {
        AUTO(table_done) struct table table;
        table_init(&table);
        rc = resource_changes_fetch(&args->client.endpoint, &after, waits, &table,
                                    &has_any, err);
        if (waits && is_passing(rc)) {
            if (!is_away)
                fprintf(stderr, "baro resource watch: %s; trying again\n", err->text);
            is_away = true;
            (void)sleep(WATCH_PAUSE_S);
            rc = 0;
            continue;
        }
        is_away = false;
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
