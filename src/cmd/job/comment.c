/* SPDX-License-Identifier: Apache-2.0 */
/* job_comment - baro job comment: commands that write what jobs used into Slurm's
 * accounting. */
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "cmd/warning.h"

#include <stdio.h>

struct args {
    struct client_args client; /* first: --server and others */
    bool missing;
    const char *form;
};

/* A shell that runs them begins with the first. */
static int command_write(void *arg, struct span command)
{
    (void)arg;
    bool is_written = fwrite(command.data, 1, command.size, stdout) == command.size &&
                      fflush(stdout) == 0;
    return is_written ? 0 : -EIO;
}

static int form_parse(const char *name, enum job_comments_form *ret, struct err *err)
{
    *ret = JOB_COMMENTS_SACCTMGR;
    for (int i = 0; name && i < JOB_COMMENTS_FORM_COUNT; i++) {
        if (strcmp(name, job_comments_form_names[i]) != 0)
            continue;
        *ret = (enum job_comments_form)i;
        return 0;
    }
    return name ? err_set(err, EINVAL,
                          "--form: invalid value '%s' (choose sacctmgr, sql)", name)
                : 0;
}

static void counts_print(const struct job_comments_counts *counts)
{
    const struct {
        uint64_t count;
        const char *text;
    } parts[] = {
        { counts->present, "have one" },
        { counts->unknown, "are not known" },
        { counts->empty, "too little is known of" },
        { counts->unreadable, "lines could not be read" },
    };
    fprintf(stderr, "baro job comment: %llu comments",
            (unsigned long long)counts->printed);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].count > 0)
            fprintf(stderr, "; %llu %s", (unsigned long long)parts[i].count,
                    parts[i].text);
    fprintf(stderr, "\n");
}

static int job_comment_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct job_comments_counts counts = { 0 };
    struct err err = { 0 };
    struct job_comments_opts opts = { .endpoint = &args->client.endpoint,
                                      .is_for_missing = args->missing,
                                      .log = warning_print,
                                      .print = command_write };
    int rc = form_parse(args->form, &opts.form, &err);
    if (rc == 0 && operand_count == 0)
        rc = err_set(&err, EINVAL, "at least one FILE is wanted, or -");
    if (rc < 0)
        return request_failed("job comment", rc, &err);
    for (int i = 0; i < operand_count && rc == 0; i++)
        rc = job_comments_make(&opts, operands[i], &counts, &err);
    counts_print(&counts);
    if (rc == 0)
        return EXIT_OK;
    (void)request_failed("job comment", rc, &err);
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "missing", 0, OPTION_FLAG, offsetof(struct args, missing), NULL,
      "Leave jobs alone that have an AdminComment already." },
    { "form", 0, OPTION_TEXT, offsetof(struct args, form), "sacctmgr|sql",
      "sacctmgr (default): commands for a shell; sql: statements for Slurm's "
      "database." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_job_comment = {
    .name = "job comment",
    .operands = "FILE...",
    .help = "Commands that write what jobs used into Slurm's accounting.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = job_comment_run,
    .details = "Reads what sacct -P prints with the columns JobID, JobIDRaw, Cluster, "
               "Start, End and\n"
               "AdminComment, requests the comment of each job that has ended from a "
               "barod, and prints\n"
               "a command a job: baro job comment --missing jobs.txt | sh",
    .prints_data = true,
};
