/* SPDX-License-Identifier: Apache-2.0 */
/* job_table - a CSV file of jobs that grows, and may be gone on with. */
#ifndef CLIENT_JOB_CSV_FILE_H
#define CLIENT_JOB_CSV_FILE_H

#include "analysis/climate/climate.h"
#include "analysis/job/job.h"
#include "analysis/table/table.h"
#include "analysis/weather/weather.h"
#include "base/hashmap.h"
#include "base/zone.h"

struct job_csv_file {
    int fd;
    char *path;
    char *header;        /* its first line; NULL: it is new */
    struct hashmap logs; /* that have a row already */
};

/* Open path, or make it.  A last line that is not whole is cut off.
 * Errors: what open says, -EBADMSG (no CSV with a column _log), -EBUSY (another process
 * has it), -ENOMEM. */
int job_csv_file_open(struct job_csv_file *table, const char *path, struct err *err);
void job_csv_file_done(struct job_csv_file *table);
DEFINE_AUTO_DONE(struct job_csv_file, job_csv_file_done);

bool job_csv_file_has(const struct job_csv_file *table, const char *log);
/* A row at the end; header and row are lines of CSV.  Errors: -EINVAL (other columns
 * than the file's), what write says. */
int job_csv_file_add(struct job_csv_file *table, const char *header, struct span row,
                     struct err *err);

#endif
