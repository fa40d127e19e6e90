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
    PARAM_JOBS = 1 << 11,      /* of /v1/jobs alone */
    PARAM_SUMMARIES = 1 << 12, /* of /v1/summaries alone */
};

struct api_param {
    const char *name;
    const char *type; /* of OpenAPI: "string", "integer" */
    const char *help;
    unsigned groups; /* PARAM_*: in which it is */
};

extern const struct api_param api_params[];
extern const size_t api_param_count;

/* An answer that is no selection's. */
struct api_told {
    struct strbuf *body;
    const char *content_type; /* NULL: JSON */
    bool has_more;            /* Baro-More: yes */
    struct budget_hold *hold; /* where what the question holds is charged */
};

struct api_route {
    const char *method, *path;
    unsigned roles;
    const char *summary;
    const char *answer;  /* "Table", "JobPage", "Status": a schema of the document */
    const char *request; /* a schema of the document; NULL: no body */
    const char *request_type; /* NULL: application/json */
    unsigned params;          /* PARAM_* */
    const char *path_param, *path_help;
    /* On a worker: fill *out with JSON.  NULL: another room serves it, it is here to be
     * described; or it needs no worker. */
    int (*run)(struct api *api, const struct query_ctx *ctx, struct selection *sel,
               struct strbuf *out, struct err *err);
    /* Instead of run, for questions of another kind than a selection.  read, on an HTTP
     * thread: the parameters, all of which are the route's, to a question that free()
     * frees.  tell, on a worker, asks the database. */
    int (*read)(struct net_request *request, void **ret_question, struct err *err);
    int (*tell)(struct records_reader *reader, const void *question,
                struct api_told *ret, struct err *err);
    bool is_elsewhere;
};

extern const struct api_route api_routes[];
extern const size_t api_route_count;

/* The status route wants more of the api than an ctx. */
void api_write_status(struct api *api, const struct query_ctx *ctx, struct strbuf *out);

#endif
