/* SPDX-License-Identifier: Apache-2.0 */
/* program - what the programs that serve datasets share: configuration, lines, end. */
#include "dataset/program/program.h"

#include "base/log.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"

#include <signal.h>

static const char *program;

/* Of a process for each user's command, too: they share them, else one that connects
 * again and again writes as many lines as it wants. */
static struct log_limit own_limits[_FORWARDER_EVENT_COUNT] = {
    [0 ... _FORWARDER_EVENT_COUNT - 1] = LOG_LIMIT_INIT
};
static struct log_limit *limits = own_limits;

static void report_line(void *arg, enum log_level level, enum forwarder_event event,
                        const char *text)
{
    (void)arg;
    if (event == FORWARDER_CHANGE)
        log_line(level, "%s", text);
    else
        log_limited(&limits[event], level, "%s", text);
}

static int misused(const char *what, const char *word)
{
    fprintf(stderr, "%s: %s '%s' (see --help)\n", program, what, word);
    return EXIT_USAGE;
}

int dataset_program_run(const struct dataset_program_args *args, int operand_count,
                        char **operands, dataset_program_fn check,
                        dataset_program_fn serve)
{
    static const struct forwarder_report report = { report_line, NULL };
    static struct forwarder_opts opts;
    static struct config *config; /* as long as the process */
    enum log_level level = LOG_LEVEL_INFO;
    size_t section_count = 0;
    struct err err = { 0 };
    if (operand_count)
        return misused("unexpected operand", operands[0]);
    const struct config_section *sections = forwarder_config_sections(&section_count);
    if (args->prints_config)
        return options_print_config(sections, section_count);
    int rc = forwarder_config_load(args->config, args->set.items, args->set.count,
                                   &config, &opts, &err);
    if (rc < 0) {
        fprintf(stderr, "%s: %s\n", program, err.text);
        return err_exit_status(rc);
    }
    if (log_level_parse(opts.log_level, &level) < 0)
        return misused("dataset.log_level: no log level:", opts.log_level);
    log_set_level(level);
    (void)signal(SIGPIPE, SIG_IGN);
    struct log_limit *shared = log_limits_shared(_FORWARDER_EVENT_COUNT);
    limits = shared ? shared : own_limits;
    rc = (args->is_check ? check : serve)(args, &opts, &report, &err);
    if (rc < 0) {
        log_error("%s", err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    if (args->is_check)
        printf("the configuration is right\n");
    else
        log_notice("%s has stopped", program);
    return EXIT_OK;
}

int dataset_program_main(const struct command *command, int argc, char **argv)
{
    program = command->name;
    if (completion_is_requested(argc, argv))
        return completion_print_command(command, argc, argv);
    if (terminal_start(program) < 0)
        return EXIT_FAILED;
    log_start(program);
    return options_main(command, argc, argv);
}
