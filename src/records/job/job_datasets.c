/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets - the datasets that jobs had mounted. */
#include "records/job/job_datasets.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "records/records_private.h"
#include "records/submitted.h"

#include <stdio.h>

/* ---- putting ---- */

struct pending {
    const struct scalar *row;
    const char *why; /* it is refused; NULL: not so far */
    size_t job;      /* in the jobs of the put */
};

/* A body is read by itself first.  Then the database is read once for each of its
 * jobs, and of what is stored no more is remembered than which of it is in the body. */
struct datasets_put {
    struct submission put;
    struct pending *pending; /* count */
    struct hashmap job_keys; /* to its place in jobs, + 1 */
    size_t job_count;
    struct job_put {
        const struct job_dataset *of;
        size_t stored; /* on that node */
    } jobs[RECORDS_DATASETS_OF_PUT_MAX];
    struct hashmap items; /* of a job's place and its item: whether it is stored */
    struct strbuf key;
};

static void datasets_put_done(struct datasets_put *in)
{
    hashmap_done(&in->job_keys);
    hashmap_done(&in->items);
    strbuf_done(&in->key);
}
DEFINE_AUTO_DONE(struct datasets_put, datasets_put_done);

static void make_terms(struct ledger_terms *terms, struct span cluster, struct span job,
                       struct span uid)
{
    terms_add_text(terms, "cluster = @", cluster);
    terms_add_text(terms, "job = @", job);
    terms_add_text(terms, "uid = @", uid);
}

static const char *check_dataset(const struct submission *put,
                                 const struct job_dataset *dataset)
{
    const char *why = job_dataset_check(dataset);
    return why ? why : submission_check_age(put, dataset->t_ns);
}

/* Its texts have no control characters. */
static int job_find(struct datasets_put *in, struct pending *pending,
                    const struct job_dataset *dataset)
{
    bool is_new = false;
    strbuf_clear(&in->key);
    strbuf_addf(&in->key, SPAN_FMT "\n" SPAN_FMT "\n%lld\n" SPAN_FMT,
                SPAN_ARG(dataset->cluster), SPAN_ARG(dataset->job),
                (long long)dataset->uid, SPAN_ARG(dataset->host));
    uintptr_t *at = strbuf_error(&in->key) < 0
                        ? NULL
                        : hashmap_put(&in->job_keys, strbuf_span(&in->key), &is_new);
    if (!at)
        return -ENOMEM;
    if (is_new && in->job_count < RECORDS_DATASETS_OF_PUT_MAX) {
        in->jobs[in->job_count] = (struct job_put){ dataset, 0 };
        *at = ++in->job_count;
    }
    if (*at == 0)
        pending->why = "more than 128 jobs in a body";
    else
        pending->job = *at - 1;
    return 0;
}

static int item_key(struct datasets_put *in, size_t job, const struct scalar *row,
                    struct span *ret)
{
    strbuf_clear(&in->key);
    strbuf_add(&in->key, &job, sizeof job);
    strbuf_add_span(&in->key, job_dataset_ledger_item(row));
    *ret = strbuf_span(&in->key);
    return strbuf_error(&in->key);
}

static int pending_make(struct datasets_put *in, struct pending *pending,
                        const struct job_dataset *dataset)
{
    struct span key;
    *pending = (struct pending){ .why = check_dataset(&in->put, dataset) };
    int rc = pending->why ? 0 : job_find(in, pending, dataset);
    if (rc < 0 || pending->why)
        return rc;
    pending->row = job_dataset_ledger_row(dataset, in->put.now_ms, in->put.arena);
    rc = pending->row ? item_key(in, pending->job, pending->row, &key) : -ENOMEM;
    return rc == 0 && !hashmap_put(&in->items, key, NULL) ? -ENOMEM : rc;
}

struct stored_find {
    struct datasets_put *in;
    size_t job;
};

static int on_stored_row(void *arg, const struct scalar *row)
{
    const struct stored_find *find = arg;
    struct span key;
    find->in->jobs[find->job].stored++;
    int rc = item_key(find->in, find->job, row, &key);
    uintptr_t *is_stored = rc == 0 ? hashmap_get(&find->in->items, key) : NULL;
    if (is_stored)
        *is_stored = true;
    return rc;
}

