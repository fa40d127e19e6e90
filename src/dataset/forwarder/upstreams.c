/* SPDX-License-Identifier: Apache-2.0 */
/* upstreams - where chunks come from, in the order of preference, with their health. */
#include "dataset/forwarder/upstreams.h"

#include "base/clock.h"
#include "base/number.h"

#include <inttypes.h>

#define PAUSE_MIN_NS (50 * NS_PER_MS)
#define PAUSE_MAX_NS (2 * NS_PER_S)
#define RETRY_MIN_NS (100 * NS_PER_MS)
#define RETRY_DOUBLINGS_MAX 5U
#define DISTRUST_NS (30 * NS_PER_S)
#define SLOW_NS (30 * NS_PER_S)
/* Of a connection without a useful response, before its upstream counts as back. */
#define SETTLE_NS (5 * NS_PER_S)
#define REPORT_NS (10 * NS_PER_S) /* between reports of the same upstream */
#define REASON_SIZE 160
#define PERMITS_MAX 4U /* of a chunk, before it is denied for good */

struct upstream {
    struct address address;
    struct upstreams *all;
    struct chunk_client *client; /* NULL: not connected, and not being so */
    uint64_t bit;
    unsigned connections; /* not yet released */
    bool is_lost;         /* and has not been useful since */
    bool is_reported;     /* that it is lost */
    bool is_slow_reported;
    bool is_late; /* fetches come back for that reason */
    int64_t started_ns, opened_ns, next_ns, pause_ns, report_ns;
    int64_t distrust_ns, slow_ns; /* until when it is passed over */
    uint64_t chunks, bytes, corrupt, lost;
};

/* Whether chunks of a dataset may be had from an upstream that denied one: it forgets
 * that with the connection, and where too many are read. */
struct permit_fetch {
    struct fetch fetch; /* first */
    struct upstream *upstream;
    struct fetch_list chunks; /* that are requested again afterwards */
    struct permit_fetch *next;
};

struct upstreams {
    struct channel_loop *channels;
    const struct forwarder_report *report;
    int64_t timeout_ns;
    const struct readers *readers;
    bool is_closing;
    struct fetch_list waiting;
    struct permit_fetch *permits; /* under way */
    char reason[REASON_SIZE];
    const struct upstream *reason_of;
    size_t count;
    struct upstream list[];
};

static void reason_set(struct upstream *upstream, const char *reason)
{
    struct upstreams *all = upstream->all;
    (void)snprintf(all->reason, sizeof all->reason, "%s: %s", upstream->address.text,
                   reason);
    all->reason_of = upstream;
}

/* ---- selection ---- */

static bool upstream_is_open(const struct upstream *upstream)
{
    return upstream->client && chunk_client_is_open(upstream->client);
}

/* It lied, or owes for long. */
static bool is_passed_over(const struct upstream *upstream, int64_t now_ns)
{
    return upstream->distrust_ns > now_ns || upstream->slow_ns > now_ns;
}

static void upstream_failed(struct upstream *upstream, const char *reason);

static const struct chunk_client_events client_events;

static void upstream_connect(struct upstream *upstream)
{
    upstream->started_ns = clock_steady_ns();
    int rc = chunk_client_connect(upstream->all->channels, &upstream->address,
                                  upstream->all->readers, &client_events, upstream,
                                  &upstream->client);
    if (rc < 0)
        upstream_failed(upstream, strerror(-rc));
    else
        upstream->connections++;
}

/* One at a time, in their order: a later one while the earlier one does not respond. */
static void upstreams_connect(struct upstreams *all, const struct fetch *fetch,
                              int64_t now_ns)
{
    for (size_t i = 0; i < all->count && !all->is_closing; i++) {
        struct upstream *upstream = &all->list[i];
        if (upstream_is_open(upstream) && !is_passed_over(upstream, now_ns) &&
            !(fetch->tried & upstream->bit))
            return;
        if (!upstream->client && now_ns >= upstream->next_ns)
            upstream_connect(upstream);
        if (upstream->client && !upstream_is_open(upstream) &&
            now_ns - upstream->started_ns < all->timeout_ns / 4)
            return;
    }
}

