/* SPDX-License-Identifier: Apache-2.0 */
/* datasets - indexes of datasets by name: of what chunks each consists. */
#include "dataset/forwarder/datasets.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/index_files.h"

#include <inttypes.h>

#define UNUSED_MAX 64U
#define RETRY_MIN_NS (100 * NS_PER_MS)
#define RETRY_DOUBLINGS_MAX 5U
#define UNUSED_BYTES_MAX (UINT64_C(256) << 20)
/* Encoded, of all that is open or mounted: about three times that in memory. */
#define USED_BYTES_MAX (UINT64_C(512) << 20)

enum search_step {
    STEP_RESOLVE,
    STEP_LOAD, /* from the disk, or the repository */
    STEP_FETCH,
    STEP_DECODE,
};

/* One a name that is looked for, however many wait. */
struct dataset_search {
    struct work work; /* first: a work is its search */
    struct fetch fetch;
    struct datasets *all;
    struct dataset_search *next;
    char spec[DATASET_TAG_MAX + 1];
    bool is_digest, is_working, is_fetching, is_pausing;
    int64_t resumes_ns; /* after a pause */
    unsigned retries;
    struct digest digest;
    enum search_step step;
    struct dataset_waiter *waiters;
    /* The worker's, while it works: */
    struct payload *encoded;
    struct dataset_index index;
    uint32_t filled;
    int rc;
    struct err err;
};

/* One for all who wait for the names. */
struct names_search {
    struct work work; /* first */
    struct fetch fetch;
    struct datasets *all;
    struct dataset_names *waiters;
    bool is_working;
    /* The worker's, while it works: */
    struct payload *payload;
    int rc;
};

struct datasets {
    struct datasets_opts opts;
    struct dataset *oldest, *newest;
    size_t count;
    struct dataset_search *searches;
    struct names_search *names; /* NULL: no client waits for them */
};

int datasets_new(const struct datasets_opts *opts, struct datasets **ret)
{
    struct datasets *all = calloc(1, sizeof *all);
    if (!all)
        return -ENOMEM;
    all->opts = *opts;
    if (all->opts.used_bytes_max == 0)
        all->opts.used_bytes_max = USED_BYTES_MAX;
    *ret = all;
    return 0;
}

/* ---- in memory ---- */

static void dataset_free(struct dataset *dataset)
{
    dataset_index_done(&dataset->index);
    payload_unref(dataset->encoded);
    free(dataset->by_digest);
    free(dataset);
}

static int chunk_compare(const void *a, const void *b, void *chunks)
{
    const struct index_chunk *of = chunks;
    return memcmp(of[*(const uint32_t *)a].digest.bytes,
                  of[*(const uint32_t *)b].digest.bytes, DIGEST_SIZE);
}

static int chunks_sort(struct dataset *dataset)
{
    size_t count = dataset->index.count;
    if (dataset->by_digest || count == 0)
        return 0;
    dataset->by_digest = calloc(count, sizeof dataset->by_digest[0]);
    if (!dataset->by_digest)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        dataset->by_digest[i] = (uint32_t)i;
    qsort_r(dataset->by_digest, count, sizeof dataset->by_digest[0], chunk_compare,
            dataset->index.chunks);
    return 0;
}

int dataset_has_chunk(struct dataset *dataset, const struct digest *digest)
{
    size_t low = 0, high = dataset->index.count;
    if (chunks_sort(dataset) < 0)
        return -ENOMEM;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct index_chunk *chunk =
            &dataset->index.chunks[dataset->by_digest[middle]];
        int order = memcmp(chunk->digest.bytes, digest->bytes, DIGEST_SIZE);
        if (order == 0)
            return 1;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return 0;
}

static void search_free(struct dataset_search *search)
{
    payload_unref(search->encoded);
    dataset_index_done(&search->index);
    free(search);
}

void datasets_free(struct datasets *all)
{
    if (!all)
        return;
    while (all->oldest) {
        struct dataset *dataset = all->oldest;
        all->oldest = dataset->newer;
        dataset_free(dataset);
    }
    while (all->searches) {
        struct dataset_search *search = all->searches;
        all->searches = search->next;
        search_free(search);
    }
    free(all->names);
    free(all);
}

