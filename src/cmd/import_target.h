/* SPDX-License-Identifier: Apache-2.0 */
/* import_target - where imported samples go: a store's directory, or a barod. */
#ifndef CMD_IMPORT_TARGET_H
#define CMD_IMPORT_TARGET_H

#include "client/client.h"

struct import_series {
    struct span path; /* of the component, escaped */
    struct span metric;
    int64_t step_ns; /* 0: not known */
    int64_t start_ns;
};

struct import_counts {
    uint64_t samples;
    uint64_t refused;     /* by the target, as far as it says so */
    uint64_t overwritten; /* two samples of one slot; a directory says it */
    uint64_t unsaid_series;
};

struct import_target {
    /* Values a step apart; NaN is none.  Errors: what the target says. */
    int (*put)(void *state, const struct import_series *series, const double *values,
               size_t count, struct err *err);
    /* All is there; frees the state, also after an error. */
    int (*end)(void *state, struct import_counts *counts, struct err *err);
    void *state;
};

/* Errors: what opening says. */
int import_into_directory(const char *dir, struct import_target *ret, struct err *err);
int import_into_server(const struct client_endpoint *endpoint,
                       struct import_target *ret, struct err *err);

#endif
