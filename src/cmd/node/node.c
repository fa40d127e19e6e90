/* SPDX-License-Identifier: Apache-2.0 */
/* node - baro node: which nodes differ from comparable ones. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

struct node_args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *metric, *window;
};

static int node_run(void *arg, int operand_count, char **operands)
{
    const struct node_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/nodes");
    for (int i = 0; i < operand_count; i++)
        net_url_add(&url, "component", operands[i]);
    net_url_add(&url, "metric", args->metric);
    net_url_add(&url, "from", args->client.from);
    net_url_add(&url, "to", args->client.to);
    net_url_add(&url, "last", args->client.last);
    net_url_add(&url, "window", args->window);
    if (args->client.limit)
        net_url_add_u64(&url, "limit", args->client.limit);
    return request_run_url(&args->client, &url, "node");
}

static const struct option options[] = {
    { "metric", 'm', OPTION_TEXT, offsetof(struct node_args, metric), "PATTERNS",
      "Only these metrics: names or patterns with commas between them." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "The range's beginning: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME", "Its end; default: now." },
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",
      "Its length up to its end, instead of a beginning; default: 1h." },
    { "window", 'w', OPTION_TEXT, offsetof(struct node_args, window), "DURATION",
      "Length of the windows that are compared; default: a twelfth of the range." },
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many findings; default: 100." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_node = {
    .name = "node",
    .operands = "[COMPONENT]...",
    .help = "Which nodes differ from comparable ones, in what, and since when.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct node_args),
    .run = node_run,
    .details =
        "silent: sends nothing any more; stopped: no longer this metric; low, high:\n"
        "unlike nodes of the same job, or of the same cluster and metrics; stuck: "
        "always\n"
        "the same value.\n"
        "\n"
        "Example: baro node 'alex/a[0101-0108]' --metric mem_bw --last 1h",
};
