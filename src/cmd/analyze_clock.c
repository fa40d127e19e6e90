/* SPDX-License-Identifier: Apache-2.0 */
/* analyze_clock - baro analyze clock: by how much servers' clocks differ from jobs'. */
#include "base/number.h"
#include "client/series/series.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "cmd/warning.h"
#include "report/report.h"

#define WHO "baro analyze clock"
#define REACH_DEFAULT_NS (CLOCK_GUESS_REACH_S * NS_PER_S)

struct args {
    struct option_list series;
    struct series_opts opts;
    int64_t reach_ns;
    struct table_parts_args parts;
};

struct clock_run {
    struct series_set set;
    struct clock_estimate estimate;
    struct table table;
    struct progress_line line;
};

/* Of all series together. */
static const struct series_request all_series = { .scope = SERIES_SCOPE_ALL };

static int clock_compare(struct clock_run *a, const struct args *args, int count,
                         char **logs, struct err *err)
{
    int rc = series_set_open(&a->set, args->series.items, args->series.count,
                             &args->opts, NULL, err);
    if (rc < 0)
        return rc;
    int64_t reach_ns = args->reach_ns ? args->reach_ns : REACH_DEFAULT_NS;
    rc = clock_estimate_init(&a->estimate, clock_guess_step(&a->set, &all_series),
                             reach_ns / NS_PER_S);
    if (rc < 0)
        return err_set(err, -rc, "--max: too many steps of the series, or none");
    progress_line_begin(&a->line, "logs");
    for (int i = 0; i < count; i++) {
        struct err why = { 0 };
        AUTO(job_log_close) struct job_log *log = NULL;
        int added = job_log_open(logs[i], &log, &why);
        if (added == 0)
            added = clock_guess_add(&a->estimate, &a->set, &all_series, log, &why);
        if (added < 0)
            table_add_note(&a->table, "%s: %s", logs[i], why.text);
        progress_line_print(&a->line, (size_t)i + 1, (size_t)count);
    }
    progress_line_end(&a->line);
    return clock_table_make(&a->estimate, &a->table, err);
}

static int analyze_clock_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct clock_run a = { 0 };
    struct err err = { 0 };
    args->opts.log = warning_print;
    if (operand_count == 0 || args->series.count == 0) {
        fprintf(stderr, WHO ": wants --series FILE and at least one LOG\n");
        return EXIT_USAGE;
    }
    table_init(&a.table);
    int rc = clock_compare(&a, args, operand_count, operands, &err);
    if (rc == 0) {
        const struct table_part part = { "clock", &a.table };
        rc = table_parts_print(WHO, &part, 1, &args->parts, &err);
    } else {
        for (size_t i = 0; i < a.table.note_count; i++)
            fprintf(stderr, WHO ": %s\n", a.table.notes[i]);
    }
    table_done(&a.table);
    clock_estimate_done(&a.estimate);
    series_set_done(&a.set);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, series), "FILE",
      "What the servers measured: TOKIO HDF5, h5lmt, a copy of an LMT database in "
      "SQLite, or barod or its address; may be repeated." },
    { "max", 0, OPTION_DURATION, offsetof(struct args, reach_ns), "DURATION",
      "The largest offset to look at, to either side; default: 10m." },
    SERIES_OPTIONS(struct args, opts),
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_analyze_clock = {
    .name = "analyze clock",
    .operands = "LOG...",
    .help = "By how much the servers' clocks differ from those of jobs.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = analyze_clock_run,
    .details = "Correlates what jobs moved, by their Darshan logs, with what the "
               "servers saw,\n"
               "moved by each offset. It works best with heat maps and traces.\n"
               "\n"
               "Example: baro analyze clock -s day.hdf5 probes/*.darshan",
};
