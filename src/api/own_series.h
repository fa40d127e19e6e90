/* SPDX-License-Identifier: Apache-2.0 */
/* own_series - barod itself as a series of what servers measured; private to api.
 *
 *     source/lmt's barod ─▶ GET /v1/status, /v1/jobstats/rates, /v1/series, /v1/query
 *                           └─ answered here, by the worker that wants the series
 *
 * It is what commands read through HTTP, by the same code: the same grids.
 *
 * Threads  one worker's.
 */
#ifndef API_OWN_SERIES_H
#define API_OWN_SERIES_H

#include "api/api_private.h"
#include "source/lmt/lmt.h"

enum own_series_of {
    OWN_SERIES_ROWS,   /* of jobstats alone */
    OWN_SERIES_TOTALS, /* of servers, in the metric store; rows where there are none */
};

struct own_series {
    const struct api_readers *readers;
    struct budget_hold *hold; /* is charged for what is read */
    enum own_series_of of;
    struct strbuf reply; /* to the last request */
    struct budget_meter reply_meter;
    struct lmt_series *series;
};

void own_series_init(struct own_series *own, const struct api_readers *readers,
                     enum own_series_of of, struct budget_hold *hold);
void own_series_done(struct own_series *own);
DEFINE_AUTO_DONE(struct own_series, own_series_done);

/* Sets own->series, if it is not open yet.  Errors: those of lmt_barod_open(). */
int own_series_open(struct own_series *own, struct err *err);

#endif
