/* SPDX-License-Identifier: Apache-2.0 */
/* run - baro session run: a command with a session of its own around it. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "jobsession/jobsession.h"

struct session_run_args {
    struct client_args client; /* its endpoint */
    struct session_run_opts opts;
    struct option_list plugins, reads, site_events, provenance;
};

static int session_run_run(void *arg, int operand_count, char **operands)
{
    struct session_run_args *args = arg;
    struct session_run_opts *opts = &args->opts;
    struct err err = { 0 };
    int status = EXIT_FAILED;
    operands[operand_count] = NULL; /* in argv, which has one more */
    if (operand_count < 1) {
        fprintf(stderr, "baro session run: which command? see --help\n");
        return EXIT_USAGE;
    }
    opts->plugins = args->plugins.items;
    opts->plugin_count = args->plugins.count;
    opts->reads = args->reads.items;
    opts->read_count = args->reads.count;
    opts->site_events = args->site_events.items;
    opts->site_event_count = args->site_events.count;
    opts->provenance = args->provenance.items;
    opts->provenance_count = args->provenance.count;
    opts->site = &args->client.endpoint;
    opts->command = operands;
    int rc = session_run(opts, &status, &err);
    return rc < 0 ? request_failed("session run", rc, &err) : status;
}

#define RUN_FIELD(name) offsetof(struct session_run_args, name)
#define OPTS_FIELD(name) RUN_FIELD(opts.name)

static const struct option session_run_options[] = {
    { "plugins", 'p', OPTION_LIST, RUN_FIELD(plugins), "FILE|DIRECTORY",
      "Plugins that run on each node; may be repeated." },
    { "period", 0, OPTION_DURATION, OPTS_FIELD(period_ns), "DURATION",
      "How often they run; default: 10s." },
    { "hosts", 0, OPTION_TEXT, OPTS_FIELD(hosts), "SET",
      "Nodes of the session; default: those of the allocation." },
    { "size", 0, OPTION_COUNT, OPTS_FIELD(size), "COUNT",
      "So many nodes on this machine instead." },
    { "spare", 0, OPTION_COUNT, OPTS_FIELD(spares), "COUNT",
      "So many of the nodes, the last, replace those that fail; default: none." },
    { "condemn", 0, OPTION_TEXT, OPTS_FIELD(condemn), "down|degraded|none",
      "Replace a node with this health at the site, too; default: down." },
    { "launch", 0, OPTION_TEXT, OPTS_FIELD(launch), "COMMAND",
      "What starts a program on a host; default: srun in an allocation, else ssh." },
    { "address", 0, OPTION_TEXT, OPTS_FIELD(address), "HOST",
      "This machine, as the nodes reach it; default: its name." },
    { "name", 'n', OPTION_TEXT, OPTS_FIELD(name), "NAME",
      "Name of the session; default: stepN.job-JOBID.CLUSTER." },
    { "dir", 'd', OPTION_TEXT, OPTS_FIELD(directory), "DIR",
      "Where its data are; default: ~/.local/share/barograph/sessions/NAME." },
    { "read", 0, OPTION_LIST, RUN_FIELD(reads), "PATTERN",
      "Files that plugins may read; may be repeated; default: those of the agent." },
    { "agent", 'a', OPTION_TEXT, OPTS_FIELD(agent), "SOCKET",
      "By this node's agent the site hears of the session; default: BARO_AGENT." },
    { "site-event", 0, OPTION_LIST, RUN_FIELD(site_events), "PATTERN",
      "Events of the session that the site hears of; may be repeated; default: none." },
    { "provenance", 0, OPTION_LIST, RUN_FIELD(provenance), "DIR",
      "Record for you alone what it runs and opens, with paths below DIR as they "
      "are." },
    { "heartbeat", 0, OPTION_DURATION, OPTS_FIELD(heartbeat_ns), "DURATION",
      "A node that is silent for two and a half of these is lost; default: 2s." },
    { "start-wait", 0, OPTION_DURATION, OPTS_FIELD(start_wait_ns), "DURATION",
      "How long the command waits for the nodes; default: 10s." },
    { "data-max", 0, OPTION_SIZE, OPTS_FIELD(bytes_max), "SIZE",
      "Size of the data at most; default: 1GiB." },
    CLIENT_SERVER_OPTIONS,
    { "quiet", 'q', OPTION_FLAG, OPTS_FIELD(is_quiet), NULL, "No summary at the end." },
};

const struct command cmd_session_run = {
    .name = "session run",
    .operands = "COMMAND [ARGUMENT]...",
    .help = "Run a command with a session of its own: your plugins on its nodes.",
    .options = session_run_options,
    .option_count = COUNT_OF(session_run_options),
    .args_size = sizeof(struct session_run_args),
    .run = session_run_run,
    .prints_data = true,
};
