/* SPDX-License-Identifier: Apache-2.0 */
/* text_read - a read whose text is small enough to be gathered: the list of targets,
 * their cleanup intervals, the server's totals.
 *
 * Threads  the loop's.
 */
#ifndef AGENT_TEXT_READ_H
#define AGENT_TEXT_READ_H

#include "agent/child.h"
#include "base/strbuf.h"

struct text_read {
    /* Set once: */
    uv_loop_t *loop;
    size_t bytes_max; /* more ends the read with -EMSGSIZE */
    void (*done_fn)(void *arg, const struct agent_child_result *result);
    void (*gone_fn)(void *arg); /* it may be started again; NULL: not of interest */
    void *arg;
    /* Of the read under way, or the last one: */
    bool is_out; /* its process is not gone */
    int64_t t_ms;
    struct strbuf text;
};

/* It must not be out.  Errors: what starting the process returns; then nothing is
 * called.
 */
int text_read_start(struct text_read *read, char *const *argv, int64_t deadline_ns,
                    int64_t t_ms);
/* Only while it is not out. */
void text_read_done(struct text_read *read);

#endif