size_t datasets_count(const struct datasets *all)
{
    return all->count;
}

static void dataset_unlink(struct datasets *all, struct dataset *dataset)
{
    struct dataset *previous = NULL;
    for (struct dataset *d = all->oldest; d != dataset; d = d->newer)
        previous = d;
    *(previous ? &previous->newer : &all->oldest) = dataset->newer;
    if (all->newest == dataset)
        all->newest = previous;
    dataset->newer = NULL;
    all->count--;
}

static void dataset_append(struct datasets *all, struct dataset *dataset)
{
    *(all->newest ? &all->newest->newer : &all->oldest) = dataset;
    all->newest = dataset;
    all->count++;
}

/* Those that are not used go, the least recently used first. */
static void datasets_shrink(struct datasets *all)
{
    uint64_t bytes = 0;
    size_t unused = 0;
    struct dataset *next;
    for (const struct dataset *d = all->oldest; d; d = d->newer) {
        bytes += d->refs ? 0 : d->encoded->size;
        unused += !d->refs;
    }
    for (struct dataset *d = all->oldest;
         d && (unused > UNUSED_MAX || bytes > UNUSED_BYTES_MAX); d = next) {
        next = d->newer;
        if (d->refs)
            continue;
        bytes -= d->encoded->size;
        unused--;
        dataset_unlink(all, d);
        dataset_free(d);
    }
}

void dataset_unref(struct datasets *all, struct dataset *dataset)
{
    if (dataset && --dataset->refs == 0)
        datasets_shrink(all);
}

static struct dataset *dataset_find(struct datasets *all, const struct digest *name)
{
    struct dataset *dataset = all->oldest;
    while (dataset && !digest_eq(&dataset->name, name))
        dataset = dataset->newer;
    if (dataset) {
        dataset_unlink(all, dataset);
        dataset_append(all, dataset);
    }
    return dataset;
}

/* ---- the end of a search ---- */

static void search_unlink(struct dataset_search *search)
{
    struct dataset_search **at = &search->all->searches;
    while (*at != search)
        at = &(*at)->next;
    *at = search->next;
}

/* A name that does not exist is not the operator's concern. */
static void failure_report(const struct dataset_search *search, int rc)
{
    const struct upstreams *upstreams = search->all->opts.upstreams;
    bool has_line = !search->is_working && search->err.text[0]; /* else a worker's */
    const char *reason = has_line       ? search->err.text
                         : rc == -EFBIG ? "it is larger than 64 MiB"
                         : upstreams    ? upstreams_reason(upstreams)
                                        : strerror(-rc);
    if (rc == -ENOENT || rc == -EINVAL)
        return;
    forwarder_report(search->all->opts.report, LOG_LEVEL_ERROR, FORWARDER_FAILED_READ,
                     "dataset %s: its index is not to be had%s: %s", search->spec,
                     rc == -ETIMEDOUT ? " within the patience" : "", reason);
}

static void search_end(struct dataset_search *search, int rc, struct dataset *dataset)
{
    search_unlink(search);
    if (rc < 0 && search->waiters)
        failure_report(search, rc);
    if (dataset)
        dataset->refs++; /* none of the waiters is the last */
    while (search->waiters) {
        struct dataset_waiter *waiter = search->waiters;
        search->waiters = waiter->next;
        waiter->search = NULL;
        if (dataset)
            dataset->refs++;
        waiter->done(waiter, rc, dataset);
    }
    dataset_unref(search->all, dataset);
    search_free(search);
}

void datasets_leave(struct dataset_waiter *waiter)
{
    if (!waiter->search)
        return;
    struct dataset_waiter **at = &waiter->search->waiters;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
    waiter->search = NULL;
}

/* ---- a worker's part ---- */

static int index_encode(struct dataset_search *search)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    int rc = dataset_index_encode(&search->index, &bytes);
    if (rc == 0 && bytes.size > DATASET_INDEX_BYTES_MAX)
        return -EFBIG;
    search->encoded = rc == 0 ? payload_new(bytes.size) : NULL;
    if (rc < 0 || !search->encoded)
        return rc < 0 ? rc : -ENOMEM;
    memcpy(search->encoded->data, bytes.data, bytes.size);
    return 0;
}

