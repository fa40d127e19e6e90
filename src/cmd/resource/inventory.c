/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - baro resource inventory: parts of nodes, or what became of them. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

struct resource_inventory_args {
    struct client_args client;
    const char *hosts, *class_name, *serial;
    bool all, history;
    uint64_t limit;
};

static int resource_inventory_run(void *arg, int operand_count, char **operands)
{
    const struct resource_inventory_args *args = arg;
    const struct request_param params[] = { { "hosts", args->hosts },
                                            { "class", args->class_name },
                                            { "serial", args->serial },
                                            { "all", args->all ? "true" : NULL },
                                            { "history",
                                              args->history ? "true" : NULL } };
    (void)operands;
    if (operand_count > 0) {
        fprintf(stderr, "baro resource inventory: no operand is wanted; see --help\n");
        return EXIT_USAGE;
    }
    return request_run_params(&args->client, "/v1/resources/inventory", params,
                              COUNT_OF(params), args->limit, "resource inventory");
}

#define INVENTORY_FIELD(name) offsetof(struct resource_inventory_args, name)

static const struct option resource_inventory_options[] = {
    { "hosts", 'H', OPTION_TEXT, INVENTORY_FIELD(hosts), "SET",
      "Only parts of these hosts: a[0901-0964],f0104." },
    { "host", 0, OPTION_TEXT, INVENTORY_FIELD(hosts), "HOST", "The same, of one." },
    { "class", 'C', OPTION_TEXT, INVENTORY_FIELD(class_name),
      "system|board|bios|cpu|dimm|disk|gpu|nic|hca", "Only parts of this class." },
    { "serial", 'n', OPTION_TEXT, INVENTORY_FIELD(serial), "SERIAL",
      "Only the part with this serial number." },
    { "all", 'a', OPTION_FLAG, INVENTORY_FIELD(all), NULL,
      "Also parts that are gone." },
    { "history", 'y', OPTION_FLAG, INVENTORY_FIELD(history), NULL,
      "What became of them, the newest first: found, moved, replaced, gone." },
    { "limit", 'l', OPTION_LIMIT, INVENTORY_FIELD(limit), "COUNT",
      "So many rows at most; default: 10000." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_inventory = {
    .name = "resource inventory",
    .operands = "",
    .help = "Parts of nodes: model, serial number, firmware, where and since when.",
    .options = resource_inventory_options,
    .option_count = COUNT_OF(resource_inventory_options),
    .args_size = sizeof(struct resource_inventory_args),
    .run = resource_inventory_run,
    .prints_times = true,
};
