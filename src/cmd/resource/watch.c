/* SPDX-License-Identifier: Apache-2.0 */
/* watch - baro resource watch: changes of health as they come. */
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

struct resource_watch_args {
    struct client_args client;
    const char *after;
    bool once;
};

static void watch_note(const char *text)
{
    fprintf(stderr, "baro resource watch: %s\n", text);
}

static int watch_print(const struct table *table, bool has_any,
                       struct result_form *form, struct err *err)
{
    if (!has_any) {
        for (size_t i = 0; i < table->note_count; i++)
            watch_note(table->notes[i]);
        return 0;
    }
    int rc = output_table(table, form, err);
    (void)fflush(stdout);
    form->print.no_header = true;
    return rc;
}

static int resource_watch(const struct resource_watch_args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf after = STRBUF_INIT;
    struct resource_follow follow = { .endpoint = &args->client.endpoint,
                                      .after = &after,
                                      .note_fn = watch_note };
    struct result_form form;
    bool has_any = false;
    int rc = output_form(&form, args->client.output, args->client.raw, err);
    if (args->after)
        strbuf_adds(&after, args->after);
    for (bool goes_on = true; rc == 0 && goes_on; goes_on = !args->once) {
        AUTO(table_done) struct table table;
        rc = resource_changes_follow(&follow, &table, &has_any, err);
        if (rc == 0)
            rc = watch_print(&table, has_any, &form, err);
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
