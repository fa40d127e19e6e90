/* SPDX-License-Identifier: Apache-2.0 */
/* baro-lustre-read - the one program that may need a privilege: it prints a few of
 * Lustre's parameters from their files, as lctl get_param does, and nothing else.
 *     baro-lustre-read [--root ROOT] get_param [-n|-N] PARAMETER...
 *     baro-lustre-read [--root ROOT] totals|accounts
 *
 * They are listed here; no name becomes a path of the caller's choosing.
 */
#include "base/options.h"
#include "base/terminal/terminal.h"
#include "source/lustre/lustre.h"

#include <sys/auxv.h>
#include <unistd.h>

static void lustre_read_failed(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "error: %s\n", text);
}

static int lustre_read_run(void *opts, int operand_count, char **operands)
{
    struct param_print *print = opts;
    /* Links below a directory of the caller's lead to any file. */
    if (print->root && getauxval(AT_SECURE)) {
        fputs("baro-lustre-read: --root is refused: this program has a privilege that "
              "its caller has not\n",
              stderr);
        return EXIT_USAGE;
    }
    print->root = print->root ? print->root : "/";
    print->fd = STDOUT_FILENO;
    print->failed = lustre_read_failed;
    bool is_accounts = operand_count == 1 && strcmp(operands[0], "accounts") == 0;
    if (is_accounts || (operand_count == 1 && strcmp(operands[0], "totals") == 0))
        return param_print_totals(print, is_accounts) < 0 ? EXIT_FAILED : EXIT_OK;
    if (operand_count < 2 || strcmp(operands[0], "get_param") != 0) {
        fputs("usage: baro-lustre-read [--root ROOT] get_param [-n|-N] PARAMETER...\n"
              "       baro-lustre-read [--root ROOT] totals|accounts\n",
              stderr);
        return EXIT_USAGE;
    }
    int status = EXIT_OK;
    for (int i = 1; i < operand_count; i++) {
        int rc = param_print(print, operands[i]);
        status = rc == -ENOENT   ? ENOENT
                 : rc == -EINVAL ? EXIT_USAGE
                 : rc < 0        ? EXIT_FAILED
                                 : status;
    }
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "root", 0, OPTION_TEXT, offsetof(struct param_print, root), "DIR",
          "Look for proc and sys below DIR instead of /." },
        { "values", 'n', OPTION_FLAG, offsetof(struct param_print, values_only), NULL,
          "Print values without names." },
        { "names", 'N', OPTION_FLAG, offsetof(struct param_print, names_only), NULL,
          "Print names without values." },
    };
    static const struct command command = {
        .name = "baro-lustre-read",
        .operands = "get_param PARAMETER...|totals|accounts",
        .help = "Print the job counters of this Lustre server from their files.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct param_print),
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
