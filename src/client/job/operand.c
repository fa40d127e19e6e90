/* SPDX-License-Identifier: Apache-2.0 */
/* job_operand - what a command was given for a job: its log, or its id. */
#include "client/job/operand.h"

#include "base/span.h"

#include "base/timetext.h"
#include "client/client.h"
#include "client/job/server.h"
#include "model/model.h"

#include <sys/stat.h>

#define SUMMARIES_MAX "1000"

bool job_operand_is_log(const char *text)
{
    return access(text, F_OK) == 0 || strchr(text, '/') ||
           span_ends(span_of(text), ".darshan");
}

/* People call the directory in which a job ran by its id. */
static bool is_directory_of_id(const char *text)
{
    struct stat st;
    return text[0] != '.' && !strchr(text, '/') &&
           !span_ends(span_of(text), ".darshan") && stat(text, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

bool job_operand_is_id(const char *text)
{
    const char *slash = strchr(text, '/');
    if (!slash)
        return !job_operand_is_log(text) || is_directory_of_id(text);
    return slash > text && text[0] != '.' && slash[1] && !strchr(slash + 1, '/') &&
           !span_ends(span_of(text), ".darshan") && access(text, F_OK) < 0 &&
           errno != EACCES; /* else it is a file */
}

static int summary_take(struct span line, struct job_operand *o, struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    struct summary summary = { 0 };
    arena_init(&arena, 0);
    int rc = summary_read_line(line, &arena, &summary, err);
    if (rc < 0)
        return err_prefix(err, rc, "the server's answer");
    rc = job_context_from_summary(&summary, &o->stored);
    o->log = o->stored.identity.log;
    if (rc < 0)
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

/* What the batch system reported of it, which may be all that there is. */
static int run_say(const struct job *run, const char *id, const char *url,
                   struct err *err)
{
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    strbuf_addf(&words, "%s knows that it ran", url);
    if (run->user.size > 0) {
        strbuf_adds(&words, ", by ");
        entry_id_print(&words, run->user);
    }
    time_say(", from ", run->start_ns, &words);
    time_say(" to ", run->end_ns, &words);
    return err_set(err, ENOENT,
                   "job %s: %s, but has no summary of a log of it: 'baro job summarize "
                   "--server %s LOG' makes one; or name the log",
                   id, strbuf_text(&words), url);
}

static int nothing_say(const struct job *run, const struct client_endpoint *endpoint,
                       const char *cluster, const char *id, struct err *err)
{
    const char *where = client_endpoint_url(endpoint);
    if (run->id.size > 0)
        return run_say(run, id, where, err);
    return err_set(err, ENOENT,
                   "'%s' is not a file, and %s has no job of that id%s%s: neither a "
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

struct asked {
    struct job_server *server;
    const char *cluster; /* NULL: any */
    struct span line;    /* the newest, or empty; until the next question */
    size_t count;
};

static int ask(struct asked *asked, const char *path, const char *key, const char *id,
               struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    struct span lines;
    bool has_more;
    net_url_init(&url, path);
    net_url_add(&url, key, id);
    net_url_add(&url, "cluster", asked->cluster);
    net_url_add(&url, "limit", SUMMARIES_MAX);
    net_url_add(&url, "format", "lines");
    int rc = job_server_get(asked->server, &url, &lines, &has_more, err);
    if (rc < 0)
        return rc;
    asked->count = lines_count(lines);
    (void)span_cut(&lines, '\n', &asked->line);
    return 0;
}

static int run_find(struct asked *asked, const char *id, struct arena *arena,
                    struct job *ret, struct err *err)
{
    int rc = ask(asked, "/v1/jobs", "id", id, err);
    if (rc < 0 || asked->line.size == 0)
        return rc;
    rc = job_line_read(asked->line, arena, ret, err);
    return rc < 0 ? err_prefix(err, rc, "the server's answer") : 0;
}

/* An element of an array is "5_1" to people; its logs know the number that the system
 * counts.  Of its own cluster, or of none that is reported: others have the number,
 * too. */
static int raw_ask(struct asked *asked, const struct job *run, struct err *err)
{
    AUTO_FREE char *cluster = span_dup(run->cluster);
    AUTO_FREE char *raw_id = span_dup(run->raw_id);
    const char *const clusters[] = { asked->cluster ? asked->cluster : cluster, "" };
    size_t count = asked->cluster || run->cluster.size == 0 ? 1 : 2;
    const char *any = asked->cluster;
    int rc = 0;
    if (!cluster || !raw_id)
        return err_set(err, ENOMEM, "out of memory");
    asked->line = (struct span){ 0 };
    for (size_t i = 0; i < count && rc == 0 && asked->line.size == 0; i++) {
        asked->cluster = clusters[i];
        rc = ask(asked, "/v1/summaries", "job", raw_id, err);
    }
    asked->cluster = any;
    return rc;
}

static int stored_find(const struct client_endpoint *endpoint, const char *cluster,
                       struct job_operand *o, struct err *err)
{
    AUTO(job_server_close) struct job_server *server = NULL;
    AUTO(arena_done) struct arena arena = { 0 };
    struct asked asked = { .cluster = cluster };
    struct job run = { 0 };
    arena_init(&arena, 0);
    int rc = job_server_open(endpoint, &server, err);
    asked.server = server;
    if (rc == 0)
        rc = ask(&asked, "/v1/summaries", "job", o->text, err);
    if (rc < 0)
        return err_prefix(err, rc, "'%s' is not a file, and of a job of that id",
                          o->text);
    if (asked.line.size == 0)
        rc = run_find(&asked, o->text, &arena, &run, err);
    if (rc == 0 && !span_eq(run.id, run.raw_id))
        rc = raw_ask(&asked, &run, err);
    else if (run.id.size > 0)
        asked.line = (struct span){ 0 };
    if (rc < 0)
        return rc;
    o->summaries_count = asked.count;
    return asked.line.size > 0 ? summary_take(asked.line, o, err)
                               : nothing_say(&run, endpoint, cluster, o->text, err);
}
int job_operand_find(const struct client_endpoint *endpoint, const char *cluster,
                     const char *text, struct job_operand *ret, struct err *err)
{
    *ret = (struct job_operand){ .text = text };
    job_context_init(&ret->stored);
    job_context_init(&ret->of_log);
    if (!job_operand_is_log(text) || is_directory_of_id(text))
        return stored_find(endpoint, cluster, ret, err);
    ret->log = text;
    ret->is_readable = true; /* or reading it says why not */
    return 0;
}

int job_operand_read(struct job_operand *operand, struct err *err)
{
    struct job_operand *o = operand;
    struct job_context *c = &o->of_log;
    struct err why = { 0 };
    int rc = job_log_open(o->log, &o->file, &why);
    if (rc == 0)
        rc = job_log_read(o->file, &c->arena, &c->facts, &o->run, &why);
    c->identity.log = o->log;
    bool is_named = span_starts(span_of(why.text), o->log);
    return rc < 0 ? err_set(err, -rc, "%s%s%s", is_named ? "" : o->log,
                            is_named ? "" : ": ", why.text)
                  : 0;
}

int job_operand_load(const struct client_endpoint *endpoint, const char *cluster,
                     const char *text, struct job_operand *ret, struct err *err)
{
    int rc = job_operand_find(endpoint, cluster, text, ret, err);
    if (rc < 0)
        return rc;
    if (!ret->is_readable)
        return err_set(err, ENOENT,
                       "job %s: its log %s cannot be read here, and a summary does not "
                       "describe its I/O ('baro job show %s' shows the summary)",
                       text, ret->log ? ret->log : "(unknown)", text);
    return job_operand_read(ret, err);
}

int job_operand_detail(struct job_operand *operand, struct job_assessment *page,
                       struct err *err)
{
    if (!operand->file)
        return 0;
    int rc = job_log_detail(operand->file, &operand->work, &operand->heat, err);
    page->work = &operand->work;
    page->heat = &operand->heat;
    return rc;
}

void job_operand_done(struct job_operand *operand)
{
    log_work_done(&operand->work);
    log_heat_done(&operand->heat);
    job_log_close(operand->file);
    job_context_done(&operand->of_log);
    job_context_done(&operand->stored);
}
