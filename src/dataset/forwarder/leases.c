/* SPDX-License-Identifier: Apache-2.0 */
/* leases - references of mounts: written in the repository, however many levels above.
 */
#include "dataset/forwarder/leases.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define RETRY_MIN_NS (100 * NS_PER_MS)
#define RETRY_DOUBLINGS_MAX 4U

struct lease {
    struct work work; /* first */
    struct fetch fetch;
    struct leases *leases;
    lease_fn done; /* NULL: no client waits for it */
    void *arg;
    struct lease **at;
    struct lease *previous, *next; /* while it is waited for */
    struct lease *queue_previous, *queue_next;
    bool is_queued;
    int64_t retry_ns;
    unsigned retries;
    int64_t since_ns;
    struct digest name;
    uint64_t lasts_s;
    char holder[DATASET_TAG_MAX + 1]; /* of a permit: groups */
    enum fetch_kind kind;
    uint32_t uid;
    struct view_text *out; /* of a view: the client's */
    struct strbuf text;    /* of a view: the worker's, while it works */
    int rc;
    struct err err;
};

static struct lease *lease_of_fetch(struct fetch *fetch)
{
    return (struct lease *)((char *)fetch - offsetof(struct lease, fetch));
}

/* ---- the queue ---- */

static void queue_remove(struct lease *lease)
{
    struct leases *all = lease->leases;
    *(lease->queue_previous ? &lease->queue_previous->queue_next : &all->queue_first) =
        lease->queue_next;
    *(lease->queue_next ? &lease->queue_next->queue_previous : &all->queue_last) =
        lease->queue_previous;
    lease->is_queued = false;
}

/* In the order in which they came: an end before the lease behind it. */
static void queue_append(struct lease *lease)
{
    struct leases *all = lease->leases;
    lease->queue_previous = all->queue_last;
    lease->queue_next = NULL;
    *(all->queue_last ? &all->queue_last->queue_next : &all->queue_first) = lease;
    all->queue_last = lease;
    lease->is_queued = true;
}

static void queue_prepend(struct lease *lease)
{
    struct leases *all = lease->leases;
    lease->queue_previous = NULL;
    lease->queue_next = all->queue_first;
    *(all->queue_first ? &all->queue_first->queue_previous : &all->queue_last) = lease;
    all->queue_first = lease;
    lease->is_queued = true;
}

static void queue_next(struct leases *leases)
{
    struct lease *lease = leases->queue_first;
    if (leases->written || !lease || lease->retry_ns > clock_steady_ns())
        return;
    queue_remove(lease);
    leases->written = lease;
    work_submit(leases->pool, &lease->work);
}

/* ---- one ---- */

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

static void lease_free(struct lease *lease)
{
    strbuf_done(&lease->text);
    free(lease);
}

static void lease_end(struct lease *lease, int rc)
{
    lease_fn done = lease->done;
    void *arg = lease->arg;
    if (done)
        lease_unlink(lease);
    lease_free(lease);
    if (done)
        done(arg, rc);
}

/* It came over a network, or out of a catalogue: the client has what is a view, or
 * nothing. */
static int view_receive(struct lease *lease, struct span text)
{
    if (text.size > VIEW_TEXT_MAX || (text.size && view_check(text, NULL) < 0))
        return -EFBIG;
    if (!lease->done)
        return 0;
    memcpy(lease->out->data, text.data, text.size);
    lease->out->size = text.size;
    return 0;
}

static void on_lease_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    struct lease *lease = lease_of_fetch(fetch);
    if (rc == 0 && lease->kind == FETCH_VIEW)
        rc = view_receive(lease,
                          (struct span){ (const char *)payload->data, payload->size });
    payload_unref(payload);
    lease_end(lease, rc);
}

static int64_t lasts_ns(uint64_t lasts_s)
{
    return lasts_s == LEASE_NO_END ? INT64_MAX : (int64_t)lasts_s * NS_PER_S;
}

static void lease_run(struct work *work, struct worker *worker)
{
    struct lease *lease = (struct lease *)work;
    if (lease->kind == FETCH_VIEW)
        lease->rc = repository_view(worker->repository, &lease->name,
                                    span_of(lease->holder), &lease->text, &lease->err);
    else
        lease->rc =
            lease->kind == FETCH_PERMIT
                ? repository_permit(worker->repository, &lease->name, lease->uid,
                                    lease->holder, &lease->err)
                : repository_lease(worker->repository, &lease->name, lease->holder,
                                   lasts_ns(lease->lasts_s), &lease->err);
}

