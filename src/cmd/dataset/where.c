/* SPDX-License-Identifier: Apache-2.0 */
/* where - baro dataset where: what is mounted on this node, and by which command. */
#include "cmd/dataset/args.h"
#include "dataset/mount/mount.h"

struct args {
    struct dataset_args common;
    const char *agent;
};

static int dataset_where_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    table_init(&table);
    (void)operands;
    if (operand_count > 0)
        return dataset_args_misused("dataset where", "it has no operands");
    int rc = where_table(args->agent ? args->agent : AGENT_SOCKET, &table, &err);
    if (rc == 0)
        rc = dataset_args_print(&args->common, &table, &err);
    return rc < 0 ? dataset_args_failed("dataset where", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "agent", 0, OPTION_TEXT, offsetof(struct args, agent), "SOCKET",
      "Where baro-dataset-agent listens; default: " AGENT_SOCKET },
    { "output", 'o', OPTION_TEXT, offsetof(struct dataset_args, output),
      "table|json|csv", "table (default), json or csv" },
};

const struct command cmd_dataset_where = {
    .name = "dataset where",
    .operands = "",
    .help = "What is mounted on this node, and by which option of which command.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = dataset_where_run,
    .details = "What the user's commands and jobs have mounted; of root that of all.\n",
};
