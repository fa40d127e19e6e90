/* SPDX-License-Identifier: Apache-2.0 */
/* evaluation - one query while it runs. */
#include "promql/evaluation.h"

#define SPENT_MAX 200000 /* between two looks: a few milliseconds */

static int check_canceled(struct evaluation *ev)
{
    const struct promql_request *request = ev->request;
    int rc = request->is_canceled ? request->is_canceled(request->cancel_arg) : 0;
    ev->spent = 0;
    if (rc == -ETIMEDOUT)
        return err_set(ev->err, ETIMEDOUT, "the query timed out");
    if (rc < 0)
        return err_set(ev->err, -rc, "the query was canceled");
    return 0;
}

int evaluation_charge(struct evaluation *ev, size_t samples)
{
    const struct promql_request *request = ev->request;
    ev->samples += samples;
    if (ev->samples > request->samples_max)
        return err_set(ev->err, E2BIG,
                       "the query reads more than %zu samples: choose a shorter time "
                       "or a larger step",
                       request->samples_max);
    return check_canceled(ev);
}

int evaluation_spend(struct evaluation *ev, size_t samples)
{
    ev->spent += samples + 1;
    return ev->spent < SPENT_MAX ? 0 : check_canceled(ev);
}

int evaluation_charge_bytes(struct evaluation *ev, size_t bytes)
{
    ev->row_bytes += bytes;
    if (ev->row_bytes + ev->arena.used_bytes <= ev->request->memory_bytes_max)
        return 0;
    ev->row_bytes -= bytes;
    return evaluation_no_memory(ev);
}

int evaluation_no_memory(struct evaluation *ev)
{
    return err_set(ev->err, E2BIG,
                   "the query takes more than %zu bytes of memory: choose fewer series "
                   "or a larger step",
                   ev->request->memory_bytes_max);
}
