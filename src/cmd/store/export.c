/* SPDX-License-Identifier: Apache-2.0 */
/* store_export - baro store export: samples out of a directory, or through barod. */
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/migrate_peer.h"
#include "cmd/progress_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "store export"

static char command_name[] = COMMAND; /* what migrate_warn() is given */

struct args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *format, *metric, *component, *times, *out;
};

static void warn_count(uint64_t count, const char *text)
{
    if (count > 0)
        fprintf(stderr, "baro " COMMAND ": %" PRIu64 " %s\n", count, text);
}

static void export_progress_print(void *arg, size_t done, size_t count)
{
    progress_line_print(arg, done, count);
}

static int export_texts(struct metric_store *store, const struct export_plan *plan,
                        struct sample_text *text, struct err *err)
{
    /* Between samples that scroll by the line would be lost, and cut them. */
    struct progress_line line = { .is_off = isatty(STDOUT_FILENO) };
    struct export_selection selection = plan->selection;
    uint64_t damaged;
    selection.progress = export_progress_print;
    selection.progress_arg = &line;
    progress_line_begin(&line, "series");
    int rc = directory_export(store, &selection, text, &damaged, err);
    progress_line_end(&line);
    warn_count(damaged, "damaged blocks are left out; see baro store verify");
    return rc;
}

static int export_checkpoints(struct metric_store *store,
                              const struct export_plan *plan, const char *out,
                              struct err *err)
{
    struct checkpoint_export_counts c;
    int rc = checkpoint_export(store, &plan->selection, out, &c, err);
    if (rc < 0)
        return rc;
    fprintf(stderr,
            "baro " COMMAND ": %" PRIu64 " samples of %" PRIu64 " series in %" PRIu64
            " files\n",
            c.samples, c.series, c.files);
    warn_count(c.skipped_series,
               "series are left out: they have no step of whole seconds, or are of no "
               "host that a directory can be named after");
    warn_count(c.overwritten, "samples gave their slot to a later one");
    return 0;
}

static int export(const struct args *args, const struct export_plan *plan,
                  struct sample_text *text, struct err *err)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    AUTO(client_http_close) struct client_http *http = NULL;
    if (!plan->is_cc)
        sample_text_begin(text);
    if (plan->dir) {
        int rc =
            directory_export_open(plan->dir, migrate_warn, command_name, &store, err);
        if (rc < 0)
            return rc;
        return plan->is_cc ? export_checkpoints(store, plan, args->out, err)
                           : export_texts(store, plan, text, err);
    }
    int rc = client_http_open(&args->client.endpoint, &http, err);
    if (rc < 0)
        return rc;
    const struct http_peer peer = migrate_peer(http);
    return server_export(&peer, &plan->selection, clock_now_ns(), text, err);
}

static int store_export_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(sample_text_done) struct sample_text text = { .write = migrate_write_stdout };
    struct export_plan plan = { 0 };
    struct err err = { 0 };
    const struct export_text options_text = {
        .format = args->format,
        .metric = args->metric,
        .component = args->component,
        .times = args->times,
        .out = args->out,
        .window = { args->client.from, args->client.to, NULL },
        .is_server = args->client.endpoint.server != NULL,
    };
    int rc =
        export_plan_make(&options_text, operands, operand_count, &plan, &text, &err);
    if (rc < 0) {
        (void)migrate_failed(COMMAND, rc, &err);
        return EXIT_USAGE;
    }
    rc = export(args, &plan, &text, &err);
    warn_count(text.skipped_series,
               "series are left out: line protocol cannot express their names, or they "
               "are of no host; csv has all");
    warn_count(text.skipped_values,
               "infinite values are left out: line protocol cannot express them; csv "
               "has them");
    return rc < 0 ? migrate_failed(COMMAND, rc, &err) : EXIT_OK;
}

#define FIELD(field) offsetof(struct args, field)

static const struct option options[] = {
    { "format", 'f', OPTION_TEXT, FIELD(format), "line|csv|cc",
      "line (default): line protocol; csv; cc: checkpoints of cc-metric-store." },
    { "metric", 'm', OPTION_TEXT, FIELD(metric), "PATTERNS",
      "Only metrics that match one of these: 'cpu_*,flops'." },
    { "component", 'c', OPTION_TEXT, FIELD(component), "PATTERN",
      "Only components that match, level by level: 'alex/a09*/hwthread:*'." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "Only samples from then on: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME", "Only samples before." },
    { "times", 0, OPTION_TEXT, FIELD(times), "auto|s|ns",
      "In line protocol: auto (default; seconds where they are whole, else ns), s, "
      "ns." },
    { "out", 'o', OPTION_TEXT, FIELD(out), "DIRECTORY",
      "The directory for checkpoints, with --format cc." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_store_export = {
    .name = COMMAND,
    .operands = "[DIRECTORY]",
    .help = "Samples of a metric store as line protocol, CSV or checkpoints.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = store_export_run,
    .prints_data = true,
    .details = "A directory is read as it is, also while barod has it open, and gives "
               "each sample with the time it was stored with.  Through --server comes "
               "what /v1/query gives.\n",
};
