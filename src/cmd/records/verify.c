/* SPDX-License-Identifier: Apache-2.0 */
/* records_verify - baro records verify: a database of job counters looked through. */
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "query/query.h"
#include "records/records.h"

#include <stdio.h>
#include <unistd.h>

#define HOURS 24

struct args {
    uint64_t hours; /* 0: not given */
};

static void print_fault(void *arg, const char *what, const char *remedy)
{
    progress_line_end(arg);
    printf("%s; %s\n", what, remedy);
}

static void print_hour(void *arg, enum target_kind kind, int64_t hour_ms)
{
    char hour[TIMETEXT_SIZE];
    progress_line_end(arg);
    (void)timetext_print_ms(hour, hour_ms);
    printf(
        "the cells of %s from %s on are not what the rows add up to; to have barod "
        "make them again: UPDATE rollup_hours SET is_clean = false, changes = changes "
        "+ 1 WHERE kind = '%s' AND hour = that hour\n",
        target_kind_name(kind), hour, target_kind_name(kind));
}

static void verify_progress(void *arg, size_t done, size_t count)
{
    progress_line_print(arg, done, count);
}

static int check_cells(const struct records_opts *opts, const struct args *args,
                       struct progress_line *line, struct rollup_checked *ret,
                       struct err *err)
{
    AUTO(records_close) struct records *records = NULL;
    AUTO(records_reader_close) struct records_reader *rows = NULL;
    AUTO(records_reader_close) struct records_reader *cells = NULL;
    int rc = records_open(opts, NULL, &records, err);
    if (rc == 0)
        rc = records_reader_open(records, &rows, err);
    if (rc == 0)
        rc = records_reader_open(records, &cells, err);
    if (rc < 0)
        return rc;
    const struct rollup_check_watch watch = { print_hour, verify_progress, line };
    progress_line_begin(line, "hours of cells");
    return rollup_check(rows, cells, args->hours ? (size_t)args->hours : HOURS, &watch,
                        ret, err);
}

static int verify(const char *database, const struct args *args, uint64_t *ret_faults,
                  struct err *err)
{
    struct records_opts opts = { .access = RECORDS_READ };
    struct records_verified verified = { 0 };
    struct rollup_checked checked = { 0 };
    records_opts_place(&opts, database);
    if (opts.path && access(opts.path, R_OK) < 0)
        return err_set(err, errno, "'%s': %s", opts.path, strerror(errno));
    struct progress_line line = { 0 };
    progress_line_begin(&line, "checks");
    int rc = records_verify(&opts, print_fault, verify_progress, &line, &verified, err);
    /* Where reading fails there is nothing to add up. */
    if (rc == 0 && verified.faults == 0)
        rc = check_cells(&opts, args, &line, &checked, err);
    progress_line_end(&line);
    if (rc < 0)
        return rc;
    *ret_faults = verified.faults + checked.wrong_hours;
    printf("%llu checks, %llu series, %llu cells of %llu hours: ",
           (unsigned long long)verified.checks, (unsigned long long)verified.series,
           (unsigned long long)checked.cells, (unsigned long long)checked.hours);
    if (*ret_faults)
        printf("%llu damaged\n", (unsigned long long)*ret_faults);
    else
        printf("all is well\n");
    return fflush(stdout) == 0 ? 0 : -EIO;
}

static int run(void *arg, int operand_count, char **operands)
{
    struct err err = { 0 };
    uint64_t faults = 0;
    if (operand_count != 1) {
        fprintf(stderr, "baro records verify: which database? see --help\n");
        return EXIT_USAGE;
    }
    int rc = verify(operands[0], arg, &faults, &err);
    if (rc == 0)
        return faults ? EXIT_FAILED : EXIT_OK;
    fprintf(stderr, "baro records verify: %s\n",
            err.text[0] ? err.text : strerror(-rc));
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "hours", 0, OPTION_LIMIT, offsetof(struct args, hours), "COUNT",
      "Add up the rows of so many hours of each kind again (24)." },
};

const struct command cmd_records_verify = {
    .name = "records verify",
    .operands = "DATABASE",
    .help = "Look through a database of job counters, and change nothing.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .details =
        "DATABASE is SQLite's file, or PostgreSQL's connection string.  A barod may\n"
        "have it open.  The exit status is 1 when something is damaged.\n",
};
