/* SPDX-License-Identifier: Apache-2.0 */
/* job_footprints - GET /v1/jobs?footprint=: runs with what is stored of their nodes'
 * metrics; private to api. */
#ifndef API_JOB_FOOTPRINTS_H
#define API_JOB_FOOTPRINTS_H

#include "api/api_private.h"

struct job_footprints_opts {
    struct span columns; /* METRIC[:STAT],... */
    struct span worst;   /* one of them; data NULL: the newest start first */
    size_t limit;        /* rows */
    bool is_objects;     /* an array of objects, in place of the server's form */
    const struct job_scope *scope; /* runs that the client may see */
};

/* The runs of filter.  Errors: those of reading, of the hold, -E2BIG. */
int job_footprints_fetch(const struct api_readers *readers,
                         const struct job_filter *filter,
                         const struct job_footprints_opts *opts, struct api_result *ret,
                         struct err *err);

#endif
