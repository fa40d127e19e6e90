/* SPDX-License-Identifier: Apache-2.0 */
/* program - what the programs that serve datasets share: configuration, lines, end.
 *
 * No library: it is main() of baro-datasetd and of baro-dataset-agent, and logs.
 */
#ifndef DATASET_PROGRAM_PROGRAM_H
#define DATASET_PROGRAM_PROGRAM_H

#include "base/options.h"
#include "dataset/forwarder/forwarder.h"

struct dataset_program_args {
    const char *config;
    struct option_list set;
    bool is_check, prints_config;
};

/* The options of a struct whose first member is a struct dataset_program_args. */
#define DATASET_PROGRAM_OPTIONS                                                 \
    { "config",    'c',                                                         \
      OPTION_TEXT, offsetof(struct dataset_program_args, config),               \
      "FILE",      "Read FILE instead of " FORWARDER_CONFIG_DEFAULT "." },      \
        { "set",                                                                \
          0,                                                                    \
          OPTION_LIST,                                                          \
          offsetof(struct dataset_program_args, set),                           \
          "SECTION.KEY=VALUE",                                                  \
          "Set a key over the value in the file; may be repeated." },           \
        { "check",                                                              \
          0,                                                                    \
          OPTION_FLAG,                                                          \
          offsetof(struct dataset_program_args, is_check),                      \
          NULL,                                                                 \
          "Check the configuration, the repository and the cache, then end." }, \
    {                                                                           \
        "print-config", 0, OPTION_FLAG,                                         \
            offsetof(struct dataset_program_args, prints_config), NULL,         \
            "Print a commented configuration with all defaults, and end."       \
    }

typedef int (*dataset_program_fn)(const void *args, const struct forwarder_opts *opts,
                                  const struct forwarder_report *report,
                                  struct err *err);

/* Runs what the options are for; returns the exit status. */
int dataset_program_run(const struct dataset_program_args *args, int operand_count,
                        char **operands, dataset_program_fn check,
                        dataset_program_fn serve);
int dataset_program_main(const struct command *command, int argc, char **argv);

#endif
