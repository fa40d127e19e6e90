/* SPDX-License-Identifier: Apache-2.0 */
/* job_files - the files that jobs ran with, as their owners let them be recorded. */
#include "records/job/job_files.h"

#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "records/job/job_files_known.h"
#include "records/records_private.h"
#include "records/submitted.h"

#include <stdio.h>

#define READ_AGAIN_MS (60 * MS_PER_S) /* for the nodes of a job */

/* ---- putting ---- */

/* The lists of one task, which are one transaction. */
struct files_put {
    struct submission put;
    struct records_reader *reader; /* opened where something is not known */
    const struct job_file_list *lists;
    size_t list_count;
    uint32_t *list_of; /* of each row */
    const char **refusals;
    struct hashmap items; /* of this put: what many nodes have counts once */
};

static void files_put_done(struct files_put *in)
{
    records_reader_close(in->reader);
    hashmap_done(&in->items);
}
DEFINE_AUTO_DONE(struct files_put, files_put_done);

static void make_terms(struct ledger_terms *terms, struct span cluster, struct span job,
                       struct span uid)
{
    terms_add_text(terms, "cluster = @", cluster);
    terms_add_text(terms, "job = @", job);
    terms_add_text(terms, "uid = @", uid);
}

static int on_stored_row(void *arg, const struct scalar *row)
{
    (void)row;
    (*(size_t *)arg)++;
    return 0;
}

static void print_uid(const struct job_file_list *files, char ret[static 24])
{
    (void)snprintf(ret, 24, "%lld", (long long)files->uid);
}

static int file_rows_count(struct files_put *in, const struct job_file_list *files,
                           struct job_known *job, struct err *err)
{
    struct ledger_terms terms = { 0 };
    char uid[24];
    print_uid(files, uid);
    make_terms(&terms, files->cluster, files->job, span_of(uid));
    terms_add_text(&terms, "kind <> @", SPAN("host"));
    terms_add_text(&terms, "kind <> @", SPAN("more"));
    const struct ledger_query query = { .ledger = &ledger_job_files,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "item",
                                        .limit = RECORDS_FILES_OF_JOB_MAX };
    job->rows = 0;
    return ledger_read(in->reader, &query, on_stored_row, &job->rows, err);
}

struct nodes_find {
    const struct job_file_list *files;
    struct strbuf *nodes;
};

static int on_job_of_files(void *arg, const struct job *job)
{
    const struct nodes_find *find = arg;
    char uid[24];
    print_uid(find->files, uid);
    if (job->start_ns == JOB_TIME_NONE || job->nodes.size == 0 ||
        !span_eq(job->raw_id, find->files->job) ||
        (job->uid.size > 0 && !span_is(job->uid, uid)))
        return 0;
    strbuf_addf(find->nodes, "%s" SPAN_FMT, find->nodes->size ? "," : "",
                SPAN_ARG(job->nodes));
    return strbuf_error(find->nodes);
}

static int job_nodes_find(struct files_put *in, const struct job_file_list *files,
                          struct job_known *job, struct err *err)
{
    struct nodes_find find = { files, &job->nodes };
    bool has_more = false;
    const struct job_filter filter = { .cluster = files->cluster,
                                       .id = files->job,
                                       .from_ns = files->t_ns - RECORDS_FILES_SLACK_NS,
                                       .to_ns = files->t_ns + RECORDS_FILES_SLACK_NS };
    strbuf_clear(&job->nodes);
    job->read_ms = in->put.now_ms;
    job->job_puts = in->put.records->job_puts;
    return records_find_jobs(in->reader, &filter, on_job_of_files, &find, &has_more,
                             err);
}

static int reader_need(struct files_put *in, struct err *err)
{
    return in->reader ? 0 : records_reader_open(in->put.records, &in->reader, err);
}

static bool has_host(const struct job_known *job, struct span host)
{
    AUTO(hostset_free) struct hostset *nodes = NULL;
    /* A set that cannot be read is none. */
    return job->nodes.size == 0 ||
           hostset_parse(strbuf_span(&job->nodes), &nodes, NULL) < 0 ||
           hostset_has(nodes, host);
}

/* A node may have come to the job, or the job to its record, since. */
static bool is_to_be_read_again(const struct files_put *in, const struct job_known *job,
                                struct span host)
{
    bool is_missing = job->nodes.size == 0 || !has_host(job, host);
    return is_missing && (job->job_puts != in->put.records->job_puts ||
                          in->put.now_ms - job->read_ms >= READ_AGAIN_MS);
}

