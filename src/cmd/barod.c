/* SPDX-License-Identifier: Apache-2.0 */
/* barod - the daemon of the control node: accepts, stores and answers queries. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"
#include "daemon/daemon.h"

#include <stdio.h>
#include <unistd.h>

struct barod_args {
    const char *config;
    struct option_list set;
    bool is_check;
    bool is_verbose;
    const char *user;
    const char *unit;
};

/* Returns 1: the check is over, with *ret_status. */
static int enter_service_user(const struct barod_args *args, int *ret_status,
                              struct err *err)
{
    struct service_user user;
    int rc = service_user_find(args->config, args->user, geteuid(), &user, err);
    if (rc < 0 || !service_user_name(&user))
        return rc;
    printf("judged as user '%s'\n", service_user_name(&user));
    (void)fflush(stdout);
    return service_user_enter(&user, ret_status, err);
}

static int report_failure(int rc, const struct err *err)
{
    log_error("%s", err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

static int barod_check(const struct barod_args *args, const struct daemon_args *how)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    int status = EXIT_FAILED;
    int rc = enter_service_user(args, &status, &err);
    if (rc > 0)
        return status;
    if (rc == 0)
        rc = daemon_check(how, &out, &err);
    if (rc < 0)
        return report_failure(rc, &err);
    (void)fputs(strbuf_text(&out), stdout); /* the dispatcher finds out */
    return EXIT_OK;
}

static int barod_serve(const struct daemon_args *how)
{
    struct err err = { 0 };
    int rc = daemon_run(how, &err);
    if (rc < 0)
        return report_failure(rc, &err);
    log_notice("barod has stopped");
    return EXIT_OK;
}

static int barod_main(void *arg, int operand_count, char **operands)
{
    const struct barod_args *args = arg;
    const struct daemon_args how = {
        .config = args->config,
        .set = &args->set,
        .unit = args->unit,
        .is_check = args->is_check,
        .is_verbose = args->is_verbose,
    };
    if (operand_count > 0) {
        fprintf(stderr, "barod: unexpected operand '%s' (see --help)\n", operands[0]);
        return EXIT_USAGE;
    }
    return args->is_check ? barod_check(args, &how) : barod_serve(&how);
}

static const struct option barod_options[] = {
    { "config", 'c', OPTION_TEXT, offsetof(struct barod_args, config), "FILE",
      "Read FILE instead of " DAEMON_CONFIG_DEFAULT "." },
    { "set", 0, OPTION_LIST, offsetof(struct barod_args, set), "SECTION.KEY=VALUE",
      "Set one key, overriding the file; may be repeated." },
    { "check", 0, OPTION_FLAG, offsetof(struct barod_args, is_check), NULL,
      "Check configuration, database and listeners, then end." },
    { "user", 0, OPTION_TEXT, offsetof(struct barod_args, user), "USER",
      "With --check by root: check as this user instead of barograph, the service's." },
    { "unit", 0, OPTION_TEXT, offsetof(struct barod_args, unit), "UNIT",
      "With --check: judge memory by MemoryMax= of this unit, a name or a file, "
      "instead "
      "of " DAEMON_UNIT_DEFAULT "." },
    { "verbose", 'v', OPTION_FLAG, offsetof(struct barod_args, is_verbose), NULL,
      "Log what is of interest to developers too." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "barod",
        .operands = "",
        .help = "Receive what agents observe, store it, and serve queries about it.",
        .options = barod_options,
        .option_count = COUNT_OF(barod_options),
        .args_size = sizeof(struct barod_args),
        .run = barod_main,
        .details = "barod runs in the foreground and logs to standard error; SIGTERM\n"
                   "stops it after what was accepted is stored.  See barod(8).",
    };
    struct err err = { 0 };
    if (completion_is_requested(argc, argv))
        return completion_print_command(&command, argc, argv);
    if (terminal_start("barod") < 0)
        return EXIT_FAILED;
    log_start("barod");
    if (clock_start(&err) < 0) {
        log_error("%s", err.text);
        return EXIT_FAILED;
    }
    return options_main(&command, argc, argv);
}
