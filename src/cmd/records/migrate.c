/* SPDX-License-Identifier: Apache-2.0 */
/* records_migrate - baro records migrate: a database brought to this program's schema.
 */
#include "base/clock.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "records/records.h"

#include <stdio.h>
#include <unistd.h>

struct args {
    bool is_dry;
};

#define WITHOUT_PROGRESS_S 2

struct steps {
    size_t count;
    int64_t seconds; /* of all of them */
};

static void print_step(void *arg, const struct records_step *step)
{
    struct steps *steps = arg;
    steps->count++;
    steps->seconds += step->seconds;
    printf("%s\n  time: ", step->what);
    if (step->seconds < 1)
        printf("under a second\n");
    else if (step->seconds < 120)
        printf("about %lld s\n", (long long)step->seconds);
    else
        printf("about %lld min\n", (long long)(step->seconds + 59) / 60);
    printf("  locks: %s\n", step->locks);
    (void)fflush(stdout); /* before it is done */
}

static void pass_over_step(void *arg, const struct records_step *step)
{
    (void)arg;
    (void)step; /* it was printed before the first one began */
}

static int migrate_timed(const struct records_opts *opts, int64_t expected_s,
                         struct err *err)
{
    struct progress_clock clock = { .stop_fd = -1 };
    if (expected_s >= WITHOUT_PROGRESS_S)
        progress_clock_start(&clock, "migrating", expected_s);
    int rc = records_migrate(opts, false, pass_over_step, NULL, err);
    progress_clock_stop(&clock);
    return rc;
}

static int migrate(const char *database, const struct args *args, struct err *err)
{
    struct records_opts opts = { .access = RECORDS_WRITE };
    struct steps steps = { 0 };
    records_opts_place(&opts, database);
    if (opts.path && access(opts.path, args->is_dry ? R_OK : R_OK | W_OK) < 0)
        return err_set(err, errno, "'%s': %s", opts.path, strerror(errno));
    int64_t begin_ns = clock_monotonic_ns();
    int rc = records_migrate(&opts, true, print_step, &steps, err);
    if (rc == 0 && !args->is_dry)
        rc = migrate_timed(&opts, steps.seconds, err);
    if (rc < 0)
        return rc;
    if (steps.count == 0)
        printf("nothing to do\n");
    else if (args->is_dry)
        printf("nothing was changed (--dry-run)\n");
    else
        printf("done in %.1f s\n",
               (double)(clock_monotonic_ns() - begin_ns) / (double)NS_PER_S);
    return fflush(stdout) == 0 ? 0 : -EIO;
}

static int run(void *arg, int operand_count, char **operands)
{
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro records migrate: which database? see --help\n");
        return EXIT_USAGE;
    }
    int rc = migrate(operands[0], arg, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro records migrate: %s\n",
            err.text[0] ? err.text : strerror(-rc));
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "dry-run", 'n', OPTION_FLAG, offsetof(struct args, is_dry), NULL,
      "Print what would be done, its duration and what waits for it; change nothing." },
};

const struct command cmd_records_migrate = {
    .name = "records migrate",
    .operands = "DATABASE",
    .help = "Bring a database of job counters to this program's schema.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .details =
        "DATABASE is SQLite's file, or PostgreSQL's connection string.  Stop barod\n"
        "first.\n",
};
