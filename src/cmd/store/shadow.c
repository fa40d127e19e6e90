/* SPDX-License-Identifier: Apache-2.0 */
/* store_shadow - baro store shadow: the same queries to barod and a cc-metric-store,
 * for the week before switching. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/migrate_peer.h"
#include "cmd/output.h"

#include <inttypes.h>
#include <stdio.h>

#define COMMAND "store shadow"

struct args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *peer_token_file, *tolerance, *metric, *component;
};

/* Errors: -EINVAL. */
static int read_opts(const struct args *args, struct shadow_opts *opts, struct err *err)
{
    const struct time_window_text window = { args->client.from, args->client.to,
                                             args->client.last };
    int64_t now_ns = clock_now_ns();
    opts->metric = args->metric;
    opts->component = args->component;
    opts->window = time_window_settled(now_ns);
    opts->tolerance = shadow_tolerance_default();
    if (args->tolerance &&
        (number_parse_double(span_of(args->tolerance), &opts->tolerance.relative) < 0 ||
         opts->tolerance.relative < 0))
        return err_set(err, EINVAL, "--tolerance: '%s' is not a part of a value",
                       args->tolerance);
    return time_window_parse(&window, now_ns, &opts->window, err);
}

static int compare(const struct args *args, const char *url, struct shadow_opts *opts,
                   struct shadow_counts *counts, struct err *err)
{
    const struct client_endpoint theirs = {
        .server = url,
        .token_file = args->peer_token_file ? args->peer_token_file : "",
    };
    AUTO(client_http_close) struct client_http *barod = NULL;
    AUTO(client_http_close) struct client_http *other = NULL;
    int rc = client_http_open(&args->client.endpoint, &barod, err);
    if (rc == 0)
        rc = client_http_open(&theirs, &other, err);
    if (rc < 0)
        return rc;
    const struct http_peer barod_peer = migrate_peer(barod);
    const struct http_peer other_peer = migrate_peer(other);
    return shadow_run(&barod_peer, &other_peer, opts, counts, err);
}

static int print_result(const struct table *table, const struct result_form *form,
                        const struct shadow_counts *counts, struct err *err)
{
    int rc = table->row_count > 0 || form->form == TABLE_FORM_JSON
                 ? output_table(table, form, err)
                 : 0;
    if (rc < 0)
        return rc;
    fprintf(stderr,
            "%" PRIu64 " series, %" PRIu64 " points in both: %" PRIu64
            " series are the same, %zu differ",
            counts->queried, counts->points, counts->equal, table->row_count);
    if (counts->shifted > 0)
        fprintf(stderr,
                "; %" PRIu64 " have other times there, by less than half a step",
                counts->shifted);
    if (counts->without_step > 0)
        fprintf(stderr,
                "; %" PRIu64
                " are not compared: too few or too irregular samples for a "
                "step, which all series of a cc-metric-store have",
                counts->without_step);
    fprintf(stderr, "\n");
    return 0;
}

static int store_shadow_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(table_done) struct table table;
    struct shadow_opts opts = { .found = shadow_table_add, .found_arg = &table };
    struct shadow_counts counts = { 0 };
    struct result_form form;
    struct err err = { 0 };
    shadow_table_begin(&table);
    int rc = operand_count == 1
                 ? 0
                 : err_set(&err, EINVAL, "the URL of the other store? see --help");
    if (rc < 0) {
        (void)migrate_failed(COMMAND, rc, &err);
        return EXIT_USAGE;
    }
    rc = output_form(&form, args->client.output, args->client.raw, &err);
    if (rc == 0)
        rc = read_opts(args, &opts, &err);
    if (rc == 0)
        rc = compare(args, operands[0], &opts, &counts, &err);
    if (rc == 0)
        rc = print_result(&table, &form, &counts, &err);
    if (rc < 0)
        return migrate_failed(COMMAND, rc, &err);
    return table.row_count > 0 ? EXIT_FAILED : EXIT_OK;
}

#define FIELD(field) offsetof(struct args, field)

static const struct option options[] = {
    { "metric", 'm', OPTION_TEXT, FIELD(metric), "PATTERNS",
      "Only metrics that match one of these: 'cpu_*,flops'; default: all but baro_*." },
    { "component", 'c', OPTION_TEXT, FIELD(component), "PATTERN",
      "Only components that match, level by level: 'alex/a09*'." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "The beginning of the window: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME",
      "Its end; default: two minutes ago, so that both have all samples." },
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",
      "Its length up to its end, instead of a beginning; default: 1h." },
    { "tolerance", 0, OPTION_TEXT, FIELD(tolerance), "PART",
      "Values this part of them apart are the same; default: 1e-6." },
    { "peer-token-file", 0, OPTION_TEXT, FIELD(peer_token_file), "FILE",
      "The access token file of the other store; default: none." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_store_shadow = {
    .name = COMMAND,
    .operands = "URL",
    .help =
        "Send the same queries to barod and a cc-metric-store, and list differences.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = store_shadow_run,
    .details =
        "For the week before switching: every series that barod lists.  The exit "
        "status is 1\nwhen something differs.\n",
};
