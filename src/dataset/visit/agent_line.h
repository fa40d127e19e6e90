/* SPDX-License-Identifier: Apache-2.0 */
/* agent_line - what a command requests of the agent, and what it responds: lines over a
 * unix socket.
 *
 *     command   mount NAME                     a tag, or digits of a name
 *     root      mount-for UID GROUPS JOB NAME  for a user: "100.2000"; JOB 0: none,
 *                                              else the job has a reference first
 *               end JOB                        its references are given back
 *     both      used NUMBER COMMAND PATH       that mount of this connection, from 0,
 *                                              is at PATH now: no response
 *               where                          what is mounted: the own, root's is all
 *               view NUMBER NAME                 what that view of its dataset changes
 *               own NUMBER                       that mount anew, its files the user's
 *               record NUMBER                    what is read of its image from now on
 *               profile NUMBER                   is next, as lines, after that
 *     agent     ok DIGEST                      with a descriptor of the mount
 *                                              (SCM_RIGHTS); of where: lines as
 *                                              model/job_dataset.h has them are next,
 *                                              and an empty one; so of view, as
 *                                              dataset/view/view.h has them
 *               error ERRNO TEXT
 *
 * The mounts stay as long as the connection.
 */
#ifndef DATASET_VISIT_AGENT_LINE_H
#define DATASET_VISIT_AGENT_LINE_H

#include "base/err.h"
#include "base/span_type.h"
#include "dataset/image/image.h"

#define AGENT_LINE_MAX 640U
#define AGENT_NAME_SIZE 129
#define AGENT_GROUPS_SIZE 112
#define AGENT_COMMAND_SIZE 16
#define AGENT_PATH_SIZE 512

struct agent_request {
    enum {
        AGENT_REQUEST_MOUNT,
        AGENT_REQUEST_MOUNT_FOR,
        AGENT_REQUEST_END,
        AGENT_REQUEST_USED,
        AGENT_REQUEST_WHERE,
        AGENT_REQUEST_VIEW,
        AGENT_REQUEST_OWN,
        AGENT_REQUEST_RECORD,
        AGENT_REQUEST_PROFILE,
    } kind;
    uint32_t uid;                   /* of MOUNT_FOR, as groups and job are */
    char groups[AGENT_GROUPS_SIZE]; /* numbers with dots between */
    uint64_t job;
    char name[AGENT_NAME_SIZE];       /* of a dataset; of VIEW the view */
    uint64_t number;                  /* which mount; not of MOUNT, END, WHERE */
    char command[AGENT_COMMAND_SIZE]; /* of USED: srun, sbatch, ...; "-": not known */
    char path[AGENT_PATH_SIZE];
};

/* A line without its end.  Errors: -EBADMSG. */
int agent_request_parse(struct span line, struct agent_request *ret);
/* With its end; at most AGENT_LINE_MAX bytes. */
size_t agent_request_print(const struct agent_request *request,
                           char out[static AGENT_LINE_MAX]);

struct agent_response {
    int error; /* 0: ok */
    struct digest name;
    char text[512];
};
int agent_response_parse(struct span line, struct agent_response *ret);
/* With its end; at most AGENT_LINE_MAX bytes. */
size_t agent_response_print(const struct agent_response *response,
                            char out[static AGENT_LINE_MAX]);

/* The next line of a socket, without its end, and the descriptor that came with it (-1:
 * none).  Errors: -ECONNRESET (its end), -EMSGSIZE, those of recvmsg. */
int agent_line_receive(int fd, char line[static AGENT_LINE_MAX], size_t *ret_size,
                       int *ret_fd);
/* fd_sent -1: none. */
int agent_line_send(int fd, const char *line, size_t size, int fd_sent);

#endif
