/* SPDX-License-Identifier: Apache-2.0 */
/* params - the parameters of the routes; private to api. */
#ifndef API_PARAMS_H
#define API_PARAMS_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

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
    PARAM_JOB_NODES = 1 << 15,   /* of /v1/jobs/{id}/nodes alone */
    PARAM_NODES = 1 << 14,       /* of /v1/nodes alone */
    PARAM_SPACE = 1 << 16,       /* of /v1/space alone */
    PARAM_METRICS = 1 << 17,     /* of /v1/metrics alone */
    PARAM_FAILOVERS = 1 << 18,   /* of /v1/failovers alone */
    PARAM_NEXT = 1 << 22,        /* of /v1/login alone */
    PARAM_DIFF = 1 << 23,        /* of /v1/diff alone */
    PARAM_SESSION = 1 << 30,     /* of /v1/session/nodes alone */
    /* Below /api/v1, as Prometheus has them. */
    PARAM_PROMQL = 1 << 24,
    PARAM_PROMQL_TIME = 1 << 25,
    PARAM_PROMQL_RANGE = 1 << 26,
    PARAM_PROMQL_STEP = 1 << 27,
    PARAM_PROMQL_MATCH = 1 << 28,
    PARAM_PROMQL_METADATA = 1 << 29,
    PARAM_HEALTH = 1 << 19,  /* of /v1/health alone */
    PARAM_WEATHER = 1 << 20, /* of /v1/weather alone */
    PARAM_CLIMATE = 1 << 21, /* of /v1/climate alone */
};
/* An enumerator is an int. */
/* Tables that commands print as they are: they may be an array of objects, too. */
#define PARAM_OBJECTS                                                         \
    (PARAM_FILTER | PARAM_JOB | PARAM_NODES | PARAM_SPACE | PARAM_FAILOVERS | \
     PARAM_LATEST)
#define PARAM_EVENTS (UINT64_C(1) << 31) /* of /v1/events alone */
#define PARAM_LATEST (UINT64_C(1) << 32) /* of /v1/nodes/latest alone */
/* Of /v1/resources and what is below it. */
#define PARAM_RESOURCES (UINT64_C(1) << 33)
#define PARAM_RESOURCE_CHECK (UINT64_C(1) << 34)
#define PARAM_RESOURCE_SOURCES (UINT64_C(1) << 35)
#define PARAM_RESOURCE_CHANGES (UINT64_C(1) << 36)
#define PARAM_RESOURCE_HISTORY (UINT64_C(1) << 37)
#define PARAM_RESOURCE_DRAIN (UINT64_C(1) << 38)
#define PARAM_RESOURCE_SILENT (UINT64_C(1) << 41)
#define PARAM_PUBLISH (UINT64_C(1) << 42) /* of POST /v1/events alone */

#define PARAM_RESOURCE_REPORT (UINT64_C(1) << 43)

/* Of /v1/sessions and what is below it. */
#define PARAM_SESSIONS (UINT64_C(1) << 39)
#define PARAM_SESSION_NAMED (UINT64_C(1) << 40)

#define PARAM_INVENTORY (UINT64_C(1) << 44) /* of /v1/resources/inventory alone */

struct api_param {
    const char *name;
    const char *type; /* of OpenAPI: "string", "integer" */
    const char *help;
    uint64_t groups; /* PARAM_*: in which it is */
};

extern const struct api_param api_params[];
extern const size_t api_param_count;

/* Is there one of this name in any of these groups? */
bool api_params_have(uint64_t groups, struct span name);

struct net_request;
/* Whether a parameter before the index has that name: which of two is meant nobody
 * knows. */
bool api_params_is_repeated(struct net_request *request, size_t index,
                            struct span name);

/* The text of a value, size bytes with its end.  Errors: -EINVAL (empty, too long, with
 * a NUL inside). */
int api_params_text(struct span value, char *ret, size_t size);

/* Refuse a parameter, and list those of the groups; or a value, and state what is
 * accepted.  Return -EINVAL. */
int api_params_refuse_name(uint64_t groups, struct span name, const char *path,
                           struct err *err);
int api_params_refuse_value(uint64_t groups, struct span name, struct span value,
                            struct err *err);

#endif
