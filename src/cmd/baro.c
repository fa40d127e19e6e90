/* SPDX-License-Identifier: Apache-2.0 */
/* baro - the command line: everything that can be asked, and all administration. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/commands.h"

#include <signal.h>

static const char summary[] =
    "Barograph draws the weather of a computing centre: what nodes, file systems and\n"
    "jobs do, what that did to a job, and what broke.";

int main(int argc, char **argv)
{
    const struct command *const commands[] = {
        &cmd_config_sample,  &cmd_jobstats_namespace_new,
        &cmd_jobstats_parse, &cmd_jobstats_series_id,
        &cmd_lustre_stats,   &cmd_token_key_new,
        &cmd_token_new,      &cmd_token_show,
    };
    struct err err = { 0 };
    log_start("baro");
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pager is an error of write, no death */
    if (clock_start(&err) < 0) {
        fprintf(stderr, "baro: %s\n", err.text);
        return EXIT_FAILED;
    }
    return options_dispatch("baro", summary, commands, COUNT_OF(commands), argc, argv);
}