static int stored_find(struct datasets_put *in, struct records_reader *reader,
                       size_t job, struct err *err)
{
    const struct job_dataset *of = in->jobs[job].of;
    struct stored_find find = { in, job };
    struct ledger_terms terms = { 0 };
    char uid[24];
    (void)snprintf(uid, sizeof uid, "%lld", (long long)of->uid);
    make_terms(&terms, of->cluster, of->job, span_of(uid));
    terms_add_text(&terms, "host = @", of->host);
    const struct ledger_query query = { .ledger = &ledger_job_datasets,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "item",
                                        .limit = RECORDS_DATASETS_OF_NODE_MAX };
    return ledger_read(reader, &query, on_stored_row, &find, err);
}

static int all_stored_find(struct datasets_put *in, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    int rc = in->job_count ? records_reader_open(in->put.records, &reader, err) : 0;
    for (size_t job = 0; job < in->job_count && rc == 0; job++)
        rc = stored_find(in, reader, job, err);
    return rc;
}

static int pending_admit(struct datasets_put *in, struct pending *pending)
{
    struct span key;
    if (pending->why)
        return 0;
    int rc = item_key(in, pending->job, pending->row, &key);
    uintptr_t *is_stored = rc == 0 ? hashmap_get(&in->items, key) : NULL;
    if (!is_stored)
        return rc < 0 ? rc : -EINVAL;
    size_t *stored = &in->jobs[pending->job].stored;
    if (!*is_stored && *stored >= RECORDS_DATASETS_OF_NODE_MAX) {
        pending->why = "a job has 1,024 datasets on a node at most";
        return 0;
    }
    *stored += !*is_stored;
    *is_stored = true;
    return 0;
}

static int datasets_add(struct datasets_put *in, const struct job_dataset *datasets,
                        size_t count, struct err *err)
{
    int rc = 0;
    in->pending = arena_alloc(in->put.arena, (count + 1) * sizeof *in->pending);
    if (!in->pending)
        return -ENOMEM;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = pending_make(in, &in->pending[i], &datasets[i]);
    if (rc == 0)
        rc = all_stored_find(in, err);
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = pending_admit(in, &in->pending[i]);
        if (in->pending[i].why)
            submission_refuse(&in->put, i, in->pending[i].why);
        else
            submission_add(&in->put, in->pending[i].row);
    }
    return rc;
}

int records_put_job_datasets(struct records *records,
                             const struct job_dataset *datasets, size_t count,
                             int64_t now_ms, struct records_submission *ret,
                             struct err *err)
{
    AUTO(datasets_put_done) struct datasets_put in = { 0 };
    int rc = submission_begin(&in.put, records, &ledger_job_datasets, count,
                              RECORDS_JOB_DATASETS_MAX, now_ms, err);
    if (rc == 0)
        rc = datasets_add(&in, datasets, count, err);
    return rc < 0 ? rc : submission_end(&in.put, ret, err);
}

/* ---- finding ---- */

struct datasets_find {
    records_job_dataset_fn *fn;
    void *arg;
};

static int on_dataset_row(void *arg, const struct scalar *row)
{
    const struct datasets_find *find = arg;
    struct job_dataset_mounted mounted;
    /* Another program may have stored what is none here. */
    return job_dataset_ledger_dataset(row, &mounted) < 0
               ? 0
               : find->fn(find->arg, &mounted);
}

int records_find_job_datasets(struct records_reader *reader,
                              const struct job_dataset_filter *filter,
                              records_job_dataset_fn *fn, void *arg, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct datasets_find find = { fn, arg };
    make_terms(&terms, filter->cluster, filter->job, filter->uid);
    terms_add_i64(&terms, LEDGER_END " >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns <= @", filter->to_ns);
    const struct ledger_query query = { .ledger = &ledger_job_datasets,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "digest, path, command, name, host" };
    return ledger_read(reader, &query, on_dataset_row, &find, err);
}