/* Of the image that it is to be of. */
static int index_decode(struct dataset_search *search)
{
    struct span bytes = { (const char *)search->encoded->data, search->encoded->size };
    int rc = dataset_index_decode(bytes, &search->index, &search->err);
    if (rc == 0 && !digest_eq(&search->index.image, &search->digest))
        rc = err_set(&search->err, EBADMSG, "index: it is of another image");
    if (rc < 0)
        dataset_index_done(&search->index);
    return rc;
}

static int index_load(struct dataset_search *search, struct worker *worker)
{
    if (worker->repository) {
        int rc = repository_index(worker->repository, &search->digest, &search->index,
                                  &search->err);
        return rc < 0 ? rc : index_encode(search);
    }
    int rc = search->all->opts.disk
                 ? index_file_read(cache_disk_dir(search->all->opts.disk),
                                   &search->digest, &search->encoded)
                 : -ENOENT;
    if (rc == 0)
        rc = index_decode(search);
    if (rc == -EBADMSG && search->all->opts.disk)
        index_file_remove(cache_disk_dir(search->all->opts.disk), &search->digest);
    if (rc < 0)
        payload_unref(TAKE(search->encoded));
    return rc;
}

static void search_run(struct work *work, struct worker *worker)
{
    struct dataset_search *search = (struct dataset_search *)work;
    if (search->step == STEP_RESOLVE) {
        search->rc = repository_resolve(worker->repository, search->spec,
                                        &search->digest, &search->err);
        return;
    }
    if (search->step == STEP_LOAD) {
        search->rc = index_load(search, worker);
        return;
    }
    search->rc = index_decode(search);
    if (search->rc == 0 && search->all->opts.disk)
        index_file_write(cache_disk_dir(search->all->opts.disk), &search->digest,
                         search->encoded, search->all->opts.disk_bytes_max);
}

/* ---- steps ---- */

static void on_worked(struct work *work);
static void part_fetch(struct dataset_search *search);

static void search_start(struct dataset_search *search);

/* What failed is momentary: it starts again after a while. */
static void search_pause(struct dataset_search *search)
{
    unsigned doublings =
        search->retries < RETRY_DOUBLINGS_MAX ? search->retries : RETRY_DOUBLINGS_MAX;
    payload_unref(TAKE(search->encoded));
    dataset_index_done(&search->index);
    search->index = (struct dataset_index){ 0 };
    search->retries++;
    search->is_pausing = true;
    search->resumes_ns = clock_steady_ns() + (RETRY_MIN_NS << doublings);
}

static void search_work(struct dataset_search *search, enum search_step step)
{
    search->step = step;
    search->is_working = true;
    search->work.run = search_run;
    search->work.done = on_worked;
    search->err.text[0] = '\0';
    work_submit(search->all->opts.pool, &search->work);
}

/* Users choose what is open, and a sparse file of 60 GB has an index of 60 MB. */
static bool indexes_fit(const struct datasets *all, const struct payload *encoded)
{
    uint64_t bytes = encoded->size;
    for (const struct dataset *d = all->oldest; d; d = d->newer)
        bytes += d->refs ? d->encoded->size : 0;
    return bytes <= all->opts.used_bytes_max;
}

static void search_loaded(struct dataset_search *search)
{
    struct datasets *all = search->all;
    struct dataset *dataset = dataset_find(all, &search->digest);
    if (!dataset && !indexes_fit(all, search->encoded)) {
        (void)err_set(&search->err, EBUSY,
                      "the indexes of all datasets in use would have more than %" PRIu64
                      " MiB; it can be had when others are closed",
                      all->opts.used_bytes_max >> 20);
        search_end(search, -EBUSY, NULL);
        return;
    }
    if (!dataset) {
        dataset = calloc(1, sizeof *dataset);
        if (!dataset) {
            search_pause(search);
            return;
        }
        dataset->name = search->digest;
        digest_print(&dataset->name, dataset->text);
        dataset->index = search->index;
        search->index = (struct dataset_index){ 0 };
        dataset->encoded = TAKE(search->encoded);
        dataset_append(all, dataset);
    }
    search_end(search, 0, dataset);
}

