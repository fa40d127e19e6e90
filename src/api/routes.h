/* SPDX-License-Identifier: Apache-2.0 */
/* routes - the table of routes and of their parameters; private to api. */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/api.h"

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
    PARAM_SPARE = 1 << 10,
};

struct api_param {
    const char *name;
    const char *type; /* of OpenAPI: "string", "integer" */
    const char *help;
    unsigned groups; /* PARAM_*: in which it is */
};

extern const struct api_param api_params[];
extern const size_t api_param_count;

struct api_call; /* worker.h */

struct api_route {
    const char *method, *path;
    unsigned roles;
    const char *summary;
    const char *answer;  /* "Table", "JobPage", "Status": a schema of the document */
    const char *request; /* a schema of the document; NULL: no body */
    unsigned params;     /* PARAM_* */
    const char *path_param, *path_help;
    /* On a worker: fill *out with JSON.  NULL: another room serves it, it is here to be
     * described; or it needs no worker. */
    int (*run)(struct api *api, const struct asker *asker, struct selection *sel,
               struct strbuf *out, struct err *err);
    bool is_elsewhere;
};

extern const struct api_route api_routes[];
extern const size_t api_route_count;

/* The status route wants more of the api than an asker. */
void api_write_status(struct api *api, const struct asker *asker, struct strbuf *out);

#endif
