/* SPDX-License-Identifier: Apache-2.0 */
/* args - what the commands of datasets share: the repository, the form of a result. */
#ifndef CMD_DATASET_ARGS_H
#define CMD_DATASET_ARGS_H

#include "base/options.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/progress_line.h"
#include "dataset/repository/repository.h"

#include <stdio.h>

struct dataset_args {
    const char *repository;
    const char *output;
    bool raw;
};

/* The options of a struct whose first member is a struct dataset_args. */
#define DATASET_REPOSITORY_OPTION                                         \
    {                                                                     \
        "repository", 'r', OPTION_TEXT, 0, "DIRECTORY",                   \
            "The repository of datasets; default: what BARO_DATASETS has" \
    }
#define DATASET_MUNGE_OPTION(type)                                                 \
    {                                                                              \
        "munge", 0, OPTION_TEXT, offsetof(type, munge), "auto|yes|no|SOCKET",      \
            "State who you are by MUNGE; default: over TCP, where munged is there" \
    }
#define DATASET_FORM_OPTIONS                                             \
    { "output",         'o',                                             \
      OPTION_TEXT,      offsetof(struct dataset_args, output),           \
      "table|json|csv", "table (default), json or csv" },                \
    {                                                                    \
        "raw", 0, OPTION_FLAG, offsetof(struct dataset_args, raw), NULL, \
            "Numbers in full, as in json and csv"                        \
    }

/* Errors: -EINVAL (none was named), as repository_open(). */
int dataset_args_open(const struct dataset_args *args, bool creates,
                      struct repository **ret, struct err *err);
/* The same, and the dataset that spec name. */
int dataset_args_find(const struct dataset_args *args, const char *spec,
                      struct repository **ret, struct digest *ret_name,
                      struct err *err);
int dataset_args_print(const struct dataset_args *args, const struct table *table,
                       struct err *err);
/* Prints why, and returns the exit status. */
int dataset_args_failed(const char *command, int rc, const struct err *err);
int dataset_args_misused(const char *command, const char *what);
/* How far it is, in MiB, on a terminal. */
void dataset_args_progress(void *line, size_t done, size_t count);
void dataset_args_count(void *line, size_t done, size_t count);

#endif
