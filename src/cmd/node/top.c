/* SPDX-License-Identifier: Apache-2.0 */
/* top - baro node top: what nodes do now, a row a node. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "cmd/table_follow.h"
#include "net/net.h"

struct node_top_args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *metric, *window, *sort;
    bool follow;
    int64_t interval_ns;
};

struct node_top_request {
    const struct node_top_args *args;
    const struct net_url *url;
};

static int node_top_fetch(void *arg, struct table *ret, struct err *err)
{
    const struct node_top_request *request = arg;
    return client_http_fetch_table(&request->args->client.endpoint, request->url, ret,
                                   err);
}

static int node_top_follow(const struct node_top_args *args, const struct net_url *url)
{
    struct node_top_request request = { args, url };
    struct err err = { 0 };
    const struct table_follow follow = { .args = &args->client,
                                         .interval_ns = args->interval_ns,
                                         .fetch_fn = node_top_fetch,
                                         .arg = &request };
    int rc = table_follow(&follow, &err);
    return rc < 0 ? request_failed("node top", rc, &err) : EXIT_OK;
}

static int node_top_run(void *arg, int operand_count, char **operands)
{
    const struct node_top_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    net_url_init(&url, "/v1/nodes/latest");
    for (int i = 0; i < operand_count; i++)
        net_url_add(&url, "component", operands[i]);
    net_url_add(&url, "metric", args->metric);
    net_url_add(&url, "sort", args->sort);
    net_url_add(&url, "window", args->window);
    if (args->client.limit)
        net_url_add_u64(&url, "limit", args->client.limit);
    return args->follow ? node_top_follow(args, &url)
                        : request_run_url(&args->client, &url, "node top");
}

static const struct option node_top_options[] = {
    { "metric", 'm', OPTION_TEXT, offsetof(struct node_top_args, metric), "PATTERNS",
      "These metrics, a column each: names or patterns with commas between them." },
    { "sort", 0, OPTION_TEXT, offsetof(struct node_top_args, sort), "METRIC",
      "The nodes with the largest of it first; default: the first column." },
    { "window", 'w', OPTION_TEXT, offsetof(struct node_top_args, window), "DURATION",
      "The mean, or the rate, of so long until now; default: 1m." },
    { "limit", 'l', OPTION_LIMIT, CLIENT_FIELD(limit), "COUNT",
      "So many nodes; default: 50." },
    { "follow", 'f', OPTION_FLAG, offsetof(struct node_top_args, follow), NULL,
      "Draw the table again and again, until Ctrl-C." },
    { "interval", 0, OPTION_DURATION, offsetof(struct node_top_args, interval_ns),
      "DURATION", "How often, with --follow; default 5s." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_node_top = {
    .name = "node top",
    .operands = "[COMPONENT]...",
    .help = "What nodes do now: load, CPU, memory, network, and who is silent.",
    .options = node_top_options,
    .option_count = COUNT_OF(node_top_options),
    .args_size = sizeof(struct node_top_args),
    .run = node_top_run,
    .details = "age is the time since the node's newest sample.\n"
               "\n"
               "Example: baro node top 'alex/a[0101-0108]' --sort mem_used --follow",
};
