/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_series_id - baro jobstats series-id: the id of a time series, from its name.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/uuid.h"
#include "cmd/commands.h"

struct args {
    const char *namespace;
};

static const struct option options[] = {
    { "namespace", 'n', OPTION_TEXT, offsetof(struct args, namespace), "UUID",
      "The namespace of the file system and format." },
};

static int jobstats_series_id_run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    struct uuid ns, id;
    char text[UUID_TEXT_SIZE];
    if (operand_count != 1 || !args->namespace) {
        fprintf(stderr, "baro jobstats series-id: give --namespace UUID and one NAME, "
                        "TARGET:ENTRY_ID\n");
        return EXIT_USAGE;
    }
    if (uuid_parse(span_of(args->namespace), &ns) < 0) {
        fprintf(
            stderr,
            "baro jobstats series-id: --namespace: '%s' is not a UUID: baro jobstats "
            "namespace new prints one\n",
            args->namespace);
        return EXIT_USAGE;
    }
    if (uuid_v5(&ns, span_of(operands[0]), SPAN(""), &id) < 0) {
        fprintf(stderr, "baro jobstats series-id: SHA-1 is not available\n");
        return EXIT_FAILED;
    }
    uuid_print(text, &id);
    return puts(text) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_jobstats_series_id = {
    .name = "jobstats series-id",
    .operands = "NAME",
    .help = "Print the time_series_id of a target and entry identifier.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_series_id_run,
    .prints_data = true,
};
