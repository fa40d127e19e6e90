/* SPDX-License-Identifier: Apache-2.0 */
/* baro-lustre-read - the one program that may need a privilege: it prints a few of
 * Lustre's parameters from their files, as lctl get_param does, and nothing else.
 *     baro-lustre-read [--root ROOT] get_param [-n|-N] PARAMETER...
 *     baro-lustre-read [--root ROOT] totals|accounts
 *
 * They are listed here; no name becomes a path of the caller's choosing.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/options.h"
#include "base/span.h"
#include "base/terminal/terminal.h"
#include "source/lustre/lustre.h"

#include <fcntl.h>

#define COPY_BYTES 65536

static const struct {
    const char *name;
    bool is_cleanup;
} parameters[] = {
    { "job_stats", false },
    { "job_cleanup_interval", true },
};

struct args {
    const char *root;
    bool values_only; /* -n */
    bool names_only;  /* -N */
};

/* One "obdfilter.NAME.job_stats" of the command line. */
struct request {
    const struct args *args;
    struct span device, name; /* name: a target, or "*" */
    size_t parameter;
    size_t found;
};

static int parse_request(const char *text, struct request *ret)
{
    struct span rest = span_of(text), last;
    if (memchr(rest.data, '/', rest.size) || !span_cut(&rest, '.', &ret->device) ||
        (!span_is(ret->device, "obdfilter") && !span_is(ret->device, "mdt")))
        return -EINVAL;
    for (size_t p = 0; p < COUNT_OF(parameters); p++) {
        last = span_of(parameters[p].name);
        if (!span_ends(rest, parameters[p].name) || rest.size < last.size + 2 ||
            rest.data[rest.size - last.size - 1] != '.')
            continue;
        ret->name = (struct span){ rest.data, rest.size - last.size - 1 };
        ret->parameter = p;
        return 0;
    }
    return -EINVAL;
}

static int copy_file(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    static char buffer[COPY_BYTES];
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        int rc = file_write_all(STDOUT_FILENO, buffer, (size_t)n);
        if (rc < 0)
            return rc;
    }
}

static int print_target(void *arg, const struct lustre_target *target)
{
    struct request *r = arg;
    const char *device = target->kind == TARGET_MDT ? "mdt" : "obdfilter";
    bool is_cleanup = parameters[r->parameter].is_cleanup;
    const char *path = is_cleanup ? target->cleanup : target->job_stats;
    if (!path || !span_is(r->device, device) ||
        (!span_is(r->name, "*") && !span_is(r->name, target->name)))
        return 0;
    r->found++;
    char line[LUSTRE_PATH_MAX];
    int size = snprintf(line, sizeof line, "%s.%s.%s%s", device, target->name,
                        parameters[r->parameter].name,
                        r->args->names_only ? "\n"
                        : is_cleanup        ? "="
                                            : "=\n");
    if (size < 0 || (size_t)size >= sizeof line)
        return -ENAMETOOLONG;
    int rc = 0;
    if (!r->args->values_only)
        rc = file_write_all(STDOUT_FILENO, line, (size_t)size);
    if (rc == 0 && !r->args->names_only)
        rc = copy_file(path);
    if (rc < 0 && rc != -EPIPE)
        fprintf(stderr, "error: get_param: read '%s': %s\n", path, strerror(-rc));
    return rc;
}

static int get_param(const struct args *args, const char *text)
{
    struct request request = { .args = args };
    if (parse_request(text, &request) < 0) {
        fprintf(stderr, "error: get_param: '%s' is not one that this program reads\n",
                text);
        return EXIT_USAGE;
    }
    struct err err = { 0 };
    int rc = lustre_find_targets(args->root, print_target, &request, &err);
    if (rc < 0 && err.text[0])
        fprintf(stderr, "error: get_param: %s\n", err.text);
    if (rc < 0)
        return EXIT_FAILED;
    if (request.found == 0) {
        fprintf(stderr,
                "error: get_param: param_path '%s': No such file or directory\n", text);
        return ENOENT;
    }
    return EXIT_OK;
}

static int print_total(void *arg, const char *param, const char *path)
{
    (void)arg;
    int rc = file_write_all(STDOUT_FILENO, param, strlen(param));
    if (rc == 0)
        rc = file_write_all(STDOUT_FILENO, "=\n", 2);
    if (rc == 0)
        rc = copy_file(path);
    /* One file that cannot be read is no reason to leave out the others. */
    if (rc < 0 && rc != -EPIPE)
        fprintf(stderr, "error: totals: read '%s': %s\n", path, strerror(-rc));
    return rc == -EPIPE ? rc : 0;
}

static int print_totals(const struct args *args, bool is_accounts)
{
    struct err err = { 0 };
    int rc = (is_accounts ? lustre_find_account_files : lustre_find_total_files)(
        args->root, print_total, NULL, &err);
    if (rc < 0 && err.text[0])
        fprintf(stderr, "error: totals: %s\n", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static int lustre_read_run(void *opts, int operand_count, char **operands)
{
    struct args *args = opts;
    args->root = args->root ? args->root : "/";
    bool is_accounts = operand_count == 1 && strcmp(operands[0], "accounts") == 0;
    if (is_accounts || (operand_count == 1 && strcmp(operands[0], "totals") == 0))
        return print_totals(args, is_accounts);
    if (operand_count < 2 || strcmp(operands[0], "get_param") != 0) {
        fputs("usage: baro-lustre-read [--root ROOT] get_param [-n|-N] PARAMETER...\n"
              "       baro-lustre-read [--root ROOT] totals|accounts\n",
              stderr);
        return EXIT_USAGE;
    }
    int status = EXIT_OK, one;
    for (int i = 1; i < operand_count; i++)
        status = (one = get_param(args, operands[i])) ? one : status;
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "root", 0, OPTION_TEXT, offsetof(struct args, root), "DIR",
          "Look for proc and sys below DIR instead of /." },
        { "values", 'n', OPTION_FLAG, offsetof(struct args, values_only), NULL,
          "Print values without names." },
        { "names", 'N', OPTION_FLAG, offsetof(struct args, names_only), NULL,
          "Print names without values." },
    };
    static const struct command command = {
        .name = "baro-lustre-read",
        .operands = "get_param PARAMETER...|totals|accounts",
        .help = "Print the job counters of this Lustre server from their files.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = lustre_read_run,
        .prints_data = true,
        .details =
            "PARAMETER is obdfilter.NAME.job_stats, mdt.NAME.job_stats or the\n"
            "job_cleanup_interval of either; NAME may be *.  Exit status 2 and a line\n"
            "with \"No such file or directory\" when there is none, as lctl does.\n"
            "totals: stats, brw_stats, space, exports and recovery of every target.\n"
            "accounts: what each user, group and project holds on every target.",
    };
    if (terminal_start("baro-lustre-read") < 0)
        return EXIT_FAILED;
    return options_main(&command, argc, argv);
}
