/* SPDX-License-Identifier: Apache-2.0 */
/* text_queue - texts of a sampling thread on disk until barod has them.
 *
 *     put, any thread ──▶ memory (64 texts, 8 MiB) ──loop──▶ SPOOL/NAME ──sender──▶
 * barod
 *
 * A sampling thread does not wait for a disk: what memory has no capacity for is lost,
 * counted and reported.
 *
 * Threads  put, has_lost and count: any.  The others: the loop's.
 */
#ifndef AGENT_SAMPLING_TEXT_QUEUE_H
#define AGENT_SAMPLING_TEXT_QUEUE_H

#include "agent/send/send.h"

#include <uv.h>

struct text_queue_opts {
    const char *name; /* the directory in the spool */
    const char *path, *content_type;
    const char *what;  /* for people: "metrics of this node" */
    const char *lines; /* likewise, of some that are lost: "samples of this node" */
    bool is_packed;    /* with zstd */
    enum agent_event refused_event, lost_event;
    uint64_t bytes_max; /* on disk */
    post_judge_fn *judge;
};

struct text_queue;

/* All that is given must outlive it.  Errors: as post_queue_open(). */
int text_queue_open(const struct text_queue_opts *opts, const struct agent_opts *agent,
                    const struct agent_report *report, uv_loop_t *loop,
                    struct text_queue **ret, struct err *err);
/* What is in memory goes to the disk.  The memory stays as long as the loop. */
void text_queue_close(struct text_queue *queue);
/* The text becomes the queue's; count: its lines.  Returns its number; 0: it is lost.
 */
uint64_t text_queue_put(struct text_queue *queue, struct strbuf *text, uint32_t count);
enum text_state { TEXT_WAITS, TEXT_STORED, TEXT_LOST };
/* Of a text that was put: is it on the disk?  One that is stored is lost, too, where a
 * later one was before this was called.  Threads: any. */
enum text_state text_queue_state(struct text_queue *queue, uint64_t number);
/* Has any been lost since this was last called, here or on its way to the disk?
 * Threads: any. */
bool text_queue_has_lost(struct text_queue *queue);
void text_queue_count(struct text_queue *queue, struct post_queue_counts *ret);

#endif
