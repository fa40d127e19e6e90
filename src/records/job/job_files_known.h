/* SPDX-License-Identifier: Apache-2.0 */
/* job_files_known - what the writer remembers of jobs whose files come: how many are
 * stored, on which nodes they run, and how many rows each user has stored today.
 *
 * Nothing of it is needed: what is forgotten is read again.
 *
 * Threads  the writer's.
 */
#ifndef RECORDS_JOB_JOB_FILES_KNOWN_H
#define RECORDS_JOB_JOB_FILES_KNOWN_H

#include "base/hashmap.h"
#include "base/strbuf.h"
#include "records/job/job_files.h"

struct job_files_known;

/* One owner's job. */
struct job_known {
    size_t rows;         /* of files, stored */
    struct strbuf nodes; /* sets with commas, of its runs now; empty: not known */
    int64_t read_ms;     /* for them */
    uint64_t job_puts;   /* then */
};

int job_files_known_new(struct job_files_known **ret);
void job_files_known_free(struct job_files_known *known); /* NULL is fine */

/* The job of a list, and its user's rows of today; *ret_is_new: nothing of it is known
 * yet.  Both are valid until the next list of another put.  NULL: memory is out. */
struct job_known *job_files_known_job(struct job_files_known *known,
                                      const struct job_file_list *files,
                                      bool *ret_is_new);
size_t *job_files_known_user(struct job_files_known *known,
                             const struct job_file_list *files);
/* Before a put: forgets what is too much, and rows of another day. */
void job_files_known_tidy(struct job_files_known *known, int64_t now_ms);
/* It is to be read again. */
void job_files_known_forget(struct job_files_known *known);

#endif
