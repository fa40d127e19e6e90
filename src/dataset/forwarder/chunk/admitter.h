/* SPDX-License-Identifier: Apache-2.0 */
/* admitter - a process that makes datasets of what was pushed, one at a time.
 *
 *     server ── one socket ──▶ admitter ── fork ──▶ repository_push_admit() ─▶ result
 *
 * The checker of images is a process that forks and may do nothing else: it needs a
 * parent with one thread, which the server is not.  So the admitter is forked before
 * the first thread is, and forks for each image: what crashes ends one admission.  It
 * dies with the server, an admission with its client's connection.  Users have turns.
 * Threads  the loop's; admitter_start() before there are others.
 */
#ifndef DATASET_FORWARDER_CHUNK_ADMITTER_H
#define DATASET_FORWARDER_CHUNK_ADMITTER_H

#include "dataset/repository/repository.h"

#include <uv.h>

struct admitter;
struct admission_job;

/* rc: 0, or as repository_push_admit() has it; -EAGAIN: the process ended. */
typedef void (*admission_fn)(void *arg, int rc, const struct push_admitted *admitted,
                             const char *text);

/* Errors: those of fork and socketpair, with a line. */
int admitter_start(const char *repository, struct admitter **ret, struct err *err);
int admitter_open(struct admitter *admitter, uv_loop_t *loop);
/* *at is the job until done() is called, which may be before this returns. */
void admitter_submit(struct admitter *admitter, const struct push_admission *in,
                     admission_fn done, void *arg, struct admission_job **at);
/* done() is not called; what was begun is ended, and what was sent stays.  *at may be
 * NULL. */
void admission_leave(struct admission_job **at);
/* Before the loop's last turn. */
void admitter_close(struct admitter *admitter);
/* The process ends. */
void admitter_free(struct admitter *admitter);

#endif
