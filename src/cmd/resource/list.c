/* SPDX-License-Identifier: Apache-2.0 */
/* list - baro resource list: the health of components, since when and why. */
#include "cmd/commands.h"
#include "cmd/request_run.h"
#include "net/net.h"

struct resource_list_args {
    struct client_args client;
    const char *health;
    bool parts;
    uint64_t limit;
};

static int resource_list_run(void *arg, int operand_count, char **operands)
{
    const struct resource_list_args *args = arg;
    AUTO(net_url_done) struct net_url url;
    if (operand_count > 1) {
        fprintf(stderr, "baro resource list: one PATTERN at most; see --help\n");
        return EXIT_USAGE;
    }
    net_url_init(&url, "/v1/resources");
    if (operand_count == 1)
        net_url_add(&url, "component", operands[0]);
    else if (!args->parts)
        net_url_add(&url, "parts", "false");
    if (args->health)
        net_url_add(&url, "health", args->health);
    if (args->limit > 0)
        net_url_add_u64(&url, "limit", args->limit);
    return request_run_url(&args->client, &url, "resource list");
}

static const struct option resource_list_options[] = {
    { "health", 'H', OPTION_TEXT, offsetof(struct resource_list_args, health),
      "HEALTH[,HEALTH...]",
      "Only of this health: up, degraded, down, unknown, drained; default: any." },
    { "parts", 'p', OPTION_FLAG, offsetof(struct resource_list_args, parts), NULL,
      "With the parts of hosts; a PATTERN with as many levels has them, too." },
    { "limit", 'l', OPTION_LIMIT, offsetof(struct resource_list_args, limit), "COUNT",
      "So many components at most; default: 1000." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_list = {
    .name = "resource list",
    .operands = "[PATTERN]",
    .help = "Health of hosts and other components, since when and why.",
    .options = resource_list_options,
    .option_count = COUNT_OF(resource_list_options),
    .args_size = sizeof(struct resource_list_args),
    .run = resource_list_run,
    .prints_times = true,
};
