/* SPDX-License-Identifier: Apache-2.0 */
/* profiles - what datasets' starts read, as the repository has it. */
#include "dataset/forwarder/profiles.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define FRESH_NS (60 * NS_PER_S)
#define ABSENT_FRESH_NS (5 * NS_PER_S)

struct profile_entry {
    struct work work; /* first: a work is its entry */
    struct fetch fetch;
    struct profiles *all;
    struct profile_entry *next;
    struct profile_waiter *waiters;
    struct digest name;
    struct payload *text; /* NULL: it is under way, or not to be had */
    int64_t since_ns;     /* it was requested, or came */
    bool is_pending;
    /* The worker's, while it works: */
    struct payload *read;
    int rc;
};

static void entry_unlink(struct profile_entry *entry)
{
    struct profile_entry **at = &entry->all->first;
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    entry->all->count--;
}

static void entry_free(struct profile_entry *entry)
{
    payload_unref(entry->text);
    payload_unref(entry->read);
    free(entry);
}

void profiles_clear(struct profiles *all)
{
    while (all->first) {
        struct profile_entry *entry = all->first;
        entry_unlink(entry);
        entry_free(entry);
    }
}

/* text: the entry's from now on.  What failed is requested again by the next one. */
static void entry_end(struct profile_entry *entry, int rc, struct payload *text)
{
    entry->is_pending = false;
    entry->since_ns = clock_steady_ns();
    entry->text = text;
    if (rc < 0)
        entry_unlink(entry);
    while (entry->waiters) {
        struct profile_waiter *waiter = entry->waiters;
        entry->waiters = waiter->next;
        waiter->entry = NULL;
        waiter->done(waiter, rc, text);
    }
    if (rc < 0)
        entry_free(entry);
}

static void profile_run(struct work *work, struct worker *worker)
{
    struct profile_entry *entry = (struct profile_entry *)work;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = repository_profile(worker->repository, &entry->name, &text, NULL);
    if (rc == -ENODATA)
        rc = 0;
    entry->read = rc == 0 ? payload_new(text.size) : NULL;
    if (entry->read && text.size)
        memcpy(entry->read->data, text.data, text.size);
    entry->rc = rc == 0 && !entry->read ? -ENOMEM : rc;
}

static void on_profile_worked(struct work *work)
{
    struct profile_entry *entry = (struct profile_entry *)work;
    entry_end(entry, entry->rc, TAKE(entry->read));
}

static void on_profile_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    entry_end(
        (struct profile_entry *)((char *)fetch - offsetof(struct profile_entry, fetch)),
        rc, payload);
}

static void entry_start(struct profile_entry *entry)
{
    struct profiles *all = entry->all;
    entry->is_pending = true;
    entry->since_ns = clock_steady_ns();
    if (all->upstreams) {
        entry->fetch = (struct fetch){ .kind = FETCH_PROFILE,
                                       .digest = entry->name,
                                       .done = on_profile_fetched };
        upstreams_fetch(all->upstreams, &entry->fetch);
        return;
    }
    entry->work.run = profile_run;
    entry->work.done = on_profile_worked;
    work_submit(all->pool, &entry->work);
}

/* A repository is at hand: there it is read each time. */
static bool is_fresh(const struct profile_entry *entry)
{
    int64_t fresh_ns = !entry->all->upstreams             ? 0
                       : entry->text && entry->text->size ? FRESH_NS
                                                          : ABSENT_FRESH_NS;
    return entry->is_pending || clock_steady_ns() - entry->since_ns < fresh_ns;
}

/* Capacity for another: the one goes that came before all others.  False: all are under
 * way. */
static bool entries_shrink(struct profiles *all)
{
    struct profile_entry *oldest = NULL;
    for (struct profile_entry *e = all->first; e; e = e->next)
        if (!e->is_pending && (!oldest || e->since_ns < oldest->since_ns))
            oldest = e;
    if (all->count < PROFILES_MAX)
        return true;
    if (!oldest)
        return false;
    entry_unlink(oldest);
    entry_free(oldest);
    return true;
}

static struct profile_entry *entry_new(struct profiles *all, const struct digest *name)
{
    struct profile_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->all = all;
    entry->name = *name;
    entry->next = all->first;
    all->first = entry;
    all->count++;
    return entry;
}

void profiles_find(struct profiles *all, const struct digest *name,
                   struct profile_waiter *waiter)
{
    struct profile_entry *entry = all->first;
    waiter->entry = NULL;
    while (entry && !digest_eq(&entry->name, name))
        entry = entry->next;
    if (entry && !is_fresh(entry)) {
        entry_unlink(entry);
        entry_free(entry);
        entry = NULL;
    }
    if (entry && !entry->is_pending) {
        waiter->done(waiter, 0, entry->text);
        return;
    }
    bool is_new = !entry, fits = entry || entries_shrink(all);
    if (is_new && fits)
        entry = entry_new(all, name);
    if (!entry) {
        waiter->done(waiter, fits ? -ENOMEM : -EBUSY, NULL);
        return;
    }
    waiter->entry = entry;
    waiter->next = entry->waiters;
    entry->waiters = waiter;
    if (is_new)
        entry_start(entry);
}

void profiles_leave(struct profile_waiter *waiter)
{
    if (!waiter->entry)
        return;
    struct profile_waiter **at = &waiter->entry->waiters;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
    waiter->entry = NULL;
}

/* No client waits for it.  What a worker has in hand ends by itself. */
static void entry_cancel(struct profile_entry *entry)
{
    struct profiles *all = entry->all;
    if (!all->upstreams && !work_cancel(&entry->work))
        return;
    if (all->upstreams)
        upstreams_cancel(all->upstreams, &entry->fetch);
    entry_end(entry, -ETIMEDOUT, NULL);
}

void profiles_check(struct profiles *all, int64_t now_ns)
{
    struct profile_entry *next;
    for (struct profile_entry *entry = all->first; entry; entry = next) {
        next = entry->next;
        if (entry->is_pending &&
            (!entry->waiters || now_ns - entry->since_ns >= all->patience_ns))
            entry_cancel(entry);
    }
}

bool profiles_are_idle(const struct profiles *all)
{
    for (const struct profile_entry *e = all->first; e; e = e->next)
        if (e->is_pending)
            return false;
    return true;
}
