/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - the files that jobs ran with, as their owners let them be recorded. */
#include "records/job/job_files.h"

#include "base/number.h"
#include "base/span.h"
#include "records/records_private.h"
#include "records/submitted.h"

#include <stdio.h>

/* ---- putting ---- */

struct files_put {
    struct submission put;
    const struct job_file_list *files;
    const struct scalar *rows[JOB_FILE_LIST_MAX];
    bool is_stored[JOB_FILE_LIST_MAX];
    size_t count;
    size_t stored; /* of the job */
    const char *refusal;
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
    struct files_put *in = arg;
    struct span item = job_file_ledger_item(row);
    in->stored++;
    for (size_t i = 0; i < in->count; i++)
        if (span_eq(item, job_file_ledger_item(in->rows[i])))
            in->is_stored[i] = true;
    return 0;
}

/* What the job has already. */
static int stored_find(struct files_put *in, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    struct ledger_terms terms = { 0 };
    char uid[24];
    (void)snprintf(uid, sizeof uid, "%lld", (long long)in->files->uid);
    make_terms(&terms, in->files->cluster, in->files->job, span_of(uid));
    const struct ledger_query query = { .ledger = &ledger_job_files,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "item",
                                        .limit = RECORDS_FILES_OF_JOB_MAX };
    int rc = records_reader_open(in->put.records, &reader, err);
    return rc < 0 ? rc : ledger_read(reader, &query, on_stored_item, in, err);
}

static int rows_make(struct files_put *in)
{
    const struct job_file_list *files = in->files;
    size_t count = files->count < JOB_FILE_LIST_MAX ? files->count : JOB_FILE_LIST_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *why = job_file_check(&files->files[i]);
        if (why) {
            in->refusal = why;
            continue;
        }
        in->rows[in->count] =
            job_file_ledger_row(files, &files->files[i], in->put.now_ms, in->put.arena);
        if (!in->rows[in->count])
            return -ENOMEM;
        in->count++;
    }
    return 0;
}

static void rows_admit(struct files_put *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (!in->is_stored[i] && in->stored >= RECORDS_FILES_OF_JOB_MAX) {
            in->refusal = "a job has 4,096 files at most";
            continue;
        }
        in->stored += !in->is_stored[i];
        submission_add(&in->put, in->rows[i]);
    }
}

static const char *check_files(const struct submission *put,
                               const struct job_file_list *files)
{
    if (put->records->opts.retention_provenance_ns <= 0)
        return "retention_provenance in [records] is 0: none are stored";
    if (files->job.size == 0)
        return "its job is missing";
    if (files->t_ns < put->oldest_ns)
        return "it is older than retention_provenance in [records]";
    return submission_check_age(put, files->t_ns);
}

static void count_files(struct records_submission *ret,
                        const struct records_submission *of, bool is_refused)
{
    ret->refused += is_refused;
    ret->accepted += !is_refused && of->accepted > 0;
    ret->changed += !is_refused && of->accepted == 0 && of->changed > 0;
    ret->duplicate += !is_refused && of->accepted == 0 && of->changed == 0;
}

static void refuse_files(struct records_submission *ret, size_t index,
                         const char *reason)
{
    if (ret->refusal_count < RECORDS_SUBMISSION_REFUSALS_MAX)
        ret->refusals[ret->refusal_count++] =
            (struct records_submission_refusal){ .index = index, .reason = reason };
}

static int put_file_list(struct records *records, const struct job_file_list *files,
                         size_t index, int64_t now_ms, struct records_submission *ret,
                         struct err *err)
{
    struct files_put in = { .files = files };
    struct records_submission stored = { 0 };
    int64_t retention_ns = records->opts.retention_provenance_ns;
    int rc = submission_begin(&in.put, records, &ledger_job_files, files->count,
                              JOB_FILE_LIST_MAX, now_ms, err);
    if (rc < 0)
        return rc;
    in.put.oldest_ns = now_ms * NS_PER_MS - retention_ns;
    in.refusal = check_files(&in.put, files);
    if (!in.refusal) {
        rc = rows_make(&in);
        if (rc == 0)
            rc = stored_find(&in, err);
        if (rc == 0)
            rows_admit(&in);
        if (rc == 0)
            rc = submission_end(&in.put, &stored, err);
    }
    if (rc < 0)
        return rc;
    count_files(ret, &stored, in.refusal != NULL);
    if (in.refusal)
        refuse_files(ret, index, in.refusal);
    return 0;
}

int records_put_job_files(struct records *records, const struct job_file_list *files,
                          size_t count, int64_t now_ms, struct records_submission *ret,
                          struct err *err)
{
    struct records_submission result = { 0 };
    int rc = count <= RECORDS_JOB_FILES_MAX
                 ? 0
                 : err_set(err, EMSGSIZE, "records: %zu at once, %zu are allowed",
                           count, RECORDS_JOB_FILES_MAX);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = put_file_list(records, &files[i], i, now_ms, &result, err);
    if (rc == 0)
        *ret = result;
    return rc;
}

/* ---- finding ---- */

struct files_find {
    records_job_file_fn *fn;
    void *arg;
};

static int on_file_row(void *arg, const struct scalar *row)
{
    const struct files_find *find = arg;
    struct job_file_seen seen;
    /* Another program may have stored what is none here. */
    return job_file_ledger_file(row, &seen) < 0 ? 0 : find->fn(find->arg, &seen);
}

int records_find_job_files(struct records_reader *reader,
                           const struct job_file_filter *filter,
                           records_job_file_fn *fn, void *arg, struct err *err)
{
    struct ledger_terms terms = { 0 };
    struct files_find find = { fn, arg };
    make_terms(&terms, filter->cluster, filter->job, filter->uid);
    terms_add_i64(&terms, LEDGER_END " >= @", filter->from_ns);
    terms_add_i64(&terms, "start_ns <= @", filter->to_ns);
    const struct ledger_query query = { .ledger = &ledger_job_files,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "item" };
    return ledger_read(reader, &query, on_file_row, &find, err);
}
