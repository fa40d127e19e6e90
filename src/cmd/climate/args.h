/* SPDX-License-Identifier: Apache-2.0 */
/* climate_args - what commands about a climate share: options, and how they run. */
#ifndef CMD_CLIMATE_ARGS_H
#define CMD_CLIMATE_ARGS_H

#include "client/climate/climate.h"
#include "cmd/output.h"
#include "cmd/progress_line.h"

/* Options that have the same words everywhere. */
#define CLIMATE_OPTION_MAP(args)                                      \
    {                                                                 \
        "map", 'm', OPTION_TEXT, offsetof(args, map), "FILE",         \
            "What the columns mean: see baro climate study --sample." \
    }
#define CLIMATE_OPTION_CLASS(args)                                  \
    {                                                               \
        "class", 'c', OPTION_TEXT, offsetof(args, set), "PATTERN",  \
            "Only classes of this name, with * ? []; default: all." \
    }
#define CLIMATE_OPTION_POOL(args)                                          \
    {                                                                      \
        "pool", 'p', OPTION_TEXT, offsetof(args, pool), "class|group|all", \
            "Which runs are compared: those of a class (default), of "     \
            "the group that is its first part, or all."                    \
    }
#define CLIMATE_OPTION_OUTPUT(args)                                                 \
    {                                                                               \
        "output", 'o', OPTION_TEXT, offsetof(args, parts.output), "table|json|csv", \
            "table (default), json, or csv."                                        \
    }

/* Of the commands that look at runs together. */
struct climate_pool_args {
    const char *map;
    const char *set;
    const char *pool;
    struct table_parts_args parts;
};

/* Begin the line for the tables that are read: the callback that prints it.  Afterwards
 * the line is to be ended. */
struct runs_progress climate_args_progress(struct progress_line *line);

/* climate_runs_load(), and a warning where a barod has more runs. */
int climate_args_load(const char *map, char *const *paths, int count,
                      struct climate_runs *ret, struct err *err);
void climate_args_truncated(const char *name);

/* "class", "group", "all"; NULL: class.  Errors: -EINVAL. */
int climate_args_pool(const char *name, enum run_pool *ret, struct err *err);

/* All of such a command: load, compute and print.  who: "baro climate show".  An exit
 * status. */
int climate_args_pooled(const char *who, const struct climate_pool_args *args,
                        char *const *paths, int count,
                        int (*print)(const struct climate_pool_args *args,
                                     const struct climate_runs *climate,
                                     struct run_selection *selection, struct err *err));

/* Report the error, if there is one; an exit status. */
int climate_args_end(const char *who, int rc, const struct err *err);

#endif
