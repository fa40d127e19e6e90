/* SPDX-License-Identifier: Apache-2.0 */
/* baro-agent - reads a Lustre server's job counters round after round, and sends what
 * moved. */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/options.h"
#include "base/terminal.h"

#include <signal.h>

struct args {
    const char *config, *user;
    struct option_list set;
    bool check, once, print_config, foreground;
};

/* For the life of the process; what still runs when it ends is found through here. */
static struct agent agent;
static uv_signal_t on_term, on_int, on_usr1, on_hup;

static void log_stats(void)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    agent_stats_print(&agent, &text);
    struct span rest = strbuf_span(&text), line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        if (line.size && line.data[0] != '#')
            log_info(SPAN_FMT, SPAN_ARG(line));
    }
}

static void on_signal(uv_signal_t *handle, int signal)
{
    (void)handle;
    if (signal == SIGUSR1) {
        log_stats();
        return;
    }
    if (signal == SIGHUP) {
        log_notice(
            "SIGHUP changes nothing: the configuration is read at start; restart "
            "baro-agent to have it read anew (token_file needs none)");
        return;
    }
    uv_stop(&agent.loop);
}

static void finished(struct agent *a)
{
    uv_stop(&a->loop);
}

static int start(struct agent_folds *folds, struct err *err)
{
    struct observe_opts opts = {
        .interval_ms = agent.opts.interval_ns / NS_PER_MS,
        .generations_max = agent.opts.entries_max,
        .folds = folds->folds,
        .fold_count = folds->count,
    };
    int rc = observe_new(&opts, &agent.observe);
    if (rc == 0)
        rc = agent_keep_open(&agent, err);
    if (rc == 0)
        rc = agent_send_start(&agent, err);
    if (rc == 0)
        agent_token_start(&agent);
    return rc;
}

static int run_rounds(const struct args *args)
{
    (void)uv_signal_init(&agent.loop, &on_term);
    (void)uv_signal_init(&agent.loop, &on_int);
    (void)uv_signal_init(&agent.loop, &on_usr1);
    (void)uv_signal_init(&agent.loop, &on_hup);
    (void)uv_signal_start(&on_term, on_signal, SIGTERM);
    (void)uv_signal_start(&on_int, on_signal, SIGINT);
    (void)uv_signal_start(&on_usr1, on_signal, SIGUSR1);
    (void)uv_signal_start(&on_hup, on_signal, SIGHUP);
    int rc = agent_round_start(
        &agent, args->once ? AGENT_ROUNDS_ONE : AGENT_ROUNDS_FOREVER, finished);
    struct err err = { 0 };
    if (rc == 0 && !args->once)
        rc = agent_totals_start(&agent, &agent.totals, &err);
    if (rc < 0) {
        log_error("%s", err.text[0] ? err.text : strerror(-rc));
        return EXIT_FAILED;
    }
    (void)uv_run(&agent.loop, UV_RUN_DEFAULT);
    agent_round_stop(&agent);
    agent_totals_stop(agent.totals);
    int status = EXIT_OK;
    if (args->once) {
        bool has_failed = agent.counts.reads_failed || agent.counts.reads_not_kept ||
                          agent.counts.lists_failed;
        status = has_failed || agent_send_drain(&agent) < 0 ? EXIT_FAILED : EXIT_OK;
        log_stats();
    }
    agent_send_stop(&agent);
    return status;
}

static int print_config(void)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    size_t count = 0;
    const struct config_section *sections = agent_config_sections(&count);
    config_describe(sections, count, &out);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static int run(void *opts, int operand_count, char **operands)
{
    const struct args *args = opts;
    struct err err = { 0 };
    static struct config *config;
    static struct agent_folds folds;
    static struct option_list set; /* the config points into its texts */
    set = args->set;
    if (operand_count) {
        fprintf(stderr, "baro-agent: '%s': no operand is expected\n", operands[0]);
        return EXIT_USAGE;
    }
    if (args->print_config)
        return print_config();
    int rc = agent_config_load(args->config, set.items, set.count, &config, &agent.opts,
                               &folds, &err);
    if (rc < 0) {
        fprintf(stderr, "baro-agent: %s\n", err.text);
        return EXIT_USAGE;
    }
    enum log_level level = LOG_LEVEL_INFO;
    if (log_level_parse(agent.opts.log_level, &level) < 0) {
        fprintf(stderr, "baro-agent: agent.log_level: '%s' is no level\n",
                agent.opts.log_level);
        return EXIT_USAGE;
    }
    log_set_level(level);
    if (args->check)
        return agent_check_as(args->user, &agent.opts, stdout);
    (void)signal(SIGPIPE, SIG_IGN);
    agent_drop_privilege();
    if (uv_loop_init(&agent.loop) < 0 || start(&folds, &err) < 0) {
        log_error("%s", err.text[0] ? err.text : "out of memory");
        return EXIT_FAILED;
    }
    if (clock_is_played())
        log_warn("BARO_CLOCK is set: time is played, and nothing recorded is real");
    log_notice("observing '%s' every %lld s, sending to %s", agent.opts.host,
               (long long)(agent.opts.interval_ns / NS_PER_S), agent.opts.server);
    return run_rounds(args);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "config", 'c', OPTION_TEXT, offsetof(struct args, config), "FILE",
          "Read FILE instead of " AGENT_CONFIG_DEFAULT "; all keys have defaults." },
        { "set", 0, OPTION_LIST, offsetof(struct args, set), "SECTION.KEY=VALUE",
          "Set a key over what the file says; may be repeated." },
        { "check", 0, OPTION_FLAG, offsetof(struct args, check), NULL,
          "Say what can be read and which privilege is missing, and end." },
        { "user", 0, OPTION_TEXT, offsetof(struct args, user), "NAME",
          "With --check by root: judge as this user instead of barograph, the "
          "unit's." },
        { "once", 0, OPTION_FLAG, offsetof(struct args, once), NULL,
          "Read each target once, send what there is, and end." },
        { "foreground", 'f', OPTION_FLAG, offsetof(struct args, foreground), NULL,
          "Stay in the foreground: it always does; for unit files that say so." },
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
        .run = run,
        .details = "SIGUSR1 writes the agent's own counters to the log.",
    };
    struct err err = { 0 };
    if (terminal_start("baro-agent") < 0)
        return EXIT_FAILED;
    log_start("baro-agent");
    if (clock_start(&err) < 0) {
        fprintf(stderr, "baro-agent: %s\n", err.text);
        return EXIT_FAILED;
    }
    return options_main(&command, argc, argv);
}
