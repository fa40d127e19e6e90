/* SPDX-License-Identifier: Apache-2.0 */
/* climate_ask - what commands about a climate share: the mapping, and its runs. */
#ifndef CMD_CLIMATE_ASK_H
#define CMD_CLIMATE_ASK_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/zone.h"
#include "cmd/output.h"

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
#define CLIMATE_OPTION_POOL(args)                                                \
    {                                                                            \
        "pool", 'p', OPTION_TEXT, offsetof(args, pool), "WHAT",                  \
            "Which runs are looked at together: those of a class (default), of " \
            "the group that is its first part, or all."                          \
    }
#define CLIMATE_OPTION_OUTPUT(args)                                         \
    {                                                                       \
        "output", 'o', OPTION_TEXT, offsetof(args, parts.output), "FORMAT", \
            "table (default), json, or csv."                                \
    }

struct climate_ask {
    struct mapping mapping;
    struct runs runs;
};

/* Of the commands that look at runs together. */
struct climate_pool_args {
    const char *map;
    const char *set;
    const char *pool;
    struct table_parts_args parts;
};

/* who: "baro climate show".  Without a mapping or a table it says so.
 * Errors: -EINVAL likewise, as mapping_load() and runs_load(). */
int climate_ask_load(const char *map, char *const *paths, int count,
                     struct climate_ask *ret, struct err *err);
void climate_ask_done(struct climate_ask *ask);
DEFINE_AUTO_DONE(struct climate_ask, climate_ask_done);

/* "class", "group", "all"; NULL: class.  Errors: -EINVAL. */
int climate_ask_pool(const char *name, enum run_pool *ret, struct err *err);

/* What the answer must say of rows that could not be read. */
void climate_ask_note(const struct climate_ask *ask, struct table *table);

/* The whole way of such a command: load, make what is asked for and print it.
 * An exit status. */
int climate_ask_pooled(const char *who, const struct climate_pool_args *args,
                       char *const *paths, int count,
                       int (*tell)(const struct climate_pool_args *args,
                                   const struct climate_ask *ask,
                                   struct run_selection *selection, struct err *err));

/* Says what went wrong, if anything did; an exit status. */
int climate_ask_end(const char *who, int rc, const struct err *err);

#endif
