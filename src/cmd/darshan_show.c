/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_show - baro darshan show: what is in Darshan logs. */
#include "cmd/commands.h"
#include "source/darshan/darshan.h"

struct args {
    bool base;
    bool total;
    bool perf;
    bool file;
    const char *output;
};

static unsigned parts_of(const struct args *args)
{
    unsigned parts = (args->base ? (unsigned)DARSHAN_SHOW_BASE : 0u) |
                     (args->total ? (unsigned)DARSHAN_SHOW_TOTAL : 0u) |
                     (args->perf ? (unsigned)DARSHAN_SHOW_PERF : 0u) |
                     (args->file ? (unsigned)DARSHAN_SHOW_FILE : 0u);
    return parts > 0 ? parts : (unsigned)DARSHAN_SHOW_BASE;
}

static int stdout_write(void *arg, struct span text)
{
    (void)arg;
    return fwrite(text.data, 1, text.size, stdout) == text.size ? 0 : -EIO;
}

static void fault_print(void *arg, const char *what)
{
    fprintf(stderr, "baro darshan show: %s: %s\n", *(char *const *)arg, what);
}

static int log_print(const struct darshan_show_form *form, unsigned parts, char *path,
                     struct err *err)
{
    const struct darshan_show_opts opts = { form, parts, &path, stdout_write,
                                            fault_print };
    int rc = darshan_log_show(path, &opts, err);
    if (fflush(stdout) != 0 && !err->text[0])
        rc = err_set(err, EIO, "%s: %s", path, strerror(EIO));
    return rc;
}

static int darshan_show_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    const struct darshan_show_form *form = &darshan_show_text;
    int status = EXIT_OK;
    if (args->output && strcmp(args->output, darshan_show_json.name) == 0)
        form = &darshan_show_json;
    else if (args->output && strcmp(args->output, darshan_show_text.name) != 0) {
        fprintf(stderr, "baro darshan show: --output: '%s' is neither text nor json\n",
                args->output);
        return EXIT_USAGE;
    }
    if (operand_count == 0) {
        fprintf(stderr, "baro darshan show: at least one LOG is wanted\n");
        return EXIT_USAGE;
    }
    for (int i = 0; i < operand_count && !ferror(stdout); i++) {
        struct err err = { 0 };
        if (log_print(form, parts_of(args), operands[i], &err) == 0)
            continue;
        if (err.text[0])
            fprintf(stderr, "baro darshan show: %s\n", err.text);
        status = EXIT_FAILED;
    }
    return status;
}

static const struct option options[] = {
    { "base", 0, OPTION_FLAG, offsetof(struct args, base), NULL,
      "Every counter of every record; what is shown without other options." },
    { "total", 0, OPTION_FLAG, offsetof(struct args, total), NULL,
      "The counters of all records of a module together." },
    { "perf", 0, OPTION_FLAG, offsetof(struct args, perf), NULL,
      "Bytes, time of the slowest rank, and the speed that follows." },
    { "file", 0, OPTION_FLAG, offsetof(struct args, file), NULL,
      "How many files were only read, only written, shared." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "text|json",
      "text (default, as darshan-parser prints it) or json." },
};

const struct command cmd_darshan_show = {
    .name = "darshan show",
    .operands = "LOG...",
    .help = "Show what is in Darshan logs.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = darshan_show_run,
    .prints_data = true,
    .details =
        "Reads logs of the formats 3.00 to 3.41, of either byte order. Modules whose\n"
        "records are not read are named in the output. A log that is\n"
        "damaged or cut short is shown as far as it goes; what is missing is printed\n"
        "on standard error, and the exit status is 1.",
};
