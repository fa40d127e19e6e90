/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_state - up to which message of the kernel all is done, and the health that
 * messages of this boot have given to parts of the node.
 *
 *     baro-kernel 1
 *     boot 8aeb7060-2bb4-4777-ad4b-92ca77458177
 *     next 4711
 *     health down 0 gpu:0000:3b:00 GPU has fallen off the bus.
 *
 * A file in the agent's state, so that each message counts once also over a restart.
 */
#ifndef AGENT_SAMPLING_KERNEL_STATE_H
#define AGENT_SAMPLING_KERNEL_STATE_H

#include "base/strbuf.h"
#include "source/kmsg/kmsg.h"

#define KERNEL_STATE_BYTES_MAX ((size_t)64 << 10)
#define KERNEL_BOOT_BYTES 40
#define KERNEL_HEALTHS_MAX 64
#define KERNEL_REASON_BYTES 201

struct kernel_health {
    char part[KMSG_COMPONENT_BYTES_MAX + 1]; /* one word */
    char reason[KERNEL_REASON_BYTES];
    enum kmsg_health health; /* degraded or down */
    int64_t until_ns;        /* 0: until the next boot */
};

struct kernel_state {
    char boot[KERNEL_BOOT_BYTES]; /* its id; "": none yet */
    uint64_t next;                /* the sequence number of the next message */
    size_t health_count;
    struct kernel_health healths[KERNEL_HEALTHS_MAX];
};

void kernel_state_print(const struct kernel_state *state, struct strbuf *out);
/* Errors: -EBADMSG; *ret is as at the very start then. */
int kernel_state_parse(struct span text, struct kernel_state *ret);

/* What stands against this part from now on.  Errors: -ENOSPC. */
int kernel_state_put(struct kernel_state *state, const struct kernel_health *health);
/* Whether anything did. */
bool kernel_state_remove(struct kernel_state *state, const char *part);

/* A component as one word of a name. */
void kernel_part_name(struct span component, char out[KMSG_COMPONENT_BYTES_MAX + 1]);

#endif
