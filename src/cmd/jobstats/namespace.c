/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_namespace - baro jobstats namespace new: a random namespace of series ids.
 */
#include "base/uuid.h"
#include "cmd/commands.h"

#include <stdio.h>

static int jobstats_namespace_run(void *args, int operand_count, char **operands)
{
    (void)args;
    (void)operands;
    struct uuid ns;
    char text[UUID_TEXT_SIZE];
    if (operand_count) {
        fprintf(stderr, "baro jobstats namespace new: no operands are accepted\n");
        return EXIT_USAGE;
    }
    if (uuid_new(&ns) < 0) {
        fprintf(stderr, "baro jobstats namespace new: no randomness to be had\n");
        return EXIT_FAILED;
    }
    uuid_print(text, &ns);
    return puts(text) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_jobstats_namespace_new = {
    .name = "jobstats namespace new",
    .operands = "",
    .help = "Print a new random namespace for one file system and format.",
    .run = jobstats_namespace_run,
    .prints_data = true,
};