static void on_permit_worked(struct work *work)
{
    struct lease *lease = (struct lease *)work;
    lease_end(lease, lease->rc);
}

static void on_view_worked(struct work *work)
{
    struct lease *lease = (struct lease *)work;
    int rc = lease->rc == -ENODATA ? view_receive(lease, SPAN("")) : lease->rc;
    if (rc == 0 && lease->rc == 0)
        rc = view_receive(lease, strbuf_span(&lease->text));
    lease_end(lease, rc);
}

/* Another process writes: again, before those that came later. */
static void lease_retry(struct lease *lease)
{
    unsigned doublings =
        lease->retries < RETRY_DOUBLINGS_MAX ? lease->retries : RETRY_DOUBLINGS_MAX;
    lease->retries++;
    lease->retry_ns = clock_steady_ns() + (RETRY_MIN_NS << doublings);
    queue_prepend(lease);
}

/* What may pass is tried again by who wants it; the rest is refused, and logged. */
static void lease_written(struct lease *lease)
{
    int rc = lease->rc;
    bool may_pass = rc == -EAGAIN || rc == -EBUSY || rc == -ENOMEM;
    if (rc < 0 && rc != -ENOENT && !may_pass) {
        forwarder_report(lease->leases->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "the lease of %s cannot be written, gc may remove what is "
                         "mounted there: %s",
                         lease->holder, lease->err.text);
        rc = -EFBIG;
    }
    lease_end(lease, rc);
}

static void on_lease_worked(struct work *work)
{
    struct lease *lease = (struct lease *)work;
    struct leases *leases = lease->leases;
    leases->written = NULL;
    if (lease->rc == -EAGAIN && lease->done)
        lease_retry(lease);
    else
        lease_written(lease);
    queue_next(leases);
}

static bool is_holder(struct span holder)
{
    for (size_t i = 0; i < holder.size; i++)
        if (holder.data[i] <= ' ' || holder.data[i] > '~')
            return false;
    return holder.size > 0 && holder.size <= DATASET_TAG_MAX;
}

static void lease_work(struct lease *lease)
{
    lease->work.run = lease_run;
    lease->work.done = on_permit_worked;
    if (lease->kind == FETCH_VIEW)
        lease->work.done = on_view_worked;
    if (lease->kind != FETCH_LEASE) {
        work_submit(lease->leases->pool, &lease->work);
        return;
    }
    lease->work.done = on_lease_worked;
    queue_append(lease);
    queue_next(lease->leases);
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
        lease_work(lease);
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
    bool is_possible =
        is_holder(terms->holder) &&
        (terms->lasts_s <= LEASE_SECONDS_MAX || terms->lasts_s == LEASE_NO_END);
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

void view_begin(struct leases *leases, const struct digest *name, struct span view,
                struct view_text *out, lease_fn done, void *arg, struct lease **at)
{
    struct lease *lease =
        view_name_check(view, NULL) == 0 ? calloc(1, sizeof *lease) : NULL;
    out->size = 0;
    if (!lease) {
        done(arg, view_name_check(view, NULL) == 0 ? -ENOMEM : 0);
        return;
    }
    lease->kind = FETCH_VIEW;
    lease->name = *name;
    lease->out = out;
    memcpy(lease->holder, view.data, view.size);
    lease_start(leases, lease, done, arg, at);
}

void lease_leave(struct lease **at)
{
    struct lease *lease = *at;
    if (!lease)
        return;
    struct leases *leases = lease->leases;
    lease_unlink(lease);
    if (leases->upstreams)
        upstreams_cancel(leases->upstreams, &lease->fetch);
    else if (lease->is_queued)
        queue_remove(lease);
    else if (!work_cancel(&lease->work))
        return; /* a worker has it: it is freed when that is done */
    if (leases->written == lease)
        leases->written = NULL;
    lease_free(lease);
    queue_next(leases);
}

void leases_check(struct leases *leases, int64_t now_ns)
{
    struct lease *next;
    queue_next(leases);
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
