/* SPDX-License-Identifier: Apache-2.0 */
/* sink_queue - the calls of sinks that one result of a session leads to.
 *
 *     result ─▶ a call for each sink that is due ─▶ the next one when the last has
 * ended
 *
 * One at a time: a process that hangs hangs in the one that was called, and what waits
 * for it in its socket is one message.
 */
#ifndef PLUGIN_DIRECTORY_SINK_QUEUE_H
#define PLUGIN_DIRECTORY_SINK_QUEUE_H

#include "plugin/directory/plugin_report.h"
#include "plugin/plugin.h"

struct sink_call {
    char file[64];
    char plugin[PLUGIN_NAME_MAX + 1]; /* whose inputs they are */
    struct plugin_inputs inputs;
};

struct sink_counts {
    uint64_t late; /* results that came before the sinks of the last were through */
    uint64_t not_called; /* the process was away, the plugin not loaded */
    uint64_t cut;        /* inputs that had no place */
};

struct sink_queue {
    enum plugin_function function; /* sink; or reduce, of what is merged on the way */
    struct plugin_host *host;
    const struct plugin_report *report;
    uint32_t memory_bytes; /* of a plugin */
    struct sink_counts counts;
    bool is_missing; /* the last one could not be called */
    uint64_t epoch;
    int64_t t_ns;
    size_t next, count; /* of calls */
    struct sink_call calls[HOST_PLUGINS_MAX];
};

/* Sinks that are due, in place of what is left.  One whose plugin is loaded just now
 * is called when it is there. */
void sink_queue_fill(struct sink_queue *queue, uint64_t epoch, int64_t t_ns,
                     const struct bundle *bundle);
static inline bool sink_queue_is_empty(const struct sink_queue *queue)
{
    return queue->next == queue->count;
}
/* The next that can be called is; what cannot is counted and reported.  Not while the
 * host is busy.  false: none is left. */
bool sink_queue_call(struct sink_queue *queue);
void sink_queue_clear(struct sink_queue *queue);

#endif
