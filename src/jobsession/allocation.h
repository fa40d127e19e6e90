/* SPDX-License-Identifier: Apache-2.0 */
/* allocation - on which hosts a session's nodes run, and how they are started. */
#ifndef JOBSESSION_ALLOCATION_H
#define JOBSESSION_ALLOCATION_H

#include "jobsession/launch.h"

struct own_session_opts;

struct allocation {
    struct hostset *hosts; /* of ranks 1, 2, ... */
    struct launch_opts launch;
    char host[256];     /* where they find this machine */
    const char *listen; /* the address of it that is bound */
};

/* Errors: -EINVAL with what to give instead, -ENOMEM. */
int allocation_find(const struct own_session_opts *opts, struct allocation *ret,
                    struct err *err);
void allocation_done(struct allocation *allocation);
DEFINE_AUTO_DONE(struct allocation, allocation_done);

#endif
