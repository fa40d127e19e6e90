/* SPDX-License-Identifier: Apache-2.0 */
/* campaign - the probes of one call, one after another, in a directory of its own. */
#include "probe/campaign.h"

#include "base/clock.h"
#include "base/figure.h"
#include "base/file.h"
#include "base/number.h"
#include "probe/darshan_log.h"
#include "probe/mount.h"
#include "probe/record.h"
#include "probe/stripes.h"
#include "probe/workers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct campaign {
    const struct campaign_opts *opts;
    char dir[RUN_PATH_MAX]; /* made for this call, below opts->dir */
    char mount[RUN_PATH_MAX];
    char stripes[STRIPES_BYTES];
    char log[RUN_PATH_MAX]; /* of all ranks, below the archive; "": none */
    struct strbuf out;
};

int campaign_form_parse(const char *text, enum campaign_form *ret, struct err *err)
{
    static const char *const names[] = {
        [CAMPAIGN_TABLE] = "table", [CAMPAIGN_JSON] = "json", [CAMPAIGN_CSV] = "csv"
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!text || strcmp(text, names[i]) == 0) {
            *ret = (enum campaign_form)i;
            return 0;
        }
    }
    return err_set(err, EINVAL, "--output %s: it is table, json or csv", text);
}

/* ---- one probe ---- */

static void print_phase(const struct run_opts *run, const struct run_phase *p,
                        struct strbuf *out)
{
    char size[32], speed[32];
    figure_print_bytes(size, sizeof size, (double)p->bytes);
    figure_print_bytes(speed, sizeof speed,
                       p->slowest_ns > 0
                           ? (double)p->bytes * (double)NS_PER_S / (double)p->slowest_ns
                           : 0.0);
    strbuf_addf(out, "%-24s %-7s %4u processes %10s %12s/s  %.3f s%s\n",
                p->phase == SHAPE_WRITE ? run->shape->write_name
                                        : run->shape->read_name,
                run->interface->name, p->count, size, speed,
                (double)p->wall_ns / (double)NS_PER_S, p->is_done ? "" : "  FAILED");
}

/* The document of a probe, and its rows, into the archive; the form that is wanted to
 * the text. */
static int record_probe(struct campaign *c, const struct record_about *about,
                        int64_t t_ns, const struct run_opts *run,
                        const struct run_result *result, struct err *err)
{
    const struct campaign_opts *opts = c->opts;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    record_json(about, run, result, &json);
    record_csv(about, run, result, &csv);
    if (opts->form == CAMPAIGN_JSON)
        strbuf_add_span(&c->out, strbuf_span(&json));
    else if (opts->form == CAMPAIGN_CSV)
        strbuf_add_span(&c->out, strbuf_span(&csv));
    for (int i = SHAPE_WRITE; opts->form == CAMPAIGN_TABLE && i <= SHAPE_READ; i++)
        if (result->phases[i].ranks)
            print_phase(run, &result->phases[i], &c->out);
    if (strbuf_error(&json) || strbuf_error(&csv) || strbuf_error(&c->out))
        return err_set(err, ENOMEM, "out of memory");
    if (!opts->archive)
        return 0;
    return record_store(opts->archive, about->id, t_ns, strbuf_span(&json),
                        strbuf_span(&csv), opts->records_max, err);
}

static const char *known(const char *text)
{
    return text && text[0] ? text : NULL;
}