static int known_job_find(struct files_put *in, const struct job_file_list *files,
                          struct job_known **ret, struct err *err)
{
    bool is_new = false;
    int rc = 0;
    struct job_known *job = job_files_known_job(in->put.records->files, files, &is_new);
    if (!job)
        return -ENOMEM;
    if (is_new || is_to_be_read_again(in, job, files->host)) {
        rc = reader_need(in, err);
        if (rc == 0 && is_new)
            rc = file_rows_count(in, files, job, err);
        if (rc == 0)
            rc = job_nodes_find(in, files, job, err);
    }
    if (rc < 0)
        return rc;
    *ret = job;
    return 0;
}

/* What is new in this put, as far as is known without a question: what is stored
 * already counts, too, so that a job comes to its limit a list early. */
static int count_new(struct files_put *in, const struct job_file_list *files,
                     const struct scalar *const *rows, size_t *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        bool is_new = false;
        if (!job_file_is_one(&files->files[i]))
            continue;
        if (!hashmap_put(&in->items, job_file_ledger_item(rows[i]), &is_new))
            return -ENOMEM;
        count += is_new;
    }
    *ret = count;
    return 0;
}

static void file_row_add(struct files_put *in, size_t list, const struct scalar *row)
{
    in->list_of[in->put.row_count] = (uint32_t)list;
    submission_add(&in->put, row);
}

/* What is left out is stored, too: the page states it. */
static int add_mark(struct files_put *in, size_t list)
{
    const struct job_file mark = {
        JOB_FILE_MORE, SPAN("site"), SPAN(""), 1, 0, SPAN("")
    };
    const struct scalar *row =
        job_file_ledger_row(&in->lists[list], &mark, in->put.now_ms, in->put.arena);
    if (!row)
        return -ENOMEM;
    file_row_add(in, list, row);
    return 0;
}

static int rows_make(struct files_put *in, const struct job_file_list *files,
                     const struct scalar **rows)
{
    for (size_t i = 0; i < files->count; i++) {
        rows[i] =
            job_file_ledger_row(files, &files->files[i], in->put.now_ms, in->put.arena);
        if (!rows[i])
            return -ENOMEM;
    }
    return 0;
}

static int rows_admit(struct files_put *in, size_t list, struct job_known *job)
{
    const struct job_file_list *files = &in->lists[list];
    const struct scalar *rows[JOB_FILE_LIST_MAX];
    size_t *of_user = job_files_known_user(in->put.records->files, files);
    size_t count = 0;
    int rc = of_user ? rows_make(in, files, rows) : -ENOMEM;
    if (rc == 0)
        rc = count_new(in, files, rows, &count);
    if (rc < 0)
        return rc;
    if (job->rows + count > RECORDS_FILES_OF_JOB_MAX)
        in->refusals[list] = "a job has 4,096 files at most";
    else if (*of_user + files->count > RECORDS_FILES_OF_USER_MAX)
        in->refusals[list] = "a user has 200,000 rows a day at most";
    else
        job->rows += count;
    for (size_t i = 0; i < files->count; i++)
        if (!in->refusals[list] || !job_file_is_one(&files->files[i]))
            file_row_add(in, list, rows[i]);
    *of_user += in->refusals[list] ? 0 : count;
    return in->refusals[list] ? add_mark(in, list) : 0;
}

static const char *check_list(const struct submission *put,
                              const struct job_file_list *files)
{
    if (put->records->opts.retention_provenance_ns <= 0)
        return "retention_provenance in [records] is 0: none are stored";
    if (files->job.size == 0)
        return "its job is missing";
    if (files->run.size == 0)
        return "its run is missing";
    if (files->count > JOB_FILE_LIST_MAX)
        return "more than 128 files in a list";
    for (size_t i = 0; i < files->count; i++) {
        const char *why = job_file_check(&files->files[i]);
        if (why)
            return why;
        if (files->files[i].kind == JOB_FILE_HOST &&
            !span_eq(files->files[i].name, files->host))
            return "it speaks for another host";
    }
    if (files->t_ns < put->oldest_ns)
        return "it is older than retention_provenance in [records]";
    return submission_check_age(put, files->t_ns);
}

static int list_add(struct files_put *in, size_t list, struct err *err)
{
    const struct job_file_list *files = &in->lists[list];
    struct job_known *job = NULL;
    in->refusals[list] = check_list(&in->put, files);
    if (in->refusals[list])
        return 0;
    int rc = known_job_find(in, files, &job, err);
    if (rc < 0)
        return rc;
    if (has_host(job, files->host))
        return rows_admit(in, list, job);
    in->refusals[list] = "its host is not a node of the job";
    return 0;
}

