/* SPDX-License-Identifier: Apache-2.0 */
/* commands - the subcommands of baro, one file each; baro.c has the table. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "base/options.h"

extern const struct command cmd_config_sample;
extern const struct command cmd_jobstats_namespace_new;
extern const struct command cmd_jobstats_parse;
extern const struct command cmd_jobstats_series_id;
extern const struct command cmd_lustre_stats;
extern const struct command cmd_token_key_new;
extern const struct command cmd_token_new;
extern const struct command cmd_token_show;

#endif
