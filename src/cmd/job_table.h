/* SPDX-License-Identifier: Apache-2.0 */
/* job_table - a CSV file of jobs that grows, and may be gone on with. */
#ifndef CMD_JOB_TABLE_H
#define CMD_JOB_TABLE_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/hashmap.h"
#include "base/zone.h"

struct job_table {
    int fd;
    char *path;
    char *header;        /* its first line; NULL: it is new */
    struct hashmap logs; /* that have a row already */
};

/* Open path, or make it.  A last line that is not whole is cut off.
 * Errors: what open says, -EBADMSG (no CSV with a column _log), -EBUSY (another process
 * has it), -ENOMEM. */
int job_table_open(struct job_table *table, const char *path, struct err *err);
void job_table_done(struct job_table *table);
DEFINE_AUTO_DONE(struct job_table, job_table_done);

bool job_table_has(const struct job_table *table, const char *log);
/* A row at the end; header and row are lines of CSV.  Errors: -EINVAL (other columns
 * than the file's), what write says. */
int job_table_add(struct job_table *table, const char *header, struct span row,
                  struct err *err);

#endif