static void count_lists(const struct files_put *in, const enum ledger_outcome *outcomes,
                        unsigned char *of_list, struct records_submission *ret)
{
    enum { NEW = 1, CHANGED = 2 };
    for (size_t i = 0; i < in->put.row_count; i++)
        of_list[in->list_of[i]] |= outcomes[i] == LEDGER_ACCEPTED  ? NEW
                                   : outcomes[i] == LEDGER_CHANGED ? CHANGED
                                                                   : 0;
    for (size_t i = 0; i < in->list_count; i++) {
        const char *why = in->refusals[i];
        ret->refused += why != NULL;
        ret->accepted += !why && of_list[i] & NEW;
        ret->changed += !why && of_list[i] == CHANGED;
        ret->duplicate += !why && of_list[i] == 0;
        if (why && ret->refusal_count < RECORDS_SUBMISSION_REFUSALS_MAX)
            ret->refusals[ret->refusal_count++] =
                (struct records_submission_refusal){ .index = i, .reason = why };
    }
}

static int lists_put(struct files_put *in, struct records_submission *ret,
                     struct err *err)
{
    struct records *records = in->put.records;
    int rc = 0;
    for (size_t i = 0; i < in->list_count && rc == 0; i++)
        rc = list_add(in, i, err);
    size_t size = (in->put.row_count + 1) * sizeof(enum ledger_outcome);
    enum ledger_outcome *outcomes = arena_alloc(in->put.arena, size);
    unsigned char *of_list = arena_alloc(in->put.arena, in->list_count + 1);
    if (rc == 0 && (!outcomes || !of_list))
        rc = -ENOMEM;
    if (rc < 0)
        return rc;
    memset(of_list, 0, in->list_count + 1);
    rc = ledger_put(records, &ledger_job_files, in->put.rows, in->put.row_count,
                    in->put.arena, outcomes, err);
    if (rc == 0)
        count_lists(in, outcomes, of_list, ret);
    return rc;
}

/* All rows of the lists, and a mark of each. */
static int files_put_begin(struct files_put *in, struct records *records,
                           int64_t now_ms, struct err *err)
{
    size_t rows = in->list_count;
    for (size_t i = 0; i < in->list_count; i++)
        if (in->lists[i].count <= JOB_FILE_LIST_MAX) /* others are refused */
            rows += in->lists[i].count;
    int rc = submission_begin(&in->put, records, &ledger_job_files, rows, SIZE_MAX,
                              now_ms, err);
    if (rc < 0)
        return rc;
    in->put.oldest_ns = now_ms * NS_PER_MS - records->opts.retention_provenance_ns;
    in->list_of = arena_alloc(in->put.arena, (rows + 1) * sizeof *in->list_of);
    in->refusals =
        arena_alloc(in->put.arena, (in->list_count + 1) * sizeof *in->refusals);
    if (!in->list_of || !in->refusals)
        return -ENOMEM;
    if (!records->files && job_files_known_new(&records->files) < 0)
        return -ENOMEM;
    job_files_known_tidy(records->files, now_ms);
    return 0;
}

int records_put_job_files(struct records *records, const struct job_file_list *files,
                          size_t count, int64_t now_ms, struct records_submission *ret,
                          struct err *err)
{
    struct records_submission result = { 0 };
    AUTO(files_put_done)
    struct files_put in = { .lists = files, .list_count = count };
    if (count > RECORDS_JOB_FILES_MAX)
        return err_set(err, EMSGSIZE, "records: %zu at once, %zu are allowed", count,
                       RECORDS_JOB_FILES_MAX);
    int rc = files_put_begin(&in, records, now_ms, err);
    if (rc == 0)
        rc = lists_put(&in, &result, err);
    if (rc == 0)
        *ret = result;
    else if (records->files) /* what was counted may not be stored */
        job_files_known_forget(records->files);
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
    terms_add_i64(&terms, "start_ns >= @", filter->from_ns);
    terms_add_i64(&terms, LEDGER_END " <= @", filter->to_ns);
    const struct ledger_query query = { .ledger = &ledger_job_files,
                                        .terms = terms.terms,
                                        .term_count = terms.count,
                                        .order = "kind, name, build_id, start_ns" };
    return ledger_read(reader, &query, on_file_row, &find, err);
}
