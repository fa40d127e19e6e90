/* SPDX-License-Identifier: Apache-2.0 */
/* climate_scoreboard - baro climate scoreboard: who makes how much of all I/O. */
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate scoreboard"

struct args {
    const char *map;
    struct option_list boards;
    struct option_list scores;
    const char *order;
    uint64_t top;
    struct table_parts_args parts;
};

static int scoreboard_print(const struct scoreboard *made, const struct args *args,
                            struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    const struct table_part part = { "scoreboard", &table };
    int rc = scoreboard_table_make(made, &table, err);
    return rc < 0 ? rc : table_parts_print(WHO, &part, 1, &args->parts, err);
}

static int climate_scoreboard_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    AUTO(scoreboard_done) struct scoreboard made = { 0 };
    struct scoreboard_opts opts = { .columns = &mapping.columns };
    const struct scoreboard_request request = {
        .boards = { args->boards.items, args->boards.count },
        .scores = { args->scores.items, args->scores.count },
        .order = args->order,
        .top = args->top,
    };
    struct err err = { 0 };
    int rc = operand_count > 0
                 ? scoreboard_opts_init(&request, &arena, &opts, &err)
                 : err_set(&err, EINVAL, "wants at least one table of runs");
    if (rc == 0 && args->map)
        rc = mapping_load(args->map, &mapping, &err);
    if (rc == 0 && args->map)
        opts.form = &mapping.sheet;
    if (rc == 0)
        rc = runs_files_open((const char *const *)operands, (size_t)operand_count, NULL,
                             &files, &err);
    if (files.truncated)
        climate_args_truncated(files.truncated);
    if (rc == 0)
        rc = scoreboard_make(&opts, files.paths, files.count, &made, &err);
    if (rc == 0)
        rc = scoreboard_check(&made, &request, &err);
    if (rc == 0)
        rc = scoreboard_print(&made, args, &err);
    return climate_args_end(WHO, rc, &err);
}

static const struct option options[] = {
    { "map", 'm', OPTION_TEXT, offsetof(struct args, map), "FILE",
      "Its [column NAME]s may be used in formulas; its drops are not looked at." },
    { "by", 'b', OPTION_LIST, offsetof(struct args, boards), "NAME=FORMULA",
      "A board: a line for each value of the formula; may be repeated. Default: user, "
      "application, file_system." },
    { "sum", 's', OPTION_LIST, offsetof(struct args, scores), "NAME=FORMULA",
      "What is added up; may be repeated. Default: bytes, node_hours, io_s." },
    { "order", 0, OPTION_TEXT, offsetof(struct args, order), "NAME",
      "The sum by which lines are ordered; default: the first." },
    { "top", 'n', OPTION_LIMIT, offsetof(struct args, top), "COUNT",
      "So many lines of each board; default: 10." },
    CLIMATE_OPTION_OUTPUT(struct args),
};

const struct command cmd_climate_scoreboard = {
    .name = "climate scoreboard",
    .operands = "RUNS.csv|barod...",
    .help = "Who makes how much of all I/O: users, applications, file systems.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = climate_scoreboard_run,
    .details =
        "Adds up the rows of tables. The defaults are for what baro job summarize\n"
        "writes (users and node-hours with its --jobs); other tables want --by and\n"
        "--sum, a column's name or a formula of doc/formats/study.md.\n"
        "\n"
        "Example: baro climate scoreboard -b account -s core_hours -n 5 jobs.csv",
};