/* The first part states how many bytes follow. */
static int part_add(struct dataset_search *search, const struct payload *part)
{
    uint64_t total = search->fetch.total;
    if (!search->encoded) {
        if (total == 0 || total > DATASET_INDEX_BYTES_MAX)
            return -EBADMSG;
        search->encoded = payload_new((size_t)total);
        search->filled = 0;
    }
    if (!search->encoded)
        return -ENOMEM;
    if (total != search->encoded->size || part->size == 0 ||
        part->size > search->encoded->size - search->filled)
        return -EBADMSG;
    memcpy(search->encoded->data + search->filled, part->data, part->size);
    search->filled += part->size;
    return 0;
}

/* All parts are of one upstream: else who sent the wrong one is not known. */
static void transfer_begin(struct dataset_search *search)
{
    payload_unref(TAKE(search->encoded));
    search->filled = 0;
    search->fetch.offset = search->fetch.stays = 0;
    search->is_fetching = true;
}

static void fetch_anew(struct dataset_search *search)
{
    transfer_begin(search);
    upstreams_fetch_elsewhere(search->all->opts.upstreams, &search->fetch);
}

static void search_by_digest(struct dataset_search *search);

static void on_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    struct dataset_search *search =
        (struct dataset_search *)((char *)fetch -
                                  offsetof(struct dataset_search, fetch));
    AUTO(payload_unref) struct payload *part = payload;
    search->is_fetching = false;
    if (rc == -ESTALE) {
        transfer_begin(search);
        upstreams_fetch(search->all->opts.upstreams, fetch);
        return;
    }
    if (rc < 0) {
        search_end(search, rc, NULL);
        return;
    }
    if (fetch->kind == FETCH_RESOLVE) {
        memcpy(search->digest.bytes, part->data, DIGEST_SIZE);
        search_by_digest(search);
        return;
    }
    rc = part_add(search, part);
    if (rc == -ENOMEM)
        search_pause(search);
    else if (rc < 0)
        fetch_anew(search);
    else if (search->filled < search->encoded->size)
        part_fetch(search);
    else
        search_work(search, STEP_DECODE);
}

static void part_fetch(struct dataset_search *search)
{
    search->is_fetching = true;
    search->fetch.offset = search->filled;
    search->fetch.tried = search->fetch.not_found = 0;
    search->fetch.stays = search->filled ? search->fetch.from : 0;
    upstreams_fetch(search->all->opts.upstreams, &search->fetch);
}

static void index_fetch(struct dataset_search *search)
{
    search->step = STEP_FETCH;
    search->fetch = (struct fetch){ .kind = FETCH_INDEX,
                                    .digest = search->digest,
                                    .done = on_fetched };
    part_fetch(search);
}

/* Of the repository, or what it has: another attempt would not change it. */
static bool is_lasting(int rc)
{
    return rc == -ENOENT || rc == -EUCLEAN || rc == -EBADMSG || rc == -EINVAL ||
           rc == -EFBIG;
}

static void on_worked(struct work *work)
{
    struct dataset_search *search = (struct dataset_search *)work;
    search->is_working = false;
    if (search->step == STEP_DECODE && search->rc == -EBADMSG)
        fetch_anew(search);
    else if (search->step == STEP_LOAD && search->rc < 0 && search->all->opts.upstreams)
        index_fetch(search);
    else if (search->rc < 0 && is_lasting(search->rc))
        search_end(search, search->rc, NULL);
    else if (search->rc < 0)
        search_pause(search);
    else if (search->step == STEP_RESOLVE)
        search_by_digest(search);
    else
        search_loaded(search);
}

/* Another one for the same digest; NULL: there is none. */
static struct dataset_search *search_find(struct datasets *all,
                                          const struct dataset_search *search)
{
    struct dataset_search *other = all->searches;
    while (other && (other == search || !other->is_digest ||
                     !digest_eq(&other->digest, &search->digest)))
        other = other->next;
    return other;
}

static void search_join(struct dataset_search *search, struct dataset_search *other)
{
    while (search->waiters) {
        struct dataset_waiter *waiter = search->waiters;
        search->waiters = waiter->next;
        waiter->search = other;
        waiter->next = other->waiters;
        other->waiters = waiter;
    }
    search_unlink(search);
    search_free(search);
}