/* At the leader; rc is the run's, and wins over the record's. */
static int finish_probe(struct campaign *c, int64_t t_ns, int64_t begin_ns,
                        const struct run_opts *run, const struct run_result *result,
                        int rc, struct err *err)
{
    char id[PLAN_ID_BYTES];
    struct err why = { 0 };
    const struct batch_job *job = c->opts->job;
    AUTO(strbuf_done) struct strbuf nodes = STRBUF_INIT;
    int record_rc = record_nodes(result, &nodes);
    plan_probe_id(id, t_ns, (long)getpid(), run->shape);
    const struct record_about about = {
        .id = id,
        .host = c->opts->host,
        .file_system = c->opts->plan->file_system,
        .mount = c->mount,
        .stripes = known(c->stripes),
        .job = job ? known(job->id) : NULL,
        .cluster = job ? known(job->cluster) : NULL,
        .nodes = known(strbuf_text(&nodes)),
        .core_hours = plan_core_hours(clock_monotonic_ns() - begin_ns,
                                      workers_count(c->opts->workers)),
        .failure = rc < 0 ? err->text : NULL,
        .log = known(c->log),
        .log_stem = run->log_stem ? run->log_stem + strlen(c->opts->archive) + 1 : NULL,
    };
    if (record_rc == 0)
        record_rc = record_probe(c, &about, t_ns, run, result, &why);
    return record_rc < 0 && rc == 0 ? err_set(err, -record_rc, "%s", why.text) : rc;
}

/* "ARCHIVE/2026/11/21/ID", whose directory is made: libdarshan makes none.  Without
 * it the processes have no logs here. */
static int stem_make(const struct campaign_opts *opts, const char *id, int64_t t_ns,
                     char stem[static RUN_PATH_MAX])
{
    char day[DARSHAN_LOG_DAY_BYTES], dir[RUN_PATH_MAX];
    darshan_log_day(day, t_ns);
    if (snprintf(dir, sizeof dir, "%s/%s", opts->archive, day) >= (int)sizeof dir ||
        snprintf(stem, RUN_PATH_MAX, "%s/%s/%s", opts->archive, day, id) >=
            RUN_PATH_MAX)
        return -ENAMETOOLONG;
    return file_make_dirs(dir, 0755, NULL);
}

static bool has_log_each(const struct campaign_opts *opts)
{
    return opts->has_logs && opts->archive && !workers_are_ranks(opts->workers);
}

/* A word on those that are not there. */
static void logs_find(const struct campaign_opts *opts, const char *stem,
                      struct run_result *result)
{
    char text[160];
    unsigned lost = darshan_log_find(stem, result);
    if (lost == 0 || !opts->warn)
        return;
    (void)snprintf(text, sizeof text, "libdarshan wrote no log of %u processes%s", lost,
                   getenv("DARSHAN_ENABLE_NONMPI")
                       ? ""
                       : ": without MPI it wants DARSHAN_ENABLE_NONMPI in the "
                         "environment");
    opts->warn(opts->print_arg, text);
}

static int run_shape(struct campaign *c, const struct shape *shape, struct err *err)
{
    const struct campaign_opts *opts = c->opts;
    int64_t t_ns = clock_now_ns(), begin_ns = clock_monotonic_ns();
    struct run_opts run = { .shape = shape,
                            .interface = opts->interface,
                            .dir = c->dir,
                            .items = plan_items(opts->plan, shape),
                            .deadline_ns = opts->plan->deadline_ns,
                            .pause_ns = opts->pause_ns,
                            .stop = opts->stop };
    struct run_result result = { 0 };
    char id[PLAN_ID_BYTES], stem[RUN_PATH_MAX];
    plan_probe_id(id, t_ns, (long)getpid(), shape);
    if (has_log_each(opts) && stem_make(opts, id, t_ns, stem) == 0)
        run.log_stem = stem;
    int rc = plan_check(opts->plan, shape, run.items, clock_monotonic_ns(), err);
    workers_share(opts->workers, &rc, sizeof rc);
    if (rc < 0)
        return rc;
    if (getrandom(&run.key, sizeof run.key, 0) != sizeof run.key)
        run.key = (uint64_t)t_ns;
    workers_share(opts->workers, &run.key, sizeof run.key);
    rc = run_probe(&run, opts->workers, &result, err);
    if (run.log_stem)
        logs_find(opts, stem, &result);
    if (workers_is_leader(opts->workers))
        rc = finish_probe(c, t_ns, begin_ns, &run, &result, rc, err);
    run_result_done(&result);
    workers_share(opts->workers, &rc, sizeof rc);
    return rc;
}

