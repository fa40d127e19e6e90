/* SPDX-License-Identifier: Apache-2.0 */
/* job_datasets - the datasets that jobs had mounted. */
#include "records/job/job_datasets.h"

#include "base/number.h"
#include "base/span.h"
#include "records/records_private.h"
#include "records/submitted.h"

#include <stdio.h>

/* ---- putting ---- */

/* Of the job on the node that the last one was of: a body is of one node, in the order
 * of time, so that few change it. */
struct datasets_put {
    struct submission put;
    const struct job_dataset *of; /* NULL: none yet */
    size_t stored;
    struct span items[RECORDS_DATASETS_OF_NODE_MAX]; /* of the put's arena */
};

static void make_terms(struct ledger_terms *terms, struct span cluster, struct span job,
                       struct span uid)
{
    terms_add_text(terms, "cluster = @", cluster);
    terms_add_text(terms, "job = @", job);
    terms_add_text(terms, "uid = @", uid);
}

static int on_stored_item(void *arg, const struct scalar *row)
{
    struct datasets_put *in = arg;
    struct span item = job_dataset_ledger_item(row);
    const char *copy = arena_dup(in->put.arena, item);
    if (!copy)
        return -ENOMEM;
    in->items[in->stored++] = (struct span){ copy, item.size };
    return 0;
}

static bool is_of_same(const struct job_dataset *a, const struct job_dataset *b)
{
    return a && a->uid == b->uid && span_eq(a->cluster, b->cluster) &&
           span_eq(a->job, b->job) && span_eq(a->host, b->host);
}

static int stored_find(struct datasets_put *in, const struct job_dataset *of,
                       struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
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
    in->of = of;
    in->stored = 0;
    int rc = records_reader_open(in->put.records, &reader, err);
    return rc < 0 ? rc : ledger_read(reader, &query, on_stored_item, in, err);
}

static bool is_admitted(struct datasets_put *in, const struct scalar *row)
{
    struct span item = job_dataset_ledger_item(row);
    for (size_t i = 0; i < in->stored; i++)
        if (span_eq(in->items[i], item))
            return true;
    if (in->stored == RECORDS_DATASETS_OF_NODE_MAX)
        return false;
    in->items[in->stored++] = item;
    return true;
}

static const char *check_dataset(const struct submission *put,
                                 const struct job_dataset *dataset)
{
    const char *why = job_dataset_check(dataset);
    return why ? why : submission_check_age(put, dataset->t_ns);
}

static int dataset_add(struct datasets_put *in, const struct job_dataset *dataset,
                       size_t index, struct err *err)
{
    const char *why = check_dataset(&in->put, dataset);
    if (why) {
        submission_refuse(&in->put, index, why);
        return 0;
    }
    const struct scalar *row =
        job_dataset_ledger_row(dataset, in->put.now_ms, in->put.arena);
    int rc = !row                          ? -ENOMEM
             : is_of_same(in->of, dataset) ? 0
                                           : stored_find(in, dataset, err);
    if (rc < 0)
        return rc;
    if (is_admitted(in, row))
        submission_add(&in->put, row);
    else
        submission_refuse(&in->put, index,
                          "a job has 1,024 datasets on a node at most");
    return 0;
}

int records_put_job_datasets(struct records *records,
                             const struct job_dataset *datasets, size_t count,
                             int64_t now_ms, struct records_submission *ret,
                             struct err *err)
{
    AUTO_FREE struct datasets_put *in = calloc(1, sizeof *in);
    if (!in)
        return -ENOMEM;
    int rc = submission_begin(&in->put, records, &ledger_job_datasets, count,
                              RECORDS_JOB_DATASETS_MAX, now_ms, err);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = dataset_add(in, &datasets[i], i, err);
    return rc < 0 ? rc : submission_end(&in->put, ret, err);
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
