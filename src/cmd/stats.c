/* SPDX-License-Identifier: Apache-2.0 */
/* stats - baro stats: the daemon's own counters, for people. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_NAME, COLUMN_VALUE, COLUMN_HELP };

/* Prometheus' text: "# HELP name words", "# TYPE ...", then "name value" lines. */
static void read_metrics(struct span text, struct table *table)
{
    struct span help = { 0 };
    while (text.size) {
        struct span line, name;
        (void)span_cut(&text, '\n', &line);
        if (span_starts(line, "# HELP ")) {
            help = span_skip(line, strlen("# HELP "));
            (void)span_cut(&help, ' ', &name);
            continue;
        }
        double value;
        if (span_starts(line, "#") || !span_cut(&line, ' ', &name) ||
            number_parse_double(line, &value) < 0)
            continue;
        table_add_row(table);
        table_set_text(table, COLUMN_NAME, name);
        table_set_double(table, COLUMN_VALUE, value);
        table_set_text(table, COLUMN_HELP, help);
    }
}

static int fetch_stats(const struct client_args *args, struct table *table,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = client_http_fetch(&args->endpoint, "/metrics", &body, err);
    if (rc < 0)
        return rc;
    table_add_column(table, "metric", TABLE_TEXT, "");
    table_add_column(table, "value", TABLE_DOUBLE, "count");
    table_add_column(table, "meaning", TABLE_TEXT, "");
    read_metrics(strbuf_span(&body), table);
    return table_error(table);
}

static int stats_run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    struct err err = { 0 };
    table_init(&table);
    if (operand_count) {
        fprintf(stderr, "baro stats: unexpected operand '%s'\n", operands[0]);
        return EXIT_USAGE;
    }
    int rc = output_form(&form, args->output, args->raw, &err);
    if (rc == 0)
        rc = fetch_stats(args, &table, &err);
    if (rc < 0) {
        return request_failed("stats", rc, &err);
    }
    result_print(&table, &form, &out, &notes);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
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