static int run_shapes(struct campaign *c, const struct shape *const *wanted,
                      size_t count, struct err *err)
{
    int first = 0;
    for (size_t i = 0; i < count; i++) {
        struct err own = { 0 };
        int rc = run_shape(c, wanted[i], &own);
        if (workers_is_leader(c->opts->workers)) {
            c->opts->print(c->opts->print_arg, strbuf_span(&c->out));
            strbuf_clear(&c->out);
        }
        if (rc < 0 && first == 0)
            first = err_set(err, -rc, "%s", own.text);
        if (rc == -ECANCELED || rc == -ETIME) /* the others could not end either */
            break;
    }
    return first;
}

/* ---- the directory ---- */

/* One campaign at a time on a file system.  The archive is made before anything is
 * measured. */
static int lock_and_archive(struct campaign *c, int *ret_fd, struct err *err)
{
    const struct campaign_opts *opts = c->opts;
    int rc = opts->archive ? file_make_dirs(opts->archive, 0755, err) : 0;
    if (rc == 0)
        rc = mount_find(opts->dir, c->mount, sizeof c->mount, err);
    return rc < 0 ? rc : mount_lock(opts->lock, opts->dir, ret_fd, err);
}

/* Ranks of MPI have one log, which is written when all is over. */
static void log_of_ranks_set(struct campaign *c)
{
    const struct campaign_opts *opts = c->opts;
    char id[PLAN_ID_BYTES], stem[RUN_PATH_MAX], path[RUN_PATH_MAX + 16];
    int64_t t_ns = clock_now_ns();
    if (!opts->has_logs || !opts->archive || !workers_are_ranks(opts->workers))
        return;
    plan_probe_id(id, t_ns, (long)getpid(), shapes[0]);
    *(strchr(id, '-') ? strchr(strchr(id, '-') + 1, '-') : id) = '\0';
    if (stem_make(opts, id, t_ns, stem) < 0 ||
        snprintf(path, sizeof path, "%s" DARSHAN_LOG_SUFFIX, stem) >= RUN_PATH_MAX ||
        darshan_log_set(path) < 0)
        return;
    memcpy(c->log, path + strlen(opts->archive) + 1,
           strlen(path) - strlen(opts->archive));
}

/* A directory of this call's own, so that no other file is written over. */
static int make_directory(struct campaign *c, struct err *err)
{
    const struct campaign_opts *opts = c->opts;
    if (snprintf(c->dir, sizeof c->dir, "%s/baro-abc.XXXXXX", opts->dir) >=
        (int)sizeof c->dir)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", opts->dir);
    if (!mkdtemp(c->dir)) {
        int errnum = errno;
        c->dir[0] = '\0';
        return err_set(err, errnum, "make a directory in '%s': %s", opts->dir,
                       strerror(errnum));
    }
    return stripes_set(opts->lfs, c->dir, c->stripes, err);
}

int campaign_run(const struct campaign_opts *opts,
                 const struct shape *const *shapes_wanted, size_t count,
                 struct err *err)
{
    AUTO_CLOSE int lock_fd = -1;
    struct campaign c = { .opts = opts };
    int rc = 0;
    if (workers_is_leader(opts->workers)) {
        rc = lock_and_archive(&c, &lock_fd, err);
        if (rc == 0)
            rc = make_directory(&c, err);
        if (rc == 0)
            log_of_ranks_set(&c);
        if (opts->form == CAMPAIGN_CSV && rc == 0)
            record_csv_header(&c.out);
    }
    workers_share(opts->workers, &rc, sizeof rc);
    workers_share(opts->workers, c.dir, sizeof c.dir);
    if (rc == 0)
        rc = run_shapes(&c, shapes_wanted, count, err);
    if (workers_is_leader(opts->workers) && c.dir[0])
        (void)rmdir(c.dir);
    strbuf_done(&c.out);
    return rc;
}