/* In memory; what a repository has removed since is not opened again. */
static struct dataset *dataset_reuse(struct datasets *all, const struct digest *name)
{
    struct dataset *dataset = dataset_find(all, name);
    if (!dataset || all->opts.upstreams || dataset->refs)
        return dataset;
    dataset_unlink(all, dataset);
    dataset_free(dataset);
    return NULL;
}

static void search_by_digest(struct dataset_search *search)
{
    struct dataset *dataset = dataset_reuse(search->all, &search->digest);
    if (dataset) {
        search_end(search, 0, dataset);
        return;
    }
    struct dataset_search *other = search_find(search->all, search);
    if (other) {
        search_join(search, other);
        return;
    }
    search->is_digest = true; /* from now on others find it by the digest */
    digest_print(&search->digest, search->spec);
    search_work(search, STEP_LOAD);
}

static void search_start(struct dataset_search *search)
{
    if (search->is_digest) {
        search_by_digest(search);
        return;
    }
    if (!search->all->opts.upstreams) {
        search_work(search, STEP_RESOLVE);
        return;
    }
    search->step = STEP_RESOLVE;
    search->is_fetching = true;
    search->fetch = (struct fetch){ .kind = FETCH_RESOLVE, .done = on_fetched };
    memcpy(search->fetch.text, search->spec, sizeof search->spec);
    upstreams_fetch(search->all->opts.upstreams, &search->fetch);
}

/* ---- the door ---- */

static struct dataset_search *search_new(struct datasets *all, struct span spec)
{
    struct dataset_search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    search->all = all;
    memcpy(search->spec, spec.data, spec.size);
    search->is_digest = digest_parse(spec, &search->digest) == 0;
    search->next = all->searches;
    all->searches = search;
    return search;
}

void datasets_find(struct datasets *all, struct span spec,
                   struct dataset_waiter *waiter)
{
    struct dataset_search *search = all->searches;
    waiter->search = NULL;
    waiter->since_ns = clock_steady_ns();
    if (spec.size == 0 || spec.size > DATASET_TAG_MAX ||
        memchr(spec.data, '\0', spec.size)) {
        waiter->done(waiter, -ENOENT, NULL);
        return;
    }
    while (search && !span_is(spec, search->spec))
        search = search->next;
    bool is_new = !search, is_refused = is_new && work_pool_is_full(all->opts.pool);
    search = search ? search : is_refused ? NULL : search_new(all, spec);
    if (!search) {
        waiter->done(waiter, is_refused ? -EBUSY : -ENOMEM, NULL);
        return;
    }
    waiter->search = search;
    waiter->next = search->waiters;
    search->waiters = waiter;
    if (is_new)
        search_start(search);
}

/* Each that has waited too long; true: one was there, and the list is another now. */
static bool search_expire(struct dataset_search *search, int64_t now_ns,
                          int64_t patience_ns)
{
    for (struct dataset_waiter *w = search->waiters; w; w = w->next)
        if (now_ns - w->since_ns >= patience_ns) {
            failure_report(search, -ETIMEDOUT);
            datasets_leave(w);
            w->done(w, -ETIMEDOUT, NULL);
            return true;
        }
    return false;
}

/* No client waits for it.  What a worker has in hand ends by itself. */
static void search_cancel(struct dataset_search *search)
{
    if (search->is_working && !work_cancel(&search->work))
        return;
    if (search->is_fetching)
        upstreams_cancel(search->all->opts.upstreams, &search->fetch);
    search_unlink(search);
    search_free(search);
}

static void names_check(struct datasets *all, int64_t now_ns);

void datasets_check(struct datasets *all, int64_t now_ns)
{
    struct dataset_search *next;
    for (struct dataset_search *search = all->searches; search; search = next) {
        while (search_expire(search, now_ns, all->opts.patience_ns))
            ;
        next = search->next;
        if (!search->waiters) {
            search_cancel(search);
        } else if (search->is_pausing && now_ns >= search->resumes_ns) {
            search->is_pausing = false;
            search_start(search);
        }
    }
    names_check(all, now_ns);
}

bool datasets_are_idle(const struct datasets *all)
{
    return !all->searches && !all->names;
}