/* Of two that are passed over rather the one that is slow than the one that lied. */
static bool is_better(const struct upstream *a, const struct upstream *b,
                      int64_t now_ns)
{
    bool a_lied = a->distrust_ns > now_ns, b_lied = b->distrust_ns > now_ns;
    return a_lied != b_lied ? b_lied : a->slow_ns <= now_ns && b->slow_ns > now_ns;
}

/* Those that are passed over only where there is no other. */
static struct upstream *upstream_select(struct upstreams *all,
                                        const struct fetch *fetch, int64_t now_ns)
{
    struct upstream *best = NULL;
    for (size_t i = 0; i < all->count; i++) {
        struct upstream *upstream = &all->list[i];
        if (!upstream_is_open(upstream) || (fetch->tried & upstream->bit) ||
            (fetch->stays && fetch->stays != upstream->bit))
            continue;
        if (!best || is_better(upstream, best, now_ns))
            best = upstream;
    }
    return best;
}

/* Each has none: one that is away may have it, and is waited for. */
static bool is_nowhere(const struct upstreams *all, const struct fetch *fetch)
{
    for (size_t i = 0; i < all->count; i++)
        if (!(fetch->not_found & all->list[i].bit))
            return false;
    return true;
}

/* One refused it, and each of the others did so, or cannot be connected to: what it was
 * for goes on without it rather than wait for one that is away. */
static bool is_refused(const struct upstreams *all, const struct fetch *fetch,
                       int64_t now_ns)
{
    if (!fetch->is_refused)
        return false;
    for (size_t i = 0; i < all->count; i++) {
        const struct upstream *upstream = &all->list[i];
        bool is_away = !upstream->client && now_ns < upstream->next_ns;
        if (!(fetch->tried & upstream->bit) && !is_away)
            return false;
    }
    return true;
}

static void fetch_wait(struct upstreams *all, struct fetch *fetch, int64_t now_ns)
{
    if (fetch->tried && fetch->retry_ns <= now_ns) {
        unsigned doublings =
            fetch->retries < RETRY_DOUBLINGS_MAX ? fetch->retries : RETRY_DOUBLINGS_MAX;
        fetch->retry_ns = now_ns + (RETRY_MIN_NS << doublings);
        fetch->retries++;
    }
    fetch_list_append(&all->waiting, fetch);
}

void upstreams_fetch(struct upstreams *all, struct fetch *fetch)
{
    int64_t now_ns = clock_steady_ns();
    struct upstream *upstream = upstream_select(all, fetch, now_ns);
    if (!upstream || is_passed_over(upstream, now_ns) || upstream != &all->list[0])
        upstreams_connect(all, fetch, now_ns);
    if (!upstream)
        upstream = upstream_select(all, fetch, now_ns);
    if (upstream)
        chunk_client_fetch(upstream->client, fetch);
    else if (fetch->stays)
        fetch->done(fetch, -ESTALE, NULL);
    else if (is_refused(all, fetch, now_ns))
        fetch->done(fetch, -EFBIG, NULL);
    else if (is_nowhere(all, fetch))
        fetch->done(fetch, -ENOENT, NULL);
    else
        fetch_wait(all, fetch, now_ns);
}

void upstreams_cancel(struct upstreams *all, struct fetch *fetch)
{
    (void)all;
    if (fetch->client)
        chunk_client_cancel(fetch);
    else
        fetch_list_remove(fetch);
}

/* Each of those that wait now, once. */
static void waiting_resume(struct upstreams *all, int64_t now_ns)
{
    struct fetch_list list = { 0 };
    while (all->waiting.first) {
        struct fetch *fetch = all->waiting.first;
        fetch_list_remove(fetch);
        fetch_list_append(&list, fetch);
    }
    while (list.first) {
        struct fetch *fetch = list.first;
        fetch_list_remove(fetch);
        if (fetch->retry_ns <= now_ns)
            fetch->tried = fetch->not_found = 0;
        upstreams_fetch(all, fetch);
    }
}

/* ---- events of connections ---- */

