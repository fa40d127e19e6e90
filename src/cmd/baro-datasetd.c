/* SPDX-License-Identifier: Apache-2.0 */
/* baro-datasetd - serves datasets of a repository, or forwards them from upstreams. */
#include "base/log.h"
#include "base/options.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"
#include "dataset/forwarder/forwarder.h"

#include <signal.h>

struct datasetd_args {
    const char *config;
    struct option_list set;
    bool is_check, prints_config;
};

static void report_line(void *arg, enum log_level level, enum forwarder_event event,
                        const char *text)
{
    static struct log_limit limits[_FORWARDER_EVENT_COUNT] = {
        [0 ... _FORWARDER_EVENT_COUNT - 1] = LOG_LIMIT_INIT
    };
    (void)arg;
    if (event == FORWARDER_CHANGE)
        log_line(level, "%s", text);
    else
        log_limited(&limits[event], level, "%s", text);
}

static int datasetd_serve(const struct datasetd_args *args,
                          const struct forwarder_opts *opts)
{
    static const struct forwarder_report report = { report_line, NULL };
    struct err err = { 0 };
    (void)signal(SIGPIPE, SIG_IGN);
    int rc = args->is_check ? forwarder_check(opts, &err)
                            : forwarder_run(opts, &report, &err);
    if (rc < 0) {
        log_error("%s", err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    if (args->is_check)
        printf("the configuration is right\n");
    else
        log_notice("baro-datasetd has stopped");
    return EXIT_OK;
}

static int datasetd_main(void *arg, int operand_count, char **operands)
{
    const struct datasetd_args *args = arg;
    static struct forwarder_opts opts;
    static struct config *config; /* as long as the process */
    enum log_level level = LOG_LEVEL_INFO;
    size_t count = 0;
    struct err err = { 0 };
    if (operand_count) {
        fprintf(stderr, "baro-datasetd: unexpected operand '%s' (see --help)\n",
                operands[0]);
        return EXIT_USAGE;
    }
    const struct config_section *sections = forwarder_config_sections(&count);
    if (args->prints_config)
        return options_print_config(sections, count);
    int rc = forwarder_config_load(args->config, args->set.items, args->set.count,
                                   &config, &opts, &err);
    if (rc < 0) {
        fprintf(stderr, "baro-datasetd: %s\n", err.text);
        return err_exit_status(rc);
    }
    if (log_level_parse(opts.log_level, &level) < 0) {
        fprintf(stderr, "baro-datasetd: dataset.log_level: '%s' is not a log level\n",
                opts.log_level);
        return EXIT_USAGE;
    }
    log_set_level(level);
    return datasetd_serve(args, &opts);
}

static const struct option datasetd_options[] = {
    { "config", 'c', OPTION_TEXT, offsetof(struct datasetd_args, config), "FILE",
      "Read FILE instead of " FORWARDER_CONFIG_DEFAULT "." },
    { "set", 0, OPTION_LIST, offsetof(struct datasetd_args, set), "SECTION.KEY=VALUE",
      "Set a key over the value in the file; may be repeated." },
    { "check", 0, OPTION_FLAG, offsetof(struct datasetd_args, is_check), NULL,
      "Check the configuration, the repository and the cache, then end." },
    { "print-config", 0, OPTION_FLAG, offsetof(struct datasetd_args, prints_config),
      NULL, "Print a commented configuration with all defaults, and end." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "baro-datasetd",
        .operands = "",
        .help = "Serve datasets of a repository, or forward them from upstreams.",
        .options = datasetd_options,
        .option_count = COUNT_OF(datasetd_options),
        .args_size = sizeof(struct datasetd_args),
        .run = datasetd_main,
        .details = "SIGUSR1 writes the counters to the log; SIGTERM ends it.",
    };
    if (completion_is_requested(argc, argv))
        return completion_print_command(&command, argc, argv);
    if (terminal_start("baro-datasetd") < 0)
        return EXIT_FAILED;
    log_start("baro-datasetd");
    return options_main(&command, argc, argv);
}
