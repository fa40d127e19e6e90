/* SPDX-License-Identifier: Apache-2.0 */
/* target_health - how full targets were and who served them over a window, out of the
 * records.
 *
 * Threads  one worker's.
 */
#ifndef API_READING_TARGET_HEALTH_H
#define API_READING_TARGET_HEALTH_H

#include "base/system/budget.h"
#include "base/table/table.h"
#include "records/records.h"

struct target_health_opts {
    struct records_reader *rows;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const char *fs;      /* a pattern: of its name, or of the last part of its mount */
    const char *cluster; /* of the file system; NULL: any */
    int64_t from_ns, to_ns;   /* [from_ns, to_ns) */
    int64_t age_max_ns;       /* a reading older than that at from_ns is none */
    bool is_all;              /* also those in which nothing changed */
    struct budget_hold *hold; /* is charged for what is read */
};

/* Rows as health_changes has them, columns of health_readings_columns_add().  ret is
 * initialised and empty.  Errors: -ENOENT (there is no reading of such a file system),
 * what watch and the hold report, those of reading, -ENOMEM. */
int target_health_read(const struct target_health_opts *opts, struct table *ret,
                       struct err *err);

#endif