static void on_opened(void *owner)
{
    struct upstream *upstream = owner;
    upstream->opened_ns = clock_steady_ns();
    waiting_resume(upstream->all, upstream->opened_ns);
}

/* It is back: a welcome alone can come from one that ends at the first request. */
static void upstream_settle(struct upstream *upstream)
{
    upstream->pause_ns = 0;
    upstream->is_lost = false;
    if (!upstream->is_reported)
        return;
    upstream->is_reported = false;
    forwarder_report(upstream->all->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "upstream %s responds again", upstream->address.text);
}

static void loss_report(struct upstream *upstream, const char *reason, int64_t now_ns)
{
    if (upstream->is_reported || upstream->all->is_closing ||
        now_ns < upstream->report_ns)
        return;
    upstream->is_reported = true;
    upstream->report_ns = now_ns + REPORT_NS;
    forwarder_report(upstream->all->report, LOG_LEVEL_WARN, FORWARDER_CHANGE,
                     "upstream %s is away (%s): what it owed is requested of the next "
                     "one, or waits",
                     upstream->address.text, reason);
}

static void upstream_failed(struct upstream *upstream, const char *reason)
{
    int64_t now_ns = clock_steady_ns(), pause_ns = upstream->pause_ns * 2;
    pause_ns = pause_ns < PAUSE_MIN_NS ? PAUSE_MIN_NS : pause_ns;
    upstream->pause_ns = pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS;
    upstream->next_ns = now_ns + upstream->pause_ns;
    if (upstream->client)
        upstream->bytes += chunk_client_received_bytes(upstream->client);
    upstream->client = NULL;
    upstream->lost++;
    upstream->is_lost = true;
    reason_set(upstream, reason);
    loss_report(upstream, reason, now_ns);
}

static void on_failed(void *owner, const char *reason)
{
    struct upstream *upstream = owner;
    upstream_failed(upstream, reason);
    if (!upstream->all->is_closing)
        waiting_resume(upstream->all, clock_steady_ns());
}

/* Its connection ended, or it is slow: it has its turn when that is known. */
static void on_returned(void *owner, struct fetch *fetch)
{
    struct upstream *upstream = owner;
    if (upstream->is_late) {
        fetch->tried |= upstream->bit;
        fetch->retry_ns = clock_steady_ns() + upstream->all->timeout_ns;
    }
    fetch_wait(upstream->all, fetch, clock_steady_ns());
}

/* ---- what an upstream denies ---- */

static void permit_unlink(struct permit_fetch *permit)
{
    struct permit_fetch **at = &permit->upstream->all->permits;
    while (*at != permit)
        at = &(*at)->next;
    *at = permit->next;
}

static void chunk_again(struct upstream *upstream, struct fetch *fetch, int rc)
{
    if (rc == -EACCES) {
        fetch->done(fetch, rc, NULL);
        return;
    }
    fetch->permits += rc == 0;
    if (rc < 0) /* it could not state it: another one, or later */
        fetch->tried |= upstream->bit;
    if (rc == -ENOENT)
        fetch->not_found |= upstream->bit;
    upstreams_fetch(upstream->all, fetch);
}

static void on_permit_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    struct permit_fetch *permit = (struct permit_fetch *)fetch;
    payload_unref(payload);
    permit_unlink(permit); /* what is denied from now on wants another */
    while (permit->chunks.first) {
        struct fetch *chunk = permit->chunks.first;
        fetch_list_remove(chunk);
        chunk_again(permit->upstream, chunk, rc);
    }
    free(permit);
}

static struct permit_fetch *permit_find(struct upstream *upstream,
                                        const struct digest *dataset)
{
    struct permit_fetch *permit = upstream->all->permits;
    while (permit &&
           (permit->upstream != upstream || !digest_eq(&permit->fetch.digest, dataset)))
        permit = permit->next;
    return permit;
}

/* For whom it is sent: user 0, because a server that is trusted may have all; another
 * has it for itself, whatever it states.  False: memory is out. */
