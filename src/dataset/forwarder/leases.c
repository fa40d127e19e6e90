/* SPDX-License-Identifier: Apache-2.0 */
/* leases - references of mounts: written in the repository, however many levels above.
 */
#include "dataset/forwarder/leases.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"

struct lease {
    struct work work; /* first */
    struct fetch fetch;
    struct leases *leases;
    lease_fn done; /* NULL: no client waits for it */
    void *arg;
    struct lease **at;
    struct lease *previous, *next; /* while it is waited for */
    int64_t since_ns;
    struct digest name;
    uint64_t lasts_s;
    char holder[DATASET_TAG_MAX + 1]; /* of a permit: groups */
    enum fetch_kind kind;
    uint32_t uid;
    int rc;
    struct err err;
};

static struct lease *lease_of_fetch(struct fetch *fetch)
{
    return (struct lease *)((char *)fetch - offsetof(struct lease, fetch));
}

/* It is waited for no longer. */
static void lease_unlink(struct lease *lease)
{
    struct leases *all = lease->leases;
    *(lease->previous ? &lease->previous->next : &all->first) = lease->next;
    if (lease->next)
        lease->next->previous = lease->previous;
    *lease->at = NULL;
    lease->done = NULL;
}

static void lease_end(struct lease *lease, int rc)
{
    lease_fn done = lease->done;
    void *arg = lease->arg;
    if (done)
        lease_unlink(lease);
    free(lease);
    if (done)
        done(arg, rc);
}

static void on_lease_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    payload_unref(payload);
    lease_end(lease_of_fetch(fetch), rc);
}

static void lease_run(struct work *work, struct worker *worker)
{
    struct lease *lease = (struct lease *)work;
    lease->rc = lease->kind == FETCH_PERMIT
                    ? repository_permit(worker->repository, &lease->name, lease->uid,
                                        lease->holder, &lease->err)
                    : repository_lease(worker->repository, &lease->name, lease->holder,
                                       (int64_t)lease->lasts_s * NS_PER_S, &lease->err);
}

/* What may pass is tried again by who wants it; the rest is refused, and logged. */
static void on_lease_worked(struct work *work)
{
    struct lease *lease = (struct lease *)work;
    int rc = lease->rc;
    bool may_pass = rc == -EAGAIN || rc == -EBUSY || rc == -ENOMEM;
    if (rc < 0 && rc != -ENOENT && lease->kind == FETCH_LEASE && !may_pass) {
        forwarder_report(lease->leases->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "the lease of %s cannot be written, gc may remove what is "
                         "mounted there: %s",
                         lease->holder, lease->err.text);
        rc = -EFBIG;
    }
    lease_end(lease, rc);
}

static bool is_holder(struct span holder)
{
    for (size_t i = 0; i < holder.size; i++)
        if (holder.data[i] <= ' ' || holder.data[i] > '~')
            return false;
    return holder.size > 0 && holder.size <= DATASET_TAG_MAX;
}

static void lease_start(struct leases *leases, struct lease *lease, lease_fn done,
                        void *arg, struct lease **at)
{
    lease->leases = leases;
    lease->done = done;
    lease->arg = arg;
    lease->at = at;
    lease->since_ns = clock_steady_ns();
    lease->next = leases->first;
    if (leases->first)
        leases->first->previous = lease;
    leases->first = lease;
    *at = lease;
    if (!leases->upstreams) {
        lease->work.run = lease_run;
        lease->work.done = on_lease_worked;
        work_submit(leases->pool, &lease->work);
        return;
    }
    lease->fetch =
        (struct fetch){ .kind = lease->kind,
                        .digest = lease->name,
                        .offset =
                            lease->kind == FETCH_PERMIT ? lease->uid : lease->lasts_s,
                        .done = on_lease_fetched };
    memcpy(lease->fetch.text, lease->holder, sizeof lease->holder);
    upstreams_fetch(leases->upstreams, &lease->fetch);
}

void lease_begin(struct leases *leases, const struct lease_terms *terms, lease_fn done,
                 void *arg, struct lease **at)
{
    bool is_possible = is_holder(terms->holder) && terms->lasts_s <= LEASE_SECONDS_MAX;
    struct lease *lease = is_possible ? calloc(1, sizeof *lease) : NULL;
    if (!lease) {
        done(arg, is_possible ? -ENOMEM : -EFBIG);
        return;
    }
    lease->kind = FETCH_LEASE;
    lease->name = terms->name;
    lease->lasts_s = terms->lasts_s;
    memcpy(lease->holder, terms->holder.data, terms->holder.size);
    lease_start(leases, lease, done, arg, at);
}

void permit_begin(struct leases *leases, const struct digest *name,
                  const struct reader *reader, lease_fn done, void *arg,
                  struct lease **at)
{
    struct lease *lease = calloc(1, sizeof *lease);
    if (!lease) {
        done(arg, -ENOMEM);
        return;
    }
    lease->kind = FETCH_PERMIT;
    lease->name = *name;
    lease->uid = reader->uid;
    memcpy(lease->holder, reader->groups, sizeof reader->groups);
    lease_start(leases, lease, done, arg, at);
}

void lease_leave(struct lease **at)
{
    struct lease *lease = *at;
    if (!lease)
        return;
    lease_unlink(lease);
    if (lease->leases->upstreams)
        upstreams_cancel(lease->leases->upstreams, &lease->fetch);
    else if (!work_cancel(&lease->work))
        return; /* a worker has it: it is freed when that is done */
    free(lease);
}

void leases_check(struct leases *leases, int64_t now_ns)
{
    struct lease *next;
    for (struct lease *lease = leases->first; lease; lease = next) {
        lease_fn done = lease->done;
        void *arg = lease->arg;
        next = lease->next;
        if (now_ns - lease->since_ns < leases->patience_ns)
            continue;
        lease_leave(lease->at);
        done(arg, -ETIMEDOUT);
        next = leases->first; /* done() may have left others */
    }
}
