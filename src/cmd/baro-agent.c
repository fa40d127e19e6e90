/* SPDX-License-Identifier: Apache-2.0 */
/* baro-agent - reads a Lustre server's job counters round after round, and sends what
 * moved. */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/options.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"

#include <signal.h>

struct args {
    const char *config, *user;
    struct option_list set;
    bool check, once, print_config, foreground;
};

/* Each kind of event is limited for itself, but for those that cannot come often. */
static void report_event(void *arg, enum log_level level, enum agent_event event,
                         const char *text)
{
    static struct log_limit limits[AGENT_EVENT_COUNT] = { [0 ... AGENT_EVENT_COUNT -
                                                           1] = LOG_LIMIT_INIT };
    (void)arg;
    if (event == AGENT_EVENT_ONCE)
        log_line(level, "%s", text);
    else
        log_limited(&limits[event], level, "%s", text);
}

static int run_service(struct agent_opts *opts, const struct agent_folds *folds,
                       enum service_mode mode)
{
    static const struct agent_report report = { report_event, NULL };
    static struct agent_service *service; /* threads may hold it to the end */
    struct err err = { 0 };
    (void)signal(SIGPIPE, SIG_IGN);
    agent_drop_privilege(opts, &report);
    int rc = agent_service_new(opts, folds, &report, &service, &err);
    if (rc < 0) {
        log_error("%s", err.text[0] ? err.text : "out of memory");
        return EXIT_FAILED;
    }
    if (clock_is_played())
        log_warn("BARO_CLOCK is set: time is played, and nothing recorded is real");
    log_notice("observing '%s' every %lld s, sending to %s", opts->host,
               (long long)(opts->interval_ns / NS_PER_S), opts->server);
    rc = agent_service_run(service, mode, &err);
    if (rc < 0 && err.text[0])
        log_error("%s", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static int agent_main(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    static struct agent_opts opts;
    size_t count = 0;
    struct err err = { 0 };
    static struct config *config;
    static struct agent_folds folds;
    static struct option_list set; /* the config points into its texts */
    set = args->set;
    if (operand_count) {
        fprintf(stderr, "baro-agent: '%s': no operand is expected\n", operands[0]);
        return EXIT_USAGE;
    }
    const struct config_section *sections = agent_config_sections(&count);
    if (args->print_config)
        return options_print_config(sections, count);
    int rc = agent_config_load(args->config, set.items, set.count, &config, &opts,
                               &folds, &err);
    if (rc < 0) {
        fprintf(stderr, "baro-agent: %s\n", err.text);
        return err_exit_status(rc);
    }
    enum log_level level = LOG_LEVEL_INFO;
    if (log_level_parse(opts.log_level, &level) < 0) {
        fprintf(stderr, "baro-agent: agent.log_level: '%s' is not a log level\n",
                opts.log_level);
        return EXIT_USAGE;
    }
    log_set_level(level);
    if (args->check)
        return agent_check_as(args->user, &opts, stdout);
    return run_service(&opts, &folds, args->once ? SERVICE_ONCE : SERVICE_FOREVER);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "config", 'c', OPTION_TEXT, offsetof(struct args, config), "FILE",
          "Read FILE instead of " AGENT_CONFIG_DEFAULT "; all keys have defaults." },
        { "set", 0, OPTION_LIST, offsetof(struct args, set), "SECTION.KEY=VALUE",
          "Set a key over the value in the file; may be repeated." },
        { "check", 0, OPTION_FLAG, offsetof(struct args, check), NULL,
          "Report what can be read and which privilege is missing, and end." },
        { "user", 0, OPTION_TEXT, offsetof(struct args, user), "NAME",
          "With --check by root: judge as this user instead of barograph, the "
          "unit's." },
        { "once", 0, OPTION_FLAG, offsetof(struct args, once), NULL,
          "Read each target once, send what there is, and end." },
        { "foreground", 'f', OPTION_FLAG, offsetof(struct args, foreground), NULL,
          "Stay in the foreground, as it always does; accepted for unit files." },
        { "print-config", 0, OPTION_FLAG, offsetof(struct args, print_config), NULL,
          "Print a commented configuration with all defaults, and end." },
    };
    static const struct command command = {
        .name = "baro-agent",
        .operands = "",
        .help = "Observe this Lustre server's job counters and send what moved.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = agent_main,
        .details = "SIGUSR1 writes the agent's own counters to the log.",
    };
    struct err err = { 0 };
    if (argc > 1 && strcmp(argv[1], MOUNT_PROBE_WORD) == 0)
        return mount_probe_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], INVENTORY_PROBE_WORD) == 0)
        return inventory_probe_main(argc, argv);
    if (completion_is_requested(argc, argv))
        return completion_print_command(&command, argc, argv);
    if (terminal_start("baro-agent") < 0)
        return EXIT_FAILED;
    log_start("baro-agent");
    if (clock_start(&err) < 0) {
        fprintf(stderr, "baro-agent: %s\n", err.text);
        return EXIT_FAILED;
    }
    return options_main(&command, argc, argv);
}
