/* SPDX-License-Identifier: Apache-2.0 */
/* baro - the command line: everything that can be asked, and all administration. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/terminal/terminal.h"
#include "cmd/commands.h"
#include "cmd/completion_values.h"

static const char summary[] =
    "Barograph draws the weather of a computing centre: what nodes, file systems and\n"
    "jobs do, what that did to a job, and what broke.";

int main(int argc, char **argv)
{
    static const struct command *const commands[] = {
#define X(name) &cmd_##name,
        COMMAND_TABLE(X)
#undef X
    };
    struct completion completion = { .program = "baro",
                                     .commands = commands,
                                     .command_count = COUNT_OF(commands),
                                     .values = completion_values_add };
    struct err err = { 0 };
    if (completion_is_requested(argc, argv))
        return completion_print(&completion, argc, argv);
    if (terminal_start("baro") < 0)
        return EXIT_FAILED;
    log_start("baro");
    if (clock_start(&err) < 0) {
        fprintf(stderr, "baro: %s\n", err.text);
        return EXIT_FAILED;
    }
    return options_dispatch("baro", summary, commands, COUNT_OF(commands), argc, argv);
}
