/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_ranks - the nodes of the allocation that this process runs in. */
#include "session/slurm_ranks.h"

#include "base/number.h"
#include "base/span.h"
#include "session/reduce/reduce.h"

#include <limits.h>

_Static_assert(HOSTSET_HOSTS_MAX <= RANKS_MAX, "a host set is no larger");

void slurm_ranks_done(struct slurm_ranks *ranks)
{
    hostset_free(ranks->hosts);
    *ranks = (struct slurm_ranks){ 0 };
}

static const char *slurm_text(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static bool slurm_find(const struct hostset *hosts, const char *host, uint32_t *ret)
{
    if (!host || !hostset_has(hosts, span_of(host)))
        return false;
    for (size_t i = 0; i < hostset_count(hosts); i++)
        if (strcmp(hostset_at(hosts, i), host) == 0) {
            *ret = (uint32_t)i;
            return true;
        }
    return false;
}

/* By name first: where only the job's list is there, SLURM_NODEID may still be that of
 * a step, which counts from the step's first node. */
static int slurm_own_rank(const struct hostset *hosts, uint32_t *ret, struct err *err)
{
    char name[HOST_NAME_MAX + 1] = "";
    const char *id = slurm_text("SLURM_NODEID");
    uint64_t rank;
    if (slurm_find(hosts, slurm_text("SLURMD_NODENAME"), ret))
        return 0;
    if (id) {
        if (number_parse_u64(span_of(id), &rank) < 0 || rank >= hostset_count(hosts))
            return err_set(err, EINVAL, "SLURM_NODEID: '%.32s' is not in 0..%zu", id,
                           hostset_count(hosts) - 1);
        *ret = (uint32_t)rank;
        return 0;
    }
    (void)gethostname(name, sizeof name - 1);
    if (slurm_find(hosts, name, ret))
        return 0;
    name[strcspn(name, ".")] = '\0';
    if (slurm_find(hosts, name, ret))
        return 0;
    return err_set(err, EINVAL,
                   "host '%s' is not among the allocation's nodes; start it there with "
                   "srun",
                   name);
}

static int slurm_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two ranks of one node would both listen at its address. */
static int slurm_check_twice(const struct hostset *hosts, const char *from,
                             struct err *err)
{
    size_t count = hostset_count(hosts);
    AUTO_FREE const char **sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = hostset_at(hosts, i);
    qsort(sorted, count, sizeof *sorted, slurm_compare);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return err_set(err, EINVAL, "%s: node '%s' twice", from, sorted[i]);
    return 0;
}

int session_slurm_ranks(struct slurm_ranks *ret, struct err *err)
{
    AUTO(slurm_ranks_done) struct slurm_ranks ranks = { 0 };
    const char *from = "SLURM_STEP_NODELIST", *list = slurm_text(from);
    if (!list)
        list = slurm_text(from = "SLURM_JOB_NODELIST");
    if (!list)
        return err_set(err, ENOENT,
                       "neither SLURM_STEP_NODELIST nor SLURM_JOB_NODELIST is set: "
                       "no allocation of Slurm");
    int rc = hostset_parse(span_of(list), &ranks.hosts, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", from);
    rc = slurm_check_twice(ranks.hosts, from, err);
    if (rc == 0)
        rc = slurm_own_rank(ranks.hosts, &ranks.rank, err);
    if (rc < 0)
        return rc;
    ranks.count = (uint32_t)hostset_count(ranks.hosts);
    *ret = ranks;
    ranks = (struct slurm_ranks){ 0 };
    return 0;
}
