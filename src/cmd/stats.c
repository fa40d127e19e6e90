/* SPDX-License-Identifier: Apache-2.0 */
/* stats - baro stats: the daemon's own counters, for people. */
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>

static int stats_run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(table_done) struct table table;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count) {
        fprintf(stderr, "baro stats: unexpected operand '%s'\n", operands[0]);
        return EXIT_USAGE;
    }
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = server_counters_fetch(&args->endpoint, &table, &err);
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    return rc < 0 ? request_failed("stats", rc, &err) : EXIT_OK;
}

static const struct option stats_options[] = {
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_stats = {
    .name = "stats",
    .operands = "",
    .help =
        "The daemon's own counters: what it accepted, refused, stores and waits for.",
    .options = stats_options,
    .option_count = COUNT_OF(stats_options),
    .args_size = sizeof(struct client_args),
    .run = stats_run,
};
