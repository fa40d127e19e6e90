/* SPDX-License-Identifier: Apache-2.0 */
/* doctor - baro dataset doctor: which server on the way to datasets is away or waits.
 */
#include "cmd/dataset/args.h"
#include "dataset/mount/mount.h"

struct args {
    struct dataset_args common;
    const char *agent, *config;
};

/* 1: it does not respond.  On a node without datasets there is none. */
static size_t agent_examine(const char *socket, struct table *out)
{
    AUTO(table_done) struct table mounts;
    struct err err = { 0 };
    char text[64];
    table_init(&mounts);
    if (access(socket, F_OK) < 0)
        return 0;
    int rc = where_table(socket, &mounts, &err);
    (void)snprintf(text, sizeof text, "%zu mounts of yours", mounts.row_count);
    doctor_row_add(out, "agent", socket, rc < 0 ? "away" : "ok",
                   rc < 0 ? err.text : text);
    return rc < 0;
}

/* Where the configuration of this node has servers: its own, else what it fetches from.
 */
static const struct config_list *configured(const struct forwarder_opts *opts)
{
    return opts->listen.count > 0 ? &opts->listen : &opts->upstream;
}

static int doctor_print(const struct args *args, const char *const *addresses,
                        size_t count, struct err *err)
{
    AUTO(table_done) struct table table;
    size_t bad = 0;
    table_init(&table);
    doctor_table_init(&table);
    size_t away = agent_examine(args->agent ? args->agent : AGENT_SOCKET, &table);
    int rc = doctor_examine(addresses, count, &table, &bad);
    if (rc == 0)
        rc = dataset_args_print(&args->common, &table, err);
    return rc < 0 ? rc : bad + away > 0;
}

static int dataset_doctor_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct config *config = NULL;
    struct forwarder_opts opts = { 0 };
    struct err err = { 0 };
    int rc = 0;
    if (operand_count == 0)
        rc = forwarder_config_load(args->config, NULL, 0, &config, &opts, &err);
    const struct config_list *list = configured(&opts);
    if (rc == 0)
        rc = operand_count > 0 ? doctor_print(args, (const char *const *)operands,
                                              (size_t)operand_count, &err)
                               : doctor_print(args, list->items, list->count, &err);
    config_free(config);
    return rc < 0   ? dataset_args_failed("dataset doctor", rc, &err)
           : rc > 0 ? EXIT_FAILED
                    : EXIT_OK;
}

static const struct option options[] = {
    { "agent", 0, OPTION_TEXT, offsetof(struct args, agent), "SOCKET",
      "Where baro-dataset-agent listens; default: " AGENT_SOCKET },
    { "config", 'c', OPTION_TEXT, offsetof(struct args, config), "FILE",
      "Of which servers, without ADDRESS; default: " FORWARDER_CONFIG_DEFAULT },
    { "output", 'o', OPTION_TEXT, offsetof(struct dataset_args, output),
      "table|json|csv", "table (default), json or csv" },
};

const struct command cmd_dataset_doctor = {
    .name = "dataset doctor",
    .operands = "[ADDRESS]...",
    .help = "Which server on the way to datasets does not respond, or waits, and why.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_doctor_run,
    .details =
        "It ends while reads of datasets hang. The exit status is 1 where one is "
        "not ok.\n",
};
