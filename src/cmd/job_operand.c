/* SPDX-License-Identifier: Apache-2.0 */
/* job_operand - what a command was given for a job: its log, or its id. */
#include "cmd/job_operand.h"

#include "base/timetext.h"
#include "cmd/asking.h"
#include "cmd/job_server.h"
#include "model/model.h"

#define SUMMARIES_MAX "1000"

bool job_operand_is_log(const char *text)
{
    return access(text, F_OK) == 0 || strchr(text, '/') ||
           span_ends(span_of(text), ".darshan");
}

/* ---- a summary as a row ---- */

static int text_cell(struct job_row *row, const char *name, struct span text)
{
    AUTO_FREE char *copy = span_dup(text);
    if (!copy)
        return -ENOMEM;
    job_row_text(row, name, copy);
    return 0;
}

static int row_fill(const struct summary *summary, struct job_row *row)
{
    int rc = 0;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT && rc == 0; i++) {
        const struct scalar_column *column = &summary_columns[i];
        const struct scalar *scalar = &summary->scalars[i];
        if (!scalar->is_told)
            job_row_missing(row, column->name);
        else if (column->type == SCALAR_TEXT)
            rc = text_cell(row, column->name, scalar->text);
        else if (column->type == SCALAR_I64)
            job_row_i64(row, column->name, scalar->i64);
        else
            job_row_double(row, column->name, scalar->dbl);
    }
    return rc < 0 ? rc : job_row_error(row);
}

static int summary_take(struct span line, struct job_operand *o, struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    struct summary summary = { 0 };
    arena_init(&arena, 0);
    int rc = summary_read_line(line, &arena, &summary, err);
    if (rc < 0)
        return err_prefix(err, rc, "the server's answer");
    rc = row_fill(&summary, &o->row);
    strbuf_add_span(&o->cluster, summary.cluster);
    const struct job_cell *log = job_row_find(&o->row, "_log");
    if (log && log->type == JOB_CELL_TEXT)
        o->log = log->text;
    if (rc < 0 || strbuf_error(&o->cluster) < 0)
        return err_set(err, ENOMEM, "out of memory");
    o->is_stored = true;
    o->is_readable = o->log && access(o->log, R_OK) == 0;
    o->unreadable_errno = o->is_readable ? 0 : o->log ? errno : ENOENT;
    return 0;
}

/* ---- when there is none ---- */

static void time_say(const char *word, int64_t t_ns, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (t_ns == JOB_TIME_NONE)
        return;
    (void)timetext_print(text, t_ns);
    strbuf_addf(out, "%s%s", word, text);
}

/* What the batch system told of it, which may be all that there is. */
static int run_say(struct span line, const char *id, const char *url, struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    struct job job = { 0 };
    arena_init(&arena, 0);
    int rc = job_line_read(line, &arena, &job, err);
    if (rc < 0)
        return err_prefix(err, rc, "the server's answer");
    strbuf_addf(&words, "%s knows that it ran", url);
    if (job.user.size > 0) {
        strbuf_adds(&words, ", by ");
        entry_id_print(&words, job.user);
    }
    time_say(", from ", job.start_ns, &words);
    time_say(" to ", job.end_ns, &words);
    return err_set(err, ENOENT,
                   "job %s: %s, but has no summary of a log of it: 'baro job summarize "
                   "--server %s LOG' makes one; or name the log",
                   id, strbuf_text(&words), url);
}

static int nothing_say(struct job_server *server, const struct asking_args *way,
                       const char *cluster, const char *id, struct err *err)
{
    AUTO(metric_url_done) struct metric_url url = { 0 };
    const char *where = job_server_url(way);
    struct span lines, line;
    bool has_more;
    metric_url_begin(&url, "/v1/jobs");
    metric_url_add(&url, "id", id);
    metric_url_add(&url, "cluster", cluster);
    metric_url_add(&url, "limit", "1");
    metric_url_add(&url, "format", "lines");
    int rc = job_server_get(server, &url, &lines, &has_more, err);
    if (rc < 0)
        return rc;
    (void)span_cut(&lines, '\n', &line);
    if (line.size > 0)
        return run_say(line, id, where, err);
    return err_set(err, ENOENT,
                   "'%s' is no file, and %s knows no job of that id%s%s: neither a "
                   "summary ('baro job summarize --server') nor a run ('baro job "
                   "import --server')",
                   id, where, cluster ? " on cluster " : "", cluster ? cluster : "");
}

/* ---- asking ---- */

static size_t lines_count(struct span text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.data[i] == '\n';
    return count;
}

static int stored_find(const struct asking_args *way, const char *cluster,
                       struct job_operand *o, struct err *err)
{
    AUTO(job_server_close) struct job_server *server = NULL;
    AUTO(metric_url_done) struct metric_url url = { 0 };
    struct span lines, line;
    bool has_more;
    metric_url_begin(&url, "/v1/summaries");
    metric_url_add(&url, "job", o->text);
    metric_url_add(&url, "cluster", cluster);
    metric_url_add(&url, "limit", SUMMARIES_MAX);
    metric_url_add(&url, "format", "lines");
    int rc = job_server_open(way, &server, err);
    if (rc == 0)
        rc = job_server_get(server, &url, &lines, &has_more, err);
    if (rc < 0)
        return err_prefix(err, rc, "'%s' is no file, and of a job of that id", o->text);
    o->summaries_count = lines_count(lines);
    (void)span_cut(&lines, '\n', &line);
    return line.size > 0 ? summary_take(line, o, err)
                         : nothing_say(server, way, cluster, o->text, err);
}

int job_operand_find(const struct asking_args *way, const char *cluster,
                     const char *text, struct job_operand *ret, struct err *err)
{
    *ret = (struct job_operand){ .text = text, .cluster = STRBUF_INIT };
    job_row_init(&ret->row);
    if (!job_operand_is_log(text))
        return stored_find(way, cluster, ret, err);
    ret->log = text;
    ret->is_readable = true; /* or reading it says why not */
    return 0;
}

void job_operand_done(struct job_operand *operand)
{
    job_row_done(&operand->row);
    strbuf_done(&operand->cluster);
}
