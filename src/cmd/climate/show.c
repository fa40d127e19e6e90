/* SPDX-License-Identifier: Apache-2.0 */
/* climate_show - baro climate show: what is normal here, and how the last runs were. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate show"

struct args {
    const char *map;
    const char *set;
    uint64_t last;
    int64_t window_ns;
    uint64_t window_runs;
    struct table_parts_args parts;
};

static int show(const struct args *args, const struct climate_runs *climate,
                struct err *err)
{
    AUTO(table_done) struct table classes = { 0 };
    AUTO(table_done) struct table last = { 0 };
    const struct normal_opts opts = {
        .set = args->set,
        .last_count = args->last ? args->last : NORMAL_LAST_DEFAULT,
        .window_ns = args->window_ns ? args->window_ns : climate->mapping.long_ns,
        .window_runs =
            args->window_runs ? args->window_runs : NORMAL_WINDOW_RUNS_DEFAULT,
    };
    if (opts.window_runs > ROLLING_CAPACITY_MAX)
        return err_set(err, EINVAL, "--window-runs: %llu is over %zu",
                       (unsigned long long)opts.window_runs, ROLLING_CAPACITY_MAX);
    table_init(&classes);
    table_init(&last);
    int rc = normal_tables_make(&climate->mapping, &climate->runs, &opts, &classes,
                                &last, err);
    if (rc < 0)
        return rc;
    const struct table_part parts[] = { { "classes", &classes }, { "last", &last } };
    return table_parts_print(WHO, parts, COUNT_OF(parts), &args->parts, err);
}

static int climate_show_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(climate_runs_done) struct climate_runs climate = { 0 };
    struct err err = { 0 };
    int rc = climate_args_load(args->map, operands, operand_count, &climate, &err);
    if (rc == 0)
        rc = show(args, &climate, &err);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    CLIMATE_OPTION_MAP(struct args),
    CLIMATE_OPTION_CLASS(struct args),
    { "last", 'l', OPTION_LIMIT, offsetof(struct args, last), "COUNT",
      "Show so many last runs of each class; default: 1." },
    { "window", 'w', OPTION_DURATION, offsetof(struct args, window_ns), "DURATION",
      "How far back \"late\" reaches (28d); default: the mapping's long window." },
    { "window-runs", 0, OPTION_LIMIT, offsetof(struct args, window_runs), "COUNT",
      "At most so many runs in it; default: 4096." },
    { "table", 't', OPTION_LIST, offsetof(struct args, parts.wanted), "classes|last",
      "Only classes, or only last." },
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_show = {
    .name = "climate show",
    .operands = "RUNS.csv|barod...",
    .help = "What is normal here: each class of runs, and its last ones against it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = climate_show_run,
    .details =
        "For each class and measure: quantiles of all runs, and of the late ones. "
        "Each\n"
        "of the last runs is held against those of the window before it; what lies\n"
        "farther out than 90 of 100 of them is named as unusual.\n"
        "\n"
        "Example: baro climate show -m sc18.conf -c 'scratch1@*read' edison-*.csv.gz",
    .prints_times = true,
};
