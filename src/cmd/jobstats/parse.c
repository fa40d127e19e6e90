/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_parse - baro jobstats parse: what a text of job_stats says, and what is lost
 * of it.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "client/client.h"
#include "cmd/commands.h"

#include <stdio.h>

struct args {
    struct option_list formats;
    const char *target;
    const char *output;
    const char *timestamp;
    bool faults;
};

static int parse_write(void *arg, struct span text)
{
    (void)arg;
    return fwrite(text.data, 1, text.size, stdout) == text.size ? 0 : -EPIPE;
}

static void parse_warn(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "%s\n", line);
}

static int parse_opts(const struct args *args, struct entry_texts_opts *ret,
                      struct err *err)
{
    *ret =
        (struct entry_texts_opts){ .formats = (const char *const *)args->formats.items,
                                   .format_count = args->formats.count,
                                   .target = args->target,
                                   .t_ms = T_NONE,
                                   .all_faults = args->faults,
                                   .write = parse_write,
                                   .warn = parse_warn };
    int rc =
        entry_texts_form_parse(args->output ? args->output : "json", &ret->form, err);
    if (rc < 0)
        return err_prefix(err, rc, "--output");
    int64_t t_ns = 0;
    if (!args->timestamp)
        return 0;
    if (timetext_parse_user(span_of(args->timestamp), clock_now_ns(), &t_ns) < 0)
        return err_set(err, EINVAL,
                       "--timestamp: '%s' is not a time such as "
                       "2022-11-21T06:02:00Z or @1669010520",
                       args->timestamp);
    ret->t_ms = t_ns / NS_PER_MS;
    return 0;
}

/* All files, whatever the ones before were; the first error is the command's. */
static int parse_files(struct entry_texts *texts, int count, char **paths,
                       struct err *err)
{
    int first_rc = 0;
    for (int i = 0; i < count; i++) {
        struct err file_err = { 0 };
        int rc = entry_texts_read(texts, paths[i], &file_err);
        if (rc < 0 && first_rc == 0) {
            first_rc = rc;
            *err = file_err;
        }
        if (rc == -EPIPE || rc == -ENOMEM)
            return rc;
    }
    struct err end_err = { 0 };
    int rc = entry_texts_end(texts, &end_err);
    if (rc == 0 && fflush(stdout) != 0)
        rc = err_set(&end_err, EPIPE, "output: %s", strerror(EPIPE));
    if (rc < 0 && first_rc == 0)
        *err = end_err;
    return first_rc < 0 ? first_rc : rc;
}

static int jobstats_parse_run(void *args, int operand_count, char **operands)
{
    static char standard_input[] = "-";
    char *only[] = { standard_input };
    AUTO(entry_texts_free) struct entry_texts *texts = NULL;
    struct entry_texts_opts opts;
    struct err err = { 0 };
    int rc = parse_opts(args, &opts, &err);
    if (rc == 0)
        rc = err_prefix(&err, entry_texts_new(&opts, &texts, &err), "--format");
    int status = EXIT_USAGE;
    if (rc == 0) {
        rc = parse_files(texts, operand_count ? operand_count : 1,
                         operand_count ? operands : only, &err);
        status = rc == 0 ? EXIT_OK : EXIT_FAILED;
    }
    if (rc < 0)
        fprintf(stderr, "baro jobstats parse: %s\n", err.text);
    return status;
}

static const struct option options[] = {
    { "format", 'f', OPTION_LIST, offsetof(struct args, formats), "FORMAT",
      "A jobid_name of the site, tried in the given order; default %j:%u:%H, %e.%u." },
    { "target", 't', OPTION_TEXT, offsetof(struct args, target), "NAME",
      "The target of entries whose text names none." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output),
      "json|csv|table|none|seed",
      "json (default), csv, table, none (counts only) or seed (what a client sends)." },
    { "timestamp", 0, OPTION_TIME, offsetof(struct args, timestamp), "TIME",
      "When the text was read, for seed; default: the snapshot's minute." },
    { "faults", 0, OPTION_FLAG, offsetof(struct args, faults), NULL,
      "Name every loss, not only the first ten of each kind." },
};

const struct command cmd_jobstats_parse = {
    .name = "jobstats parse",
    .operands = "[FILE|-]...",
    .help = "Show the entries of a job_stats text of Lustre, and what is lost of it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_parse_run,
    .prints_data = true,
    .details =
        "Files may be compressed with gzip, zstd, bzip2 or xz.  What cannot be read is "
        "named on\nstandard error as FILE:LINE: KIND: TEXT; it costs that line or that "
        "entry only.\n",
};
