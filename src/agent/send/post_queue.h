/* SPDX-License-Identifier: Apache-2.0 */
/* post_queue - texts on disk until barod has acknowledged them.
 *
 *     text ──put──▶ SPOOL/NAME (bounded) ──sender──▶ POST path ──judge──▶ the next
 *                                                     refused: SPOOL/NAME/refused
 *
 * Sending one twice has to change nothing at barod.
 *
 * Threads  the functions are called from one thread, that of the loop.
 */
#ifndef AGENT_SEND_POST_QUEUE_H
#define AGENT_SEND_POST_QUEUE_H

#include "agent/config.h"
#include "agent/report.h"
#include "spool/spool.h"

struct net_response;
struct post_queue;

enum post_verdict { POST_ACCEPTED, POST_REFUSED, POST_LATER };

/* What an accepted text came to. */
struct post_accepted {
    uint64_t sent, refused; /* entries */
};

/* Only barod's own form counts: a proxy may respond 200 to anything.  count: entries of
 * the text. */
typedef enum post_verdict post_judge_fn(const struct net_response *response,
                                        uint32_t count, struct post_accepted *ret);

struct post_queue_opts {
    const struct agent_opts *agent;
    const struct agent_report *report;
    const char *name; /* the directory in the spool */
    const char *path, *content_type;
    const char *encoding; /* "zstd": what is put is compressed; NULL: it is not */
    const char *what;     /* for people: "readings of targets" */
    enum agent_event refused_event;
    uint64_t bytes_max;
    post_judge_fn *judge;
};

struct post_queue_counts {
    uint64_t sent;    /* entries that barod acknowledged, also those it had already */
    uint64_t refused; /* entries that it refused */
    uint64_t not_stored;
    uint64_t attempts_failed;
    uint64_t waiting, lost; /* entries */
};

/* All that opts points to must outlive it.  Errors: of the spool, of the server's
 * address, of the token, -ENOMEM, what pthread_create returns. */
int post_queue_open(const struct post_queue_opts *opts, struct post_queue **ret,
                    struct err *err);
/* What waits stays on disk.  Amid a request the memory stays, too. */
void post_queue_close(struct post_queue *queue);
/* What cannot be stored is reported and counted.  Returns whether it was. */
bool post_queue_put(struct post_queue *queue, struct span text, uint32_t count);
void post_queue_count(struct post_queue *queue, struct post_queue_counts *ret);

#endif
