/* SPDX-License-Identifier: Apache-2.0 */
/* series_name - which series counters of jobs have in the Prometheus language. */
#include "api/jobstats/series_name.h"

#include "base/span.h"

#include <stdio.h>

const struct series_level_info series_levels[SERIES_LEVEL_COUNT] = {
    [LEVEL_ENTRY] = { "entry",
                      8,
                      { LABEL_ENTRY, DIM_EXECUTABLE, DIM_FS, DIM_GROUP, DIM_JOB,
                        DIM_NODE, DIM_TARGET, DIM_USER } },
    [LEVEL_FS] = { "fs", 1, { DIM_FS } },
    [LEVEL_TARGET] = { "target", 2, { DIM_FS, DIM_TARGET } },
    [LEVEL_SERVER] = { "server", 2, { DIM_FS, DIM_SERVER } },
    [LEVEL_JOB] = { "job", 4, { DIM_FS, DIM_GROUP, DIM_JOB, DIM_USER } },
    [LEVEL_USER] = { "user", 2, { DIM_FS, DIM_USER } },
    [LEVEL_GROUP] = { "group", 2, { DIM_FS, DIM_GROUP } },
    [LEVEL_NODE] = { "node", 2, { DIM_FS, DIM_NODE } },
    [LEVEL_EXECUTABLE] = { "executable", 2, { DIM_EXECUTABLE, DIM_FS } },
};

const char *series_label_name(int label)
{
    return label == LABEL_ENTRY ? "entry" : dim_name((enum dim)label);
}

bool series_level_has_label(enum series_level level, struct span name)
{
    const struct series_level_info *info = &series_levels[level];
    for (size_t i = 0; i < info->label_count; i++)
        if (span_is(name, series_label_name(info->labels[i])))
            return true;
    return false;
}

/* What is added up of several, then each operation as it is usually requested, then
 * what else is known of each: times, and requests where that is bytes. */
bool series_measure_at(enum series_level level, size_t index, struct measure *ret)
{
    static const char *const gathered[] = { "metadata", "iops", "read_bytes_count",
                                            "write_bytes_count" };
    char name[sizeof ret->name];
    if (index < COUNT_OF(gathered))
        return measure_parse(span_of(gathered[index]), ret, NULL) == 0;
    index -= COUNT_OF(gathered);
    if (index < OP_COUNT) {
        measure_of_op((enum op)index, ret);
        return true;
    }
    index -= OP_COUNT;
    for (int op = 0; level == LEVEL_ENTRY && op < OP_COUNT; op++) {
        if (op == OP_READ_BYTES || op == OP_WRITE_BYTES || index-- > 0)
            continue;
        (void)snprintf(name, sizeof name, "%s_usecs", op_name((enum op)op));
        return measure_parse(span_of(name), ret, NULL) == 0;
    }
    return false;
}

struct span series_name_print(char *ret, enum series_level level,
                              const struct measure *measure)
{
    int size = level == LEVEL_ENTRY
                   ? snprintf(ret, SERIES_NAME_MAX, "jobstats_%s_total", measure->name)
                   : snprintf(ret, SERIES_NAME_MAX, "%s:jobstats_%s:rate",
                              series_levels[level].name, measure->name);
    return (struct span){ ret, (size_t)size };
}
