/* SPDX-License-Identifier: Apache-2.0 */
/* job_spool - what jobs had mounted, until barod has it; private to the room.
 *
 *     DIR/TIME-UID-LOGIN-JOB-PROCESS-NUMBER   a line, as model/job_dataset.h has it
 *     DIR/.new-...                            until it is whole
 *     DIR/.bad-...                            could not be read; it has its place
 *     DIR/lost                                a byte for each that had no place
 *
 * DIR is root's, and of the group of the process that sends: root writes, that one
 * reads and removes.  What is there outlives all processes.  A quarter of the places is
 * for a user: by the number, by who logged in, and by the job, as a user may have many
 * numbers (those of a user namespace).
 * Threads  none; several processes write, one removes.
 */
#ifndef DATASET_MOUNT_JOB_SPOOL_H
#define DATASET_MOUNT_JOB_SPOOL_H

#include "base/err.h"
#include "base/strbuf.h"
#include "dataset/forwarder/forwarder.h"
#include "model/model.h"

#include <sys/types.h>

/* As root.  Errors: those of mkdir and open, with a line. */
int job_spool_open(const char *path, gid_t gid, int *ret_fd, struct err *err);
/* As root.  login: who logged in (audit); UINT32_MAX: not known.  Errors: -EDQUOT (no
 * place: it is counted as lost), those of files. */
int job_spool_add(int dir, gid_t gid, const struct job_report_opts *opts,
                  const struct job_dataset *dataset, uint32_t login);

/* ---- of the process that sends ---- */

#define JOB_SPOOL_BATCH_MAX 100U
#define JOB_SPOOL_NAME_SIZE 128

struct job_spool_batch {
    size_t count;
    char names[JOB_SPOOL_BATCH_MAX][JOB_SPOOL_NAME_SIZE];
    /* None of these is among the names, and each is counted once. */
    size_t empty; /* removed: not whole, as of a loss of power, or a killed process */
    size_t unreadable; /* have another name now: .bad-... */
    int error;         /* of the first of these; 0: none */
};

/* The oldest; their lines into *body.  *ret is right also after an error: those of
 * files. */
int job_spool_read(int dir, struct job_spool_batch *ret, struct strbuf *body);
/* All that can be.  The first error of files. */
int job_spool_remove(int dir, const struct job_spool_batch *batch);
/* How many were lost in all. */
uint64_t job_spool_lost(int dir);

#endif
