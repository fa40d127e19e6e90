/* SPDX-License-Identifier: Apache-2.0 */
/* program - baro-bmc: options, the check of its configuration, until a signal ends it.
 *
 * Logs.  Threads: the caller's, which waits for signals, and the poller's.
 */
#ifndef BMC_PROGRAM_H
#define BMC_PROGRAM_H

#include "base/command.h"

struct bmc_args {
    const char *config;
    struct option_list set;
    bool is_check, prints_config;
};

/* Runs what the options are for; returns the exit status. */
int bmc_program_run(void *args, int operand_count, char **operands);

#endif
