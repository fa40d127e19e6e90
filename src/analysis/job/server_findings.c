/* SPDX-License-Identifier: Apache-2.0 */
/* server_findings - what the servers' counters of a job show. */
#include "analysis/job/server_findings.h"

#include "analysis/job/target_findings.h"

#include <math.h>
#include <string.h>

/* ---- contended targets ---- */

/* Contention for an MDT is felt in metadata, for an OST in the files there: at most all
 * of that time, unless it is the target that was slow. */
static struct cost contention_cost(const struct server_target *t,
                                   const struct profile *p)
{
    struct cost meta = p->costs[PROFILE_META_SHARE];
    if (!t->is_mdt)
        return target_cost(p, t->index);
    return cost_is_known(&meta) ? cost_between(0, meta.high_s, COST_ALONE) : meta;
}

size_t findings_make_contended(const struct job_servers *servers,
                               const struct profile *p, struct finding *ret)
{
    const struct server_target *t = servers->targets;
    if (servers->target_count == 0 || !t->is_contended)
        return 0;
    for (size_t i = 0; i < finding_rule_count; i++) {
        if (finding_rules[i].kind != FINDING_CONTENDED)
            continue;
        *ret = finding_of(&finding_rules[i], t->contention);
        ret->threshold = t->threshold;
        ret->n = servers->kind_count[t->is_mdt];
        ret->n_word = t->is_mdt ? "MDTs" : "OSTs";
        ret->cost = p ? contention_cost(t, p) : cost_unknown;
        ret->which = t->is_mdt ? -1 : t->index;
        ret->contended = t;
    }
    return 1;
}

/* ---- of a job without a log ---- */

static struct finding of_servers(const char *name, double value, uint64_t n,
                                 const char *n_word)
{
    struct finding f = finding_of(finding_rule_find(name), value);
    f.n = n;
    f.n_word = n_word;
    return f;
}

/* The OST that had nearly all of much. */
static const struct server_target *one_target_of(const struct job_servers *servers,
                                                 double bytes)
{
    if (!(bytes >= SERVER_ONE_TARGET_BYTES_MIN) ||
        servers->kind_count[0] < JOB_SERVERS_TARGETS_MIN)
        return NULL;
    for (size_t i = 0; i < servers->target_count; i++) {
        const struct server_target *t = &servers->targets[i];
        double here = (double)t->own.written_bytes + (double)t->own.read_bytes;
        if (!t->is_mdt && here >= SERVER_ONE_TARGET_SHARE * bytes)
            return t;
    }
    return NULL;
}

/* How many OSTs had about as much of it; 0: some had much less. */
static size_t even_osts_of(const struct job_servers *servers)
{
    double most = 0, least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < servers->target_count; i++) {
        const struct server_target *t = &servers->targets[i];
        double bytes = (double)t->own.written_bytes + (double)t->own.read_bytes;
        if (t->is_mdt || !(bytes > 0))
            continue;
        most = fmax(most, bytes);
        least = fmin(least, bytes);
        count++;
    }
    return least >= SERVER_WIDE_EVEN * most ? count : 0;
}

/* Files of one stripe are gathered into one request each, or into few of 4 MiB. */
static bool is_wide(const struct job_servers *servers, double size)
{
    const struct server_flow *own = &servers->own;
    return (double)own->requests >= SERVER_WIDE_REQUESTS * (double)own->metadata &&
           size > SERVER_REQUEST_SMALL_BYTES && size <= SERVER_WIDE_REQUEST_BYTES &&
           even_osts_of(servers) >= SERVER_WIDE_OSTS_MIN;
}

size_t findings_make_requests(const struct job_servers *servers, double run_s,
                              struct finding *ret)
{
    const struct server_flow *own = &servers->own;
    double bytes = (double)own->read_bytes + (double)own->written_bytes;
    double size = own->requests > 0 ? bytes / (double)own->requests : NAN;
    double rate = run_s > 0 ? (double)own->metadata / run_s : NAN;
    size_t count = 0;
    if (own->requests >= SERVER_REQUESTS_MIN && size <= SERVER_REQUEST_SMALL_BYTES)
        ret[count++] =
            of_servers("small-requests", size / 1024, own->requests, "requests");
    bool is_many =
        own->metadata >= SERVER_METADATA_MIN && rate >= SERVER_METADATA_RATE_MIN;
    if (is_many && is_wide(servers, size))
        ret[count++] = of_servers("wide-files", (double)even_osts_of(servers),
                                  own->metadata, "requests");
    if (is_many)
        ret[count++] = of_servers("metadata-requests", rate, own->metadata, "requests");
    const struct server_target *one = one_target_of(servers, bytes);
    if (one) {
        ret[count] = of_servers("one-target", 1, servers->kind_count[0], "OSTs");
        ret[count++].which = one->index;
    }
    /* Small files are opened as often as they are written. */
    if (count > 1 && own->metadata >= own->requests) {
        struct finding first = ret[0];
        ret[0] = ret[1];
        ret[1] = first;
    }
    return count;
}