/* ---- names ---- */

static const char *cell_text(const struct table *table, size_t row, const char *column)
{
    const struct table_cell *cell =
        table_at(table, row, (size_t)table_find_column(table, column));
    return cell->is_null ? "" : cell->text;
}

static int dataset_lines_print(const struct table *table, struct strbuf *out)
{
    for (size_t i = 0; i < table->row_count; i++) {
        size_t before = out->size;
        strbuf_adds(out, cell_text(table, i, "dataset"));
        strbuf_addc(out, '\t');
        strbuf_adds(out, cell_text(table, i, "tags"));
        strbuf_addc(out, '\n');
        if (out->size > CHUNK_FRAME_BODY_MAX) {
            out->size = before; /* the oldest megabyte of them */
            break;
        }
    }
    return strbuf_error(out);
}

static void names_run(struct work *work, struct worker *worker)
{
    struct names_search *names = (struct names_search *)work;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    table_init(&table);
    names->rc = repository_list(worker->repository, &table, NULL);
    if (names->rc == 0)
        names->rc = dataset_lines_print(&table, &out);
    if (names->rc == 0)
        names->payload = payload_new(out.size);
    if (names->payload && out.size)
        memcpy(names->payload->data, out.data, out.size);
    if (names->rc == 0 && !names->payload)
        names->rc = -ENOMEM;
}

/* Each has a reference of its own. */
static void names_end(struct names_search *search, int rc, struct payload *payload)
{
    search->all->names = NULL; /* done() may request them anew */
    while (search->waiters) {
        struct dataset_names *names = search->waiters;
        search->waiters = names->next;
        names->search = NULL;
        names->done(names, rc, rc == 0 ? payload_ref(payload) : NULL);
    }
    payload_unref(payload);
    free(search);
}

static void names_worked(struct work *work)
{
    struct names_search *search = (struct names_search *)work;
    names_end(search, search->rc, search->payload);
}

static void names_fetched(struct fetch *fetch, int rc, struct payload *payload)
{
    names_end(
        (struct names_search *)((char *)fetch - offsetof(struct names_search, fetch)),
        rc, payload);
}

static void names_start(struct names_search *search)
{
    struct datasets *all = search->all;
    if (all->opts.upstreams) {
        search->fetch = (struct fetch){ .kind = FETCH_LIST, .done = names_fetched };
        upstreams_fetch(all->opts.upstreams, &search->fetch);
        return;
    }
    search->is_working = true;
    search->work.run = names_run;
    search->work.done = names_worked;
    work_submit(all->opts.pool, &search->work);
}

void datasets_names(struct datasets *all, struct dataset_names *names)
{
    struct names_search *search = all->names;
    bool is_new = !search;
    names->search = NULL;
    names->since_ns = clock_steady_ns();
    if (is_new)
        search = calloc(1, sizeof *search);
    if (!search) {
        names->done(names, -ENOMEM, NULL);
        return;
    }
    search->all = all;
    all->names = search;
    names->search = search;
    names->next = search->waiters;
    search->waiters = names;
    if (is_new)
        names_start(search);
}

bool datasets_names_leave(struct dataset_names *names)
{
    if (!names->search)
        return false;
    struct dataset_names **at = &names->search->waiters;
    while (*at != names)
        at = &(*at)->next;
    *at = names->next;
    names->search = NULL;
    return true;
}

/* The first that has waited too long; NULL: none has. */
static struct dataset_names *names_expired(const struct datasets *all, int64_t now_ns)
{
    struct dataset_names *names = all->names ? all->names->waiters : NULL;
    while (names && now_ns - names->since_ns < all->opts.patience_ns)
        names = names->next;
    return names;
}

static void names_check(struct datasets *all, int64_t now_ns)
{
    struct dataset_names *names;
    while ((names = names_expired(all, now_ns)) != NULL) {
        (void)datasets_names_leave(names);
        names->done(names, -ETIMEDOUT, NULL);
    }
    struct names_search *search = all->names;
    if (!search || search->waiters ||
        (search->is_working && !work_cancel(&search->work)))
        return;
    if (!search->is_working)
        upstreams_cancel(all->opts.upstreams, &search->fetch);
    all->names = NULL;
    free(search);
}
