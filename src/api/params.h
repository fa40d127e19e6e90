/* SPDX-License-Identifier: Apache-2.0 */
/* params - the parameters of the routes; private to api. */
#ifndef API_PARAMS_H
#define API_PARAMS_H

#include "base/span_type.h"

enum {
    PARAM_FILTER = 1 << 0, /* which series */
    PARAM_WINDOW = 1 << 1, /* when */
    PARAM_SUM = 1 << 2,    /* what is added up, and by what */
    PARAM_STEP = 1 << 3,
    PARAM_LIMIT = 1 << 4,
    PARAM_JOB = 1 << 5,     /* the filters that make sense beside a job's id */
    PARAM_SAMPLES = 1 << 6, /* which samples: of /v1/query alone */
    PARAM_SERIES = 1 << 7,  /* which series, and in which form */
    PARAM_FREE = 1 << 8,
    PARAM_DEBUG = 1 << 9,
    PARAM_EXEMPT = 1 << 10,
    PARAM_JOBS = 1 << 11,        /* of /v1/jobs alone */
    PARAM_SUMMARIES = 1 << 12,   /* of /v1/summaries alone */
    PARAM_JOB_CONTEXT = 1 << 13, /* of /v1/jobs/{id} alone */
    PARAM_NODES = 1 << 14,       /* of /v1/nodes alone */
};

struct api_param {
    const char *name;
    const char *type; /* of OpenAPI: "string", "integer" */
    const char *help;
    unsigned groups; /* PARAM_*: in which it is */
};

extern const struct api_param api_params[];
extern const size_t api_param_count;

/* Is there one of this name in any of these groups? */
bool api_params_have(unsigned groups, struct span name);

#endif
