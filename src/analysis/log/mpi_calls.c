/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_calls - what AutoPerf recorded beside I/O. */
#include "analysis/log/mpi_calls.h"

#include "base/span.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOTAL "_TOTAL_TIME" /* each kind of call has such a time, then two more */
#define KIND_TIMES 3
#define SECONDS_MAX 1e12 /* a log may contain anything */

static double sane(double seconds)
{
    return seconds > 0 ? fmin(seconds, SECONDS_MAX) : 0;
}

/* How many kinds of calls the module has: their times come first. */
static size_t kinds_of(const struct darshan_module *m)
{
    size_t kinds = 0;
    while (kinds < MPI_CALLS_MAX && kinds * KIND_TIMES < m->f_counter_count &&
           span_ends(span_of(m->f_counter_names[kinds * KIND_TIMES]), TOTAL))
        kinds++;
    return kinds;
}

static void process_add(struct mpi_calls *c, const struct darshan_record *r)
{
    const struct darshan_module *m = r->module;
    int total_at = darshan_f_counter_find(m, "MPI_TOTAL_COMM_TIME");
    double total_s = sane(r->f_counters[total_at]);
    size_t kinds = kinds_of(m);
    for (size_t i = 0; i < kinds; i++)
        c->call_s[i] += sane(r->f_counters[i * KIND_TIMES]);
    if (c->processes == 0 || total_s > c->most_s) {
        c->most_s = total_s;
        c->slowest_rank = r->rank;
    }
    c->total_s += total_s;
    c->processes++;
}

static void router_add(struct mpi_calls *c, const struct darshan_record *r)
{
    const struct darshan_module *m = r->module;
    for (size_t i = 0; i < m->counter_count; i++) {
        double value = (double)(uint64_t)r->counters[i];
        if (strstr(m->counter_names[i], "_INCOMING_FLIT_"))
            c->flits += value;
        else if (span_ends(span_of(m->counter_names[i]), "_STALL_CNT"))
            c->stalls += value;
    }
    c->routers++;
}

void mpi_calls_add(struct mpi_calls *calls, const struct darshan_record *record)
{
    if (!record->autoperf || record->autoperf->is_head)
        return;
    if (record->hostname)
        process_add(calls, record);
    else
        router_add(calls, record);
}

double mpi_calls_mean_s(const struct mpi_calls *calls)
{
    return calls->processes > 0 ? calls->total_s / (double)calls->processes : NAN;
}

/* "MPI_WIN_FENCE_TOTAL_TIME" as "MPI_Win_fence". */
static void call_name_print(const char *counter, char *name, size_t size)
{
    static const size_t capitals = sizeof "MPI_";
    (void)snprintf(name, size, "%.*s", (int)(strlen(counter) - strlen(TOTAL)), counter);
    for (size_t i = capitals; i < size && name[i]; i++)
        if (name[i] >= 'A' && name[i] <= 'Z')
            name[i] = (char)(name[i] + ('a' - 'A'));
}

const char *mpi_calls_most(const struct mpi_calls *calls, char *name, size_t size,
                           double *ret_mean_s)
{
    const struct darshan_module *m = darshan_module(DARSHAN_APMPI);
    size_t most = 0;
    for (size_t i = 1; i < MPI_CALLS_MAX; i++)
        if (calls->call_s[i] > calls->call_s[most])
            most = i;
    if (calls->processes == 0 || !(calls->call_s[most] > 0))
        return NULL;
    call_name_print(m->f_counter_names[most * KIND_TIMES], name, size);
    *ret_mean_s = calls->call_s[most] / (double)calls->processes;
    return name;
}
