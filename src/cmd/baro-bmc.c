/* SPDX-License-Identifier: Apache-2.0 */
/* baro-bmc - reads BMCs by Redfish and IPMI, and sends barod what they report. */
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"
#include "bmc/bmc.h"

static const struct option bmc_options[] = {
    { "config", 'c', OPTION_TEXT, offsetof(struct bmc_args, config), "FILE",
      "Read FILE instead of " BMC_CONFIG_DEFAULT "." },
    { "set", 0, OPTION_LIST, offsetof(struct bmc_args, set), "SECTION.KEY=VALUE",
      "Set one key, overriding the file; may be repeated." },
    { "check", 0, OPTION_FLAG, offsetof(struct bmc_args, is_check), NULL,
      "Check the configuration and the connection to barod, then end." },
    { "print-config", 0, OPTION_FLAG, offsetof(struct bmc_args, prints_config), NULL,
      "Print a commented configuration with all defaults, and end." },
};

int main(int argc, char **argv)
{
    static const struct command command = {
        .name = "baro-bmc",
        .operands = "",
        .help = "Read BMCs by Redfish and IPMI, and send barod what they report.",
        .options = bmc_options,
        .option_count = COUNT_OF(bmc_options),
        .args_size = sizeof(struct bmc_args),
        .run = bmc_program_run,
        .details = "SIGUSR1 writes the counters to the log; SIGTERM ends it.",
    };
    struct err err = { 0 };
    if (completion_is_requested(argc, argv))
        return completion_print_command(&command, argc, argv);
    if (terminal_start("baro-bmc") < 0)
        return EXIT_FAILED;
    log_start("baro-bmc");
    if (clock_start(&err) < 0) {
        log_error("%s", err.text);
        return EXIT_FAILED;
    }
    return options_main(&command, argc, argv);
}
