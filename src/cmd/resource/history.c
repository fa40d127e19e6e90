/* SPDX-License-Identifier: Apache-2.0 */
/* history - baro resource history: what was stated about components. */
#include "cmd/commands.h"
#include "cmd/request_run.h"

struct resource_history_args {
    struct client_args client;
    const char *source, *from, *to, *last;
    uint64_t limit;
};

static int resource_history_run(void *arg, int operand_count, char **operands)
{
    const struct resource_history_args *args = arg;
    const struct request_param params[] = { { "component",
                                              operand_count == 1 ? operands[0] : NULL },
                                            { "source", args->source },
                                            { "from", args->from },
                                            { "to", args->to },
                                            { "last", args->last } };
    if (operand_count > 1) {
        fprintf(stderr, "baro resource history: one COMPONENT at most; see --help\n");
        return EXIT_USAGE;
    }
    return request_run_params(&args->client, "/v1/resources/history", params,
                              COUNT_OF(params), args->limit, "resource history");
}

static const struct option resource_history_options[] = {
    { "source", 'S', OPTION_TEXT, offsetof(struct resource_history_args, source),
      "SOURCE", "Only what this source stated: admin, system:NAME, user:NAME." },
    { "from", 'f', OPTION_TIME, offsetof(struct resource_history_args, from), "TIME",
      "Beginning of the range." },
    { "to", 0, OPTION_TIME, offsetof(struct resource_history_args, to), "TIME",
      "Its end; default: now." },
    { "last", 'l', OPTION_TEXT, offsetof(struct resource_history_args, last),
      "DURATION", "Its length in place of its beginning; default: 30d." },
    { "limit", 0, OPTION_LIMIT, offsetof(struct resource_history_args, limit), "COUNT",
      "The newest so many; default: 1000." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_resource_history = {
    .name = "resource history",
    .operands = "[COMPONENT]",
    .help = "What was stated about components, the newest first.",
    .options = resource_history_options,
    .option_count = COUNT_OF(resource_history_options),
    .args_size = sizeof(struct resource_history_args),
    .run = resource_history_run,
    .prints_times = true,
};
