/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_event - a message of the kernel as the session has it: kernel.RULE and JSON.
 *
 *     {"severity":"error","class":"application","component":"alex/a0903",
 *      "job":"4711","text":"...","time":1732826405.25,"message":"8aeb7060-...:1234"}
 */
#ifndef AGENT_SAMPLING_KERNEL_EVENT_H
#define AGENT_SAMPLING_KERNEL_EVENT_H

#include "base/log.h"
#include "base/strbuf.h"
#include "base/system/process_job.h"
#include "source/kmsg/kmsg.h"

struct kernel_event {
    struct strbuf name, payload;
    struct strbuf line; /* for the log */
    enum log_level level;
    char job[JOB_ID_BYTES]; /* "": of none */
};

struct kernel_of {
    const char *root, *cluster, *host, *boot;
    const struct kmsg_record *record;
    int64_t t_ns; /* of the message */
};

/* The job of the message's cgroup, else of its process, where that is older than the
 * message and still there. */
void kernel_event_make(const struct kernel_of *of, const struct kmsg_event *event,
                       struct kernel_event *ret);
void kernel_event_done(struct kernel_event *event);

#endif
