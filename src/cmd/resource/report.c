/* SPDX-License-Identifier: Apache-2.0 */
/* report - baro resource report: failures and repairs of components, by class. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

struct resource_report_args {
    struct client_args client;
    const char *hosts, *cluster, *class_name, *from, *to, *last, *worst;
};

static int resource_report_run(void *arg, int operand_count, char **operands)
{
    const struct resource_report_args *args = arg;
    const struct request_param params[] = { { "hosts", args->hosts },
                                            { "cluster", args->cluster },
                                            { "class", args->class_name },
                                            { "from", args->from },
                                            { "to", args->to },
                                            { "last", args->last },
                                            { "worst", args->worst } };
    (void)operands;
    if (operand_count > 0) {
        fprintf(stderr, "baro resource report: it has no operands; see --help\n");
        return EXIT_USAGE;
    }
    return request_run_params(&args->client, "/v1/resources/report", params,
                              COUNT_OF(params), 0, "resource report");
}

#define REPORT_TEXT(name) OPTION_TEXT, offsetof(struct resource_report_args, name)

static const struct option resource_report_options[] = {
    { "hosts", 'n', REPORT_TEXT(hosts), "SET", "Only these hosts and their parts." },
    { "cluster", 'c', REPORT_TEXT(cluster), "NAME",
      "Only of this cluster, or file system." },
    { "class", 'C', REPORT_TEXT(class_name), "CLASS",
      "Only of this class: host, dimm, disk, ost; default: all." },
    { "from", 'f', OPTION_TIME, offsetof(struct resource_report_args, from), "TIME",
      "Beginning of the range." },
    { "to", 0, OPTION_TIME, offsetof(struct resource_report_args, to), "TIME",
      "Its end; default: now." },
    { "last", 'l', REPORT_TEXT(last), "DURATION",
      "Its length in place of its beginning; default: 365d." },
    { "worst", 'w', REPORT_TEXT(worst), "COUNT",
      "So many of the worst components of each class; default: 3." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_report = {
    .name = "resource report",
    .operands = "",
    .help = "Failures, MTBF, repairs and availability of components, by class.",
    .options = resource_report_options,
    .option_count = COUNT_OF(resource_report_options),
    .args_size = sizeof(struct resource_report_args),
    .run = resource_report_run,
};