static bool chunk_permit(struct upstream *upstream, struct fetch *fetch)
{
    struct upstreams *all = upstream->all;
    struct permit_fetch *permit = permit_find(upstream, &fetch->dataset);
    if (permit) {
        fetch_list_append(&permit->chunks, fetch);
        return true;
    }
    permit = calloc(1, sizeof *permit);
    if (!permit)
        return false;
    permit->upstream = upstream;
    permit->next = all->permits;
    all->permits = permit;
    permit->fetch = (struct fetch){ .kind = FETCH_PERMIT,
                                    .digest = fetch->dataset,
                                    .stays = upstream->bit,
                                    .done = on_permit_fetched };
    fetch_list_append(&permit->chunks, fetch);
    upstreams_fetch(all, &permit->fetch);
    return true;
}

static bool is_permit_possible(const struct fetch *fetch, int rc)
{
    return rc == -EACCES && fetch->kind == FETCH_CHUNK && fetch->has_dataset &&
           fetch->permits < PERMITS_MAX;
}

static void on_responded(void *owner, struct fetch *fetch, int rc,
                         struct payload *payload)
{
    struct upstream *upstream = owner;
    if (rc == 0 || rc == -ENOENT || rc == -EACCES)
        upstream_settle(upstream);
    if (rc == 0) {
        upstream->chunks += fetch->kind == FETCH_CHUNK;
        upstream->is_slow_reported &= upstream->slow_ns > clock_steady_ns();
        fetch->tried |= upstream->bit; /* if it turns out to be corrupt */
        fetch->from = upstream->bit;
        fetch->done(fetch, 0, payload);
        return;
    }
    reason_set(upstream, rc == -ENOENT    ? "it has none such"
                         : rc == -EUCLEAN ? "what it has is damaged"
                         : rc == -EFBIG   ? "it refused the request"
                         : rc == -EACCES  ? "it denied it"
                                          : "it could not get it");
    if (is_permit_possible(fetch, rc) && chunk_permit(upstream, fetch))
        return;
    fetch->tried |= upstream->bit;
    if (rc == -ENOENT)
        fetch->not_found |= upstream->bit;
    bool is_lease = fetch->kind == FETCH_LEASE; /* another may trust this side */
    fetch->is_refused |= rc == -EFBIG && is_lease;
    if (rc == -EACCES || (rc == -EFBIG && fetch->kind != FETCH_CHUNK && !is_lease))
        fetch->done(fetch, rc, NULL); /* none can have it */
    else
        upstreams_fetch(upstream->all, fetch);
}

static void on_released(void *owner)
{
    struct upstream *upstream = owner;
    upstream->connections--;
}

static const struct chunk_client_events client_events = { on_opened, on_failed,
                                                          on_responded, on_returned,
                                                          on_released };

/* ---- the door ---- */

static struct upstream *upstream_tried_last(struct upstreams *all,
                                            const struct fetch *fetch)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].bit == fetch->from)
            return &all->list[i];
    return NULL;
}

void upstreams_fetch_elsewhere(struct upstreams *all, struct fetch *fetch)
{
    struct upstream *upstream = upstream_tried_last(all, fetch);
    int64_t now_ns = clock_steady_ns();
    if (upstream) {
        upstream->corrupt++;
        upstream->distrust_ns = now_ns + DISTRUST_NS;
        reason_set(upstream, "what it sent is corrupt");
        forwarder_report(all->report, LOG_LEVEL_ERROR, FORWARDER_CORRUPT,
                         "upstream %s sent a corrupt chunk (%" PRIu64
                         " so far): it is requested of another one, or again; run baro "
                         "dataset fsck there",
                         upstream->address.text, upstream->corrupt);
    }
    upstreams_fetch(all, fetch);
}

void upstreams_verified(struct upstreams *all, const struct fetch *fetch)
{
    if (!all->reason_of || all->reason_of->bit != fetch->from)
        return;
    all->reason[0] = '\0';
    all->reason_of = NULL;
}

void upstreams_flush(struct upstreams *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].client)
            chunk_client_flush(all->list[i].client);
}

/* Another one is open, and not passed over: what one owes for long is requested there.
 */
static bool has_other(const struct upstreams *all, const struct upstream *slow,
                      int64_t now_ns)
{
    for (size_t i = 0; i < all->count; i++)
        if (&all->list[i] != slow && upstream_is_open(&all->list[i]) &&
            !is_passed_over(&all->list[i], now_ns))
            return true;
    return false;
}

