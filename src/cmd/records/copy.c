/* SPDX-License-Identifier: Apache-2.0 */
/* records_copy - baro records copy: all rows of one database into another. */
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "records/records.h"

#include <stdio.h>
#include <unistd.h>

struct args {
    const char *from, *to;
    bool is_verify_only;
};

struct copy_output {
    struct progress_line line;
    const char *doing; /* what the line on the terminal is about */
};

static void copy_progress_show(void *arg, const struct copy_progress *progress)
{
    struct copy_output *output = arg;
    if (output->doing != progress->doing) {
        output->doing = progress->doing;
        progress_line_begin(&output->line, "rows");
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "%s\n", output->doing);
    }
    progress_line_print(&output->line, progress->done, progress->total);
}

static void copy_difference_print(void *arg, const struct copy_difference *difference)
{
    struct copy_output *output = arg;
    progress_line_end(&output->line);
    printf("%s: %llu rows in the source, %llu in the destination%s\n", difference->part,
           (unsigned long long)difference->source_count,
           (unsigned long long)difference->destination_count,
           difference->source_count == difference->destination_count
               ? ", which are not the same"
               : "");
}

static void copy_result_print(const struct copy_result *result)
{
    printf("%llu rows in %llu parts: %llu copied, %llu unchanged, %llu read back and "
           "compared",
           (unsigned long long)result->rows, (unsigned long long)result->parts,
           (unsigned long long)result->copied, (unsigned long long)result->unchanged,
           (unsigned long long)result->verified);
    if (result->different > 0)
        printf(": %llu DIFFER\n", (unsigned long long)result->different);
    else
        printf(": all is the same\n");
    if (result->is_without_private)
        printf("Left out: job_files, which the source's role may not read\n");
}

static int records_copy_databases(const struct args *args, struct copy_result *ret,
                                  struct err *err)
{
    struct records_opts from = { 0 }, to = { 0 };
    struct copy_output output = { 0 };
    struct copy_request request = { .from = &from,
                                    .to = &to,
                                    .is_verify_only = args->is_verify_only,
                                    .progress = copy_progress_show,
                                    .difference = copy_difference_print,
                                    .arg = &output };
    records_opts_place(&from, args->from);
    records_opts_place(&to, args->to);
    if (from.path && access(from.path, R_OK) < 0)
        return err_set(err, errno, "'%s': %s", from.path, strerror(errno));
    int rc = records_copy(&request, ret, err);
    progress_line_end(&output.line);
    return rc;
}

static int records_copy_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct copy_result result = { 0 };
    struct err err = { 0 };
    (void)operands;
    if (operand_count != 0 || !args->from || !args->to) {
        fprintf(stderr, "baro records copy: --from SOURCE and --to DESTINATION are "
                        "needed, and nothing else; see --help\n");
        return EXIT_USAGE;
    }
    int rc = records_copy_databases(args, &result, &err);
    if (rc == 0) {
        copy_result_print(&result);
        rc = fflush(stdout) == 0 ? 0 : -EIO;
    }
    if (rc == 0)
        return result.different > 0 ? EXIT_FAILED : EXIT_OK;
    fprintf(stderr, "baro records copy: %s\n", err.text[0] ? err.text : strerror(-rc));
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "from", 0, OPTION_TEXT, offsetof(struct args, from), "SOURCE",
      "The database to read: sqlite:FILE or postgres:STRING." },
    { "to", 0, OPTION_TEXT, offsetof(struct args, to), "DESTINATION",
      "The database to write: an empty one, or what an earlier run has made." },
    { "verify-only", 0, OPTION_FLAG, offsetof(struct args, is_verify_only), NULL,
      "Read all of both, report the parts that differ; change nothing." },
};

const struct command cmd_records_copy = {
    .name = "records copy",
    .operands = "",
    .help = "Copy all rows of a database of job counters into another one.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = records_copy_run,
    .details = "A barod may write to the source meanwhile: run the command again for "
               "what came\n"
               "later.  What was interrupted goes on when it is run again.\n",
};
