/* SPDX-License-Identifier: Apache-2.0 */
/* climate_scoreboard - baro climate scoreboard: who makes how much of all I/O. */
#include "base/span.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"

#define WHO "baro climate scoreboard"
#define TOP_DEFAULT 10

struct args {
    const char *map;
    struct option_list boards;
    struct option_list scores;
    const char *order;
    uint64_t top;
    struct table_parts_args parts;
};

/* Of the rows that baro job summarize writes. */
static const struct tally_term default_boards[] = {
    { "user", "if(missing(user), jobsdb_user, user)" },
    { "application", "basename(darshan_app)" },
    { "file_system", "_file_system" },
};
static const struct tally_term default_scores[] = {
    { "bytes", "darshan_tot_bytes_read_posix + darshan_tot_bytes_written_posix" },
    { "node_hours", "if(missing(node_hours), jobsdb_own_nodehrs, node_hours)" },
    { "io_s", "darshan_io_time" },
};
static const char *default_columns[] = {
    "user",
    "jobsdb_user",
    "darshan_app",
    "_file_system",
    "node_hours",
    "jobsdb_own_nodehrs",
    "darshan_io_time",
    "darshan_tot_bytes_read_posix",
    "darshan_tot_bytes_written_posix",
};

/* "NAME=FORMULA", or the name of a column.  The text is cut in two. */
static int term_parse(const char *option, const char *text, struct arena *arena,
                      struct tally_term *ret, struct err *err)
{
    char *copy = arena_dup(arena, span_of(text));
    if (!copy)
        return err_set(err, ENOMEM, "out of memory");
    char *equal = strchr(copy, '=');
    if (equal == copy || copy[0] == '\0')
        return err_set(err, EINVAL, "%s: '%s' is no NAME=FORMULA", option, text);
    *ret = (struct tally_term){ copy, copy };
    if (equal) {
        *equal = '\0';
        ret->formula = equal + 1;
    }
    return 0;
}

static int terms_take(const char *option, const struct option_list *given,
                      struct arena *arena, struct tally_term *ret, struct err *err)
{
    if (given->count > TALLY_TERMS_MAX)
        return err_set(err, EINVAL, "%s: at most %d of them", option, TALLY_TERMS_MAX);
    for (size_t i = 0; i < given->count; i++) {
        int rc = term_parse(option, given->items[i], arena, &ret[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int opts_make(const struct args *args, struct arena *arena,
                     struct tally_opts *ret, struct err *err)
{
    memcpy(ret->boards, default_boards, sizeof default_boards);
    memcpy(ret->scores, default_scores, sizeof default_scores);
    int rc = terms_take("--by", &args->boards, arena, ret->boards, err);
    if (rc == 0)
        rc = terms_take("--sum", &args->scores, arena, ret->scores, err);
    if (rc < 0)
        return rc;
    ret->board_count =
        args->boards.count ? args->boards.count : COUNT_OF(default_boards);
    ret->score_count =
        args->scores.count ? args->scores.count : COUNT_OF(default_scores);
    while (args->order && ret->order < ret->score_count &&
           strcmp(ret->scores[ret->order].name, args->order) != 0)
        ret->order++;
    if (ret->order == ret->score_count)
        return err_set(err, EINVAL, "--order: there is no sum '%s'", args->order);
    ret->top = args->top ? args->top : TOP_DEFAULT;
    /* Tables need not have what was not requested by name. */
    ret->optional = (struct config_list){ default_columns, COUNT_OF(default_columns) };
    return 0;
}

static int climate_scoreboard_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(table_done) struct table table = { 0 };
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    struct tally_opts opts = { .columns = &mapping.columns };
    struct err err = { 0 };
    int rc = operand_count > 0
                 ? opts_make(args, &arena, &opts, &err)
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
        rc = tally_make(&opts, files.paths, files.count, &table, &err);
    if (rc == 0 && table.row_count == 0 && args->boards.count == 0)
        rc =
            err_set(&err, ENODATA,
                    "no row names a user, an application or a file system, as baro job "
                    "summarize does; --by and --sum say what else to add up");
    if (rc == 0) {
        const struct table_part part = { "scoreboard", &table };
        rc = table_parts_print(WHO, &part, 1, &args->parts, &err);
    }
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
