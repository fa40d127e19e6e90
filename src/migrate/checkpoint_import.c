/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint_import - what cc-metric-store stored on disk, host by host, into a target.
 */
#include "migrate/checkpoint_import.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "source/ccms/ccms.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX ((size_t)2 << 30)
#define VALUES_AT_ONCE 4096

enum file_kind {
    FILE_JSON,
    FILE_SNAPSHOT,
    FILE_LOG,
};

struct checkpoint_file {
    int64_t from_s; /* a log comes last */
    enum file_kind kind;
    char name[64];
};

struct import {
    const struct checkpoint_import_opts *opts;
    const struct import_target *target;
    const char *cluster, *host;
    struct strbuf path, bytes;
    struct err err; /* of the target, of a directory: it ends the import */
    struct checkpoint_import_counts counts;
};

static void import_done(struct import *im)
{
    strbuf_done(&im->path);
    strbuf_done(&im->bytes);
}
DEFINE_AUTO_DONE(struct import, import_done);

static void warn_of(const struct import *im, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void warn_of(const struct import *im, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    va_list ap;
    if (!im->opts->warn)
        return;
    va_start(ap, fmt);
    strbuf_vaddf(&text, fmt, ap);
    va_end(ap);
    im->opts->warn(im->opts->arg, strbuf_text(&text));
}

/* ---- values ---- */

/* Errors: -ERANGE (deeper than a component is), -ENOMEM. */
static int make_path(struct import *im, const struct ccms_series *s)
{
    struct component c = { .cluster = span_of(im->cluster), .host = span_of(im->host) };
    if (s->level_count > 2)
        return -ERANGE;
    if (s->level_count > 0)
        ccms_level_parse(s->levels[0], &c.type, &c.id);
    if (s->level_count > 1)
        ccms_level_parse(s->levels[1], &c.subtype, &c.sub_id);
    /* type=node with an id: the host itself. */
    if (c.type.size == 0 || span_is(c.type, "node")) {
        c.type = c.subtype;
        c.id = c.sub_id;
        c.subtype = c.sub_id = (struct span){ 0 };
    }
    strbuf_clear(&im->path);
    component_print(&im->path, &c);
    return strbuf_error(&im->path);
}

/* At most VALUES_AT_ONCE of a series: those in the window go to the target. */
static int put_values(struct import *im, const struct import_series *s,
                      const double *values, size_t count)
{
    const struct time_window *window = &im->opts->window;
    double wanted[VALUES_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        int64_t t_ns = s->start_ns + (int64_t)i * s->step_ns;
        bool is_wanted =
            t_ns >= window->from_ns && t_ns < window->to_ns && isfinite(values[i]);
        wanted[i] = is_wanted ? values[i] : NAN;
        im->counts.samples += is_wanted;
    }
    return im->target->put(im->target->state, s, wanted, count, &im->err);
}

static int read_values(void *arg, const struct ccms_series *from, const double *values,
                       size_t count)
{
    struct import *im = arg;
    int rc = make_path(im, from);
    if (rc == -ERANGE) {
        im->counts.deep_series++;
        return 0;
    }
    struct import_series s = {
        .path = strbuf_span(&im->path),
        .metric = from->metric,
        .step_ns = from->step_s * NS_PER_S,
        .start_ns = from->start_s * NS_PER_S,
    };
    for (size_t at = 0, some; rc == 0 && at < count; at += some) {
        some = count - at < VALUES_AT_ONCE ? count - at : VALUES_AT_ONCE;
        rc = put_values(im, &s, values + at, some);
        s.start_ns += (int64_t)some * s.step_ns;
    }
    return rc;
}

/* ---- files ---- */

static int read_log(struct import *im, const char *path, const struct ccms_sink *sink,
                    struct err *err)
{
    struct ccms_log_end end;
    int rc = ccms_read_log(strbuf_span(&im->bytes), sink, &end, err);
    if (rc == 0 && end.is_torn) {
        im->counts.torn_logs++;
        warn_of(im, "'%s': note: it ends within a record, at byte %" PRIu64, path,
                end.good_bytes);
    }
    return rc;
}

static int read_bytes(struct import *im, const char *path, enum file_kind kind,
                      struct err *err)
{
    const struct ccms_sink sink = { read_values, im };
    struct span bytes = strbuf_span(&im->bytes);
    int rc = kind == FILE_JSON       ? ccms_read_json(bytes, &sink, err)
             : kind == FILE_SNAPSHOT ? ccms_read_snapshot(bytes, &sink, err)
                                     : read_log(im, path, &sink, err);
    return rc < 0 && !im->err.text[0] ? err_prefix(err, rc, "'%s'", path) : rc;
}

/* A damaged file costs what follows in it; the import goes on. */
static int read_file(struct import *im, const char *dir,
                     const struct checkpoint_file *f)
{
    char path[PATH_MAX];
    struct err why = { 0 };
    int n = snprintf(path, sizeof path, "%s/%s", dir, f->name);
    strbuf_clear(&im->bytes);
    int rc = n > 0 && n < PATH_MAX ? file_read(path, FILE_BYTES_MAX, &im->bytes, &why)
                                   : err_set(&why, ENAMETOOLONG, "'%s': too long", dir);
    if (rc == 0)
        rc = read_bytes(im, path, f->kind, &why);
    im->counts.files++;
    if (im->opts->progress)
        im->opts->progress(im->opts->arg, &im->counts);
    if (rc < 0 && im->err.text[0])
        return rc; /* the target's */
    if (rc == -ENOMEM)
        return err_set(&im->err, ENOMEM, "'%s': out of memory", path);
    if (rc < 0) {
        im->counts.bad_files++;
        warn_of(im, "%s", why.text);
    }
    return 0;
}

/* Errors: -EINVAL (it is no file of cc-metric-store). */
static int parse_name(const char *name, struct checkpoint_file *ret)
{
    struct checkpoint_file f = { .kind = FILE_JSON };
    struct span rest = span_of(name), number;
    if (strlen(name) >= sizeof f.name)
        return -EINVAL;
    (void)snprintf(f.name, sizeof f.name, "%.63s", name);
    if (span_is(rest, "current.wal")) {
        f.kind = FILE_LOG;
        f.from_s = INT64_MAX;
        *ret = f;
        return 0;
    }
    (void)span_cut(&rest, '.', &number);
    bool is_snapshot = span_is(rest, "bin");
    if ((!is_snapshot && !span_is(rest, "json")) ||
        number_parse_i64(number, &f.from_s) < 0)
        return -EINVAL;
    f.kind = is_snapshot ? FILE_SNAPSHOT : FILE_JSON;
    *ret = f;
    return 0;
}

static int compare_files(const void *a, const void *b)
{
    const struct checkpoint_file *x = a, *y = b;
    if (x->from_s != y->from_s)
        return x->from_s < y->from_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int list_files(struct import *im, const char *path,
                      struct checkpoint_file **ret_files, size_t *ret_count)
{
    AUTO_CLOSEDIR DIR *dir = opendir(path);
    AUTO_FREE struct checkpoint_file *files = NULL;
    size_t count = 0, capacity = 0;
    const struct dirent *entry;
    if (!dir)
        return err_set(&im->err, errno, "open '%s': %s", path, strerror(errno));
    while ((entry = readdir(dir))) {
        struct checkpoint_file file;
        if (parse_name(entry->d_name, &file) < 0)
            continue;
        if (count == capacity) {
            capacity = 2 * capacity + 16;
            struct checkpoint_file *grown = realloc(files, capacity * sizeof *files);
            if (!grown)
                return err_set(&im->err, ENOMEM, "out of memory");
            files = grown;
        }
        files[count++] = file;
    }
    if (count > 0)
        qsort(files, count, sizeof *files, compare_files);
    *ret_count = count;
    *ret_files = TAKE(files);
    return 0;
}

static int read_host(struct import *im, const char *path)
{
    AUTO_FREE struct checkpoint_file *files = NULL;
    size_t count = 0;
    int rc = list_files(im, path, &files, &count);
    im->counts.hosts += count > 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = read_file(im, path, &files[i]);
    im->counts.directories_done++;
    if (im->opts->progress)
        im->opts->progress(im->opts->arg, &im->counts);
    return rc;
}

static int count_host(struct import *im, const char *path)
{
    (void)path;
    im->counts.directories++;
    return 0;
}

/* ---- directories ---- */

static int each_directory(struct import *im, const char *path, const char **name,
                          int (*fn)(struct import *im, const char *path))
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    int rc = count < 0
                 ? err_set(&im->err, errno, "open '%s': %s", path, strerror(errno))
                 : 0;
    for (int i = 0; i < count; i++) {
        AUTO(strbuf_done) struct strbuf inner = STRBUF_INIT;
        struct stat st;
        strbuf_addf(&inner, "%s/%s", path, entries[i]->d_name);
        *name = entries[i]->d_name;
        if (rc == 0)
            rc = strbuf_error(&inner);
        if (rc == 0 && entries[i]->d_name[0] != '.' &&
            stat(strbuf_text(&inner), &st) == 0 && S_ISDIR(st.st_mode))
            rc = fn(im, strbuf_text(&inner));
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int read_cluster(struct import *im, const char *path)
{
    return each_directory(im, path, &im->host, read_host);
}

static int count_cluster(struct import *im, const char *path)
{
    return each_directory(im, path, &im->host, count_host);
}

int checkpoint_import(const char *dir, const struct checkpoint_import_opts *opts,
                      const struct import_target *target,
                      struct checkpoint_import_counts *ret,
                      struct import_target_counts *target_ret, struct err *err)
{
    AUTO(import_done) struct import im = { .opts = opts, .target = target };
    struct err why = { 0 };
    int rc = each_directory(&im, dir, &im.cluster, count_cluster);
    if (rc == 0)
        rc = each_directory(&im, dir, &im.cluster, read_cluster);
    if (rc < 0)
        rc = err_set(err, -rc, "%s", im.err.text[0] ? im.err.text : strerror(-rc));
    int end_rc = target->end(target->state, target_ret, &why);
    if (rc == 0 && end_rc < 0)
        rc = err_set(err, -end_rc, "%s", why.text);
    *ret = im.counts;
    if (rc == 0 && im.counts.files == 0)
        rc = err_set(err, ENOENT,
                     "'%s' has no checkpoints: CLUSTER/HOST/TIME.json or .bin", dir);
    return rc;
}
