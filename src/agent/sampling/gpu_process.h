/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_process - the process that reads GPUs (baro-gpu-read), seen from the agent.
 *
 *     gpu_process_start ─▶ gpu_process_request ─▶ "read 7" ─▶ its socket
 *     its socket is readable ─▶ gpu_process_receive ─▶ events: values ..., the end of 7
 *
 * It is not trusted: lines and their number are bounded and checked.  Nothing here
 * waits, and what fails has its reason and leaves it to the caller to end the process.
 *
 * Threads  one.
 */
#ifndef AGENT_SAMPLING_GPU_PROCESS_H
#define AGENT_SAMPLING_GPU_PROCESS_H

#include "base/err.h"
#include "source/gpu/gpu.h"

#include <sys/types.h>

struct gpu_process {
    int fd;            /* -1: there is none */
    pid_t pid;         /* 0: there is none */
    pid_t leaving;     /* that was ended, and is not gone yet: it hangs in the kernel */
    uint64_t request;  /* the newest */
    bool is_busy;      /* of which not all has come yet */
    size_t line_count; /* of this response */
    size_t line_size;
    char line[GPU_LINE_MAX];
    char complaint[GPU_LINE_MAX]; /* the first of this response; "": none */
};

#define GPU_PROCESS_INIT \
    {                    \
        .fd = -1         \
    }

/* Errors: of socketpair and posix_spawn; -EBUSY: the one before is not gone yet. */
int gpu_process_start(struct gpu_process *process, const char *program,
                      const char *library, struct err *err);
/* SIGKILL; nothing waits for its end. */
void gpu_process_end(struct gpu_process *process);
/* Is the one that was ended gone? */
bool gpu_process_is_gone(struct gpu_process *process);

/* Errors: of sending. */
int gpu_process_request(struct gpu_process *process);
/* What is there now; is_busy is false once the response has ended.
 * Errors: -EPIPE (it has ended: complaint may have why), -EBADMSG, of receiving. */
int gpu_process_receive(struct gpu_process *process,
                        void (*value)(void *arg, const struct gpu_value *value),
                        void *arg);

#endif
