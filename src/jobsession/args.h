/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that baro session run and start share. */
#ifndef JOBSESSION_ARGS_H
#define JOBSESSION_ARGS_H

#include "base/options.h"
#include "jobsession/own_session.h"

struct session_args {
    struct client_args client; /* its endpoint */
    struct own_session_opts opts;
    struct option_list plugins, reads, site_events, provenance;
    bool is_again;
};

#define SESSION_FIELD(name) offsetof(struct session_args, name)
#define SESSION_OPTS_FIELD(name) SESSION_FIELD(opts.name)

/* clang-format off */
#define SESSION_OPTIONS \
    { "plugins", 'p', OPTION_LIST, SESSION_FIELD(plugins), "FILE|DIRECTORY", \
      "Plugins that run on each node; may be repeated." }, \
    { "period", 0, OPTION_DURATION, SESSION_OPTS_FIELD(period_ns), "DURATION", \
      "How often they run; default: 10s." }, \
    { "hosts", 0, OPTION_TEXT, SESSION_OPTS_FIELD(hosts), "SET", \
      "Nodes of the session; default: those of the allocation." }, \
    { "size", 0, OPTION_COUNT, SESSION_OPTS_FIELD(size), "COUNT", \
      "So many nodes on this machine instead." }, \
    { "spare", 0, OPTION_COUNT, SESSION_OPTS_FIELD(spares), "COUNT", \
      "So many of the nodes, the last, replace those that fail; default: none." }, \
    { "condemn", 0, OPTION_TEXT, SESSION_OPTS_FIELD(condemn), "down|degraded|none", \
      "Replace a node with this health at the site, too; default: down." }, \
    { "launch", 0, OPTION_TEXT, SESSION_OPTS_FIELD(launch), "COMMAND", \
      "What starts a program on a host; default: srun in an allocation, else ssh." }, \
    { "address", 0, OPTION_TEXT, SESSION_OPTS_FIELD(address), "HOST", \
      "This machine, as the nodes reach it; default: its name." }, \
    { "dir", 'd', OPTION_TEXT, SESSION_OPTS_FIELD(directory), "DIR", \
      "Where its data are; default: ~/.local/share/barograph/sessions/NAME." }, \
    { "read", 0, OPTION_LIST, SESSION_FIELD(reads), "PATTERN", \
      "Files that plugins may read; may be repeated; default: those of the agent." }, \
    { "agent", 'a', OPTION_TEXT, SESSION_OPTS_FIELD(agent), "SOCKET", \
      "By this node's agent the site hears of the session; default: BARO_AGENT." }, \
    { "site-event", 0, OPTION_LIST, SESSION_FIELD(site_events), "PATTERN", \
      "Events of the session that the site hears of; may be repeated; default: none." }, \
    { "provenance", 0, OPTION_LIST, SESSION_FIELD(provenance), "DIR", \
      "Record for you alone what it runs and opens, with paths below DIR as they " \
      "are." }, \
    { "heartbeat", 0, OPTION_DURATION, SESSION_OPTS_FIELD(heartbeat_ns), "DURATION", \
      "A node that is silent for two and a half of these is lost; default: 2s." }, \
    { "start-wait", 0, OPTION_DURATION, SESSION_OPTS_FIELD(start_wait_ns), "DURATION", \
      "How long the command waits for the nodes; default: 10s." }, \
    { "data-max", 0, OPTION_SIZE, SESSION_OPTS_FIELD(bytes_max), "SIZE", \
      "Size of the data at most; default: 1GiB." }, \
    CLIENT_SERVER_OPTIONS
/* clang-format on */

/* The options as the session has them; args outlives them. */
const struct own_session_opts *session_args_opts(struct session_args *args);

#endif
