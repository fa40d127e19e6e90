/* SPDX-License-Identifier: Apache-2.0 */
/* job_layers_text - the interfaces that a run used, in sentences. */
#include "report/job/job_layers_text.h"

#include "base/figure.h"

#include <math.h>

/* Each interface for itself, where there is more than one: bytes of one are inside
 * those of another. */
static void interfaces_print(const struct profile *p, struct strbuf *out)
{
    const char *before = "By interface: ";
    size_t count = 0;
    for (int i = 0; i < LOG_LAYERS; i++)
        count += i != LAYER_APMPI &&
                 p->values[profile_layer((enum log_layer)i, LAYER_BYTES)] > 0;
    for (int i = 0; count > 1 && i < LOG_LAYERS; i++) {
        enum log_layer layer = (enum log_layer)i;
        double bytes = p->values[profile_layer(layer, LAYER_BYTES)];
        double accesses = p->values[profile_layer(layer, LAYER_ACCESSES)];
        char size[32];
        if (!(bytes > 0) || layer == LAYER_APMPI)
            continue;
        figure_print_bytes(size, sizeof size, bytes);
        strbuf_addf(out, "%s%s %s", before, log_layer_name(layer), size);
        if (!isnan(accesses))
            strbuf_addf(out, " in %.0f access%s", accesses, accesses == 1 ? "" : "es");
        before = ", ";
    }
    strbuf_adds(out, before[0] == ',' ? ".\n" : "");
}

/* What AutoPerf recorded beside I/O. */
static void calls_print(const struct profile *p, struct strbuf *out)
{
    const struct mpi_calls *c = &p->mpi;
    char name[48];
    double most_s = 0;
    if (c->processes > 0) {
        strbuf_adds(out, "Calls of MPI lasted ");
        cost_print_seconds(mpi_calls_mean_s(c), out);
        strbuf_adds(out, " in the average process and ");
        cost_print_seconds(c->most_s, out);
        strbuf_addf(out, " in process %lld", (long long)c->slowest_rank);
        if (mpi_calls_most(c, name, sizeof name, &most_s)) {
            strbuf_addf(out, ", most of all %s with ", name);
            cost_print_seconds(most_s, out);
            strbuf_adds(out, " on average");
        }
        if (p->is_layered)
            strbuf_adds(out, "; those that MPI-IO makes are among them");
        strbuf_adds(out, ".\n");
    }
    if (c->routers > 0 && c->flits > 0)
        strbuf_addf(out,
                    "%llu router%s of its network counted %.3g flits and %.3g stalls, "
                    "of all jobs that used %s.\n",
                    (unsigned long long)c->routers, c->routers > 1 ? "s" : "", c->flits,
                    c->stalls, c->routers > 1 ? "them" : "it");
}

void job_layers_print(const struct profile *p, struct strbuf *out)
{
    interfaces_print(p, out);
    calls_print(p, out);
}