/* It responds, be it to pings alone, and not to what was requested: the next one is
 * connected to, and has these requests and new ones. */
static void upstream_check_late(struct upstream *upstream, int64_t now_ns)
{
    static const struct fetch any = { .kind = FETCH_CHUNK };
    struct upstreams *all = upstream->all;
    int64_t since_ns = now_ns - all->timeout_ns;
    if (all->count == 1 || !upstream_is_open(upstream) ||
        chunk_client_oldest_ns(upstream->client) > since_ns)
        return;
    upstream->slow_ns = now_ns + SLOW_NS;
    reason_set(upstream, "it does not respond to requests in time");
    if (!upstream->is_slow_reported)
        forwarder_report(all->report, LOG_LEVEL_WARN, FORWARDER_CHANGE,
                         "upstream %s does not respond to requests in time: they go to "
                         "the next one for a while",
                         upstream->address.text);
    upstream->is_slow_reported = true;
    upstreams_connect(all, &any, now_ns);
    if (!has_other(all, upstream, now_ns))
        return;
    upstream->is_late = true;
    chunk_client_return_since(upstream->client, since_ns);
    upstream->is_late = false;
}

void upstreams_check(struct upstreams *all, int64_t now_ns)
{
    for (size_t i = 0; i < all->count; i++) {
        struct upstream *upstream = &all->list[i];
        if (upstream->client)
            upstream_check_late(upstream, now_ns);
        if (upstream_is_open(upstream) && upstream->is_lost &&
            now_ns - upstream->opened_ns >= SETTLE_NS)
            upstream_settle(upstream);
        if (upstream->client)
            chunk_client_check(upstream->client, now_ns, all->timeout_ns);
    }
    waiting_resume(all, now_ns);
}

bool upstreams_are_idle(const struct upstreams *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].client && (!upstream_is_open(&all->list[i]) ||
                                    chunk_client_load(all->list[i].client)))
            return false;
    return !all->waiting.first;
}

const char *upstreams_reason(const struct upstreams *all)
{
    return all->reason[0] ? all->reason : "no upstream has responded";
}

size_t upstreams_count(const struct upstreams *all)
{
    return all->count;
}

void upstreams_counts(const struct upstreams *all, size_t index,
                      struct upstream_counts *ret)
{
    const struct upstream *upstream = &all->list[index];
    *ret = (struct upstream_counts){
        .address = upstream->address.text,
        .is_open = upstream_is_open(upstream),
        .chunks = upstream->chunks,
        .bytes = upstream->bytes +
                 (upstream->client ? chunk_client_received_bytes(upstream->client) : 0),
        .corrupt = upstream->corrupt,
        .lost = upstream->lost,
    };
}

int upstreams_new(struct channel_loop *channels, const struct upstreams_opts *opts,
                  struct upstreams **ret, struct err *err)
{
    if (opts->count > UPSTREAMS_MAX)
        return err_set(err, EINVAL, "upstream: more than %u", UPSTREAMS_MAX);
    AUTO(upstreams_free)
    struct upstreams *all = calloc(1, sizeof *all + opts->count * sizeof all->list[0]);
    int rc = all ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < opts->count; i++) {
        all->list[i].all = all;
        all->list[i].bit = UINT64_C(1) << i;
        rc = address_parse(opts->addresses[i], &all->list[i].address, err);
    }
    if (rc < 0)
        return rc;
    all->channels = channels;
    all->report = opts->report;
    all->timeout_ns = opts->timeout_ns;
    all->readers = opts->readers;
    all->count = opts->count;
    *ret = TAKE(all);
    return 0;
}

void upstreams_close(struct upstreams *all)
{
    all->is_closing = true;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].client) {
            struct chunk_client *client = all->list[i].client;
            all->list[i].client = NULL;
            chunk_client_close(client);
        }
}

void upstreams_free(struct upstreams *all)
{
    while (all && all->permits) {
        struct permit_fetch *permit = all->permits;
        all->permits = permit->next;
        free(permit);
    }
    free(all);
}
