/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that baro session run and start share. */
#include "jobsession/args.h"

const struct own_session_opts *session_args_opts(struct session_args *args)
{
    struct own_session_opts *opts = &args->opts;
    opts->plugins = args->plugins.items;
    opts->plugin_count = args->plugins.count;
    opts->reads = args->reads.items;
    opts->read_count = args->reads.count;
    opts->site_events = args->site_events.items;
    opts->site_event_count = args->site_events.count;
    opts->provenance = args->provenance.items;
    opts->provenance_count = args->provenance.count;
    opts->site = &args->client.endpoint;
    return opts;
}
