/* SPDX-License-Identifier: Apache-2.0 */
/* text - series out of what monitors print: mmperfmon, mmpmon, LMT's strings. */
#include "client/series/text.h"

#include "base/hashmap.h"
#include "base/input.h"
#include "base/span.h"
#include "model/model.h"
#include "source/gpfs/gpfs.h"

#include <inttypes.h>
#include <sys/stat.h>

#define TEXT_BYTES_MAX ((size_t)2 << 30)
#define FILES_MAX 65536

enum text_kind {
    TEXT_UNKNOWN,
    TEXT_MMPERFMON,
    TEXT_MMPMON,
    TEXT_METRIC,
    TEXT_TAR,
};

static const char *const kind_names[] = {
    [TEXT_MMPERFMON] = "mmperfmon query",
    [TEXT_MMPMON] = "mmpmon -p",
    [TEXT_METRIC] = "LMT metric strings",
};

struct reading {
    struct lmt_points *points;
    enum text_kind kind; /* of the files so far */
    const char *path;    /* for messages */
    const struct lmt_opts *opts;
    const struct series_opts *way;
    uint64_t fault_count; /* of the file being read */
    struct strbuf name;   /* of a component */
    struct err *err;
    /* mmperfmon tells two parts of the load one after the other. */
    double cpu_user;
    int64_t cpu_user_s;
    /* Its cells of one row have one time. */
    int64_t row_s;
    char row_text[20];
};

static enum text_kind kind_of(struct span text)
{
    if (tarball_is(text))
        return TEXT_TAR;
    if (mmperfmon_is(text))
        return TEXT_MMPERFMON;
    if (lmt_metric_is(text))
        return TEXT_METRIC;
    return mmpmon_is(text) ? TEXT_MMPMON : TEXT_UNKNOWN;
}

bool series_text_is(const char *path)
{
    AUTO(input_close) struct input *input = NULL;
    struct stat st;
    const char *data;
    size_t size;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    return input_open(path, &input, NULL) == 0 &&
           input_read(input, &data, &size, NULL) == 0 &&
           kind_of((struct span){ data, size }) != TEXT_UNKNOWN;
}

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    struct reading *r = arg;
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    if (r->fault_count++ > 0)
        return;
    text.size = text.size > 120 ? 120 : text.size;
    entry_id_print(&shown, text);
    series_log(r->way, "%s:%" PRIu64 ": %s: %s", r->path, line, reason,
               strbuf_text(&shown));
}

static int add(struct reading *r, enum lmt_measure measure, enum lmt_point_kind kind,
               int64_t t_s, double value)
{
    if (strbuf_error(&r->name) < 0)
        return err_set(r->err, ENOMEM, "out of memory");
    return lmt_points_add(r->points, measure, kind, strbuf_span(&r->name),
                          t_s + r->opts->clock_offset_s, value, r->err);
}

/* ---- mmperfmon ---- */

struct metric {
    const char *name;
    enum lmt_measure measure;
    enum lmt_point_kind kind;
};

static const struct metric metrics[] = {
    { "gpfs_nsdds_bytes_read", LMT_READ_BYTES, LMT_POINT_COUNT_END },
    { "gpfs_nsdds_bytes_written", LMT_WRITE_BYTES, LMT_POINT_COUNT_END },
    { "gpfs_nsdds_reads", LMT_READ_OPS, LMT_POINT_COUNT_END },
    { "gpfs_nsdds_writes", LMT_WRITE_OPS, LMT_POINT_COUNT_END },
    { "gpfs_fs_bytes_read", LMT_CLIENT_READ_BYTES, LMT_POINT_COUNT_END },
    { "gpfs_fs_bytes_written", LMT_CLIENT_WRITE_BYTES, LMT_POINT_COUNT_END },
    { "gpfs_fs_read_ops", LMT_CLIENT_READ_OPS, LMT_POINT_COUNT_END },
    { "gpfs_fs_write_ops", LMT_CLIENT_WRITE_OPS, LMT_POINT_COUNT_END },
    { "gpfs_fis_open_calls", LMT_CLIENT_OPENS, LMT_POINT_COUNT_END },
    { "gpfs_fis_close_calls", LMT_CLIENT_CLOSES, LMT_POINT_COUNT_END },
    { "gpfs_fis_readdir_calls", LMT_CLIENT_READDIRS, LMT_POINT_COUNT_END },
    { "gpfs_fis_inodes_written", LMT_CLIENT_INODE_UPDATES, LMT_POINT_COUNT_END },
    { "cpu_user", LMT_OSS_CPU_USER, LMT_POINT_GAUGE_END },
    { "cpu_sys", LMT_OSS_CPU_SYSTEM, LMT_POINT_GAUGE_END },
    { "mem_total", LMT_OSS_MEMORY_TOTAL, LMT_POINT_GAUGE_END },
    { "mem_free", LMT_OSS_MEMORY_FREE, LMT_POINT_GAUGE_END },
    { "net_r", LMT_OSS_NET_IN, LMT_POINT_COUNT_END },
    { "net_s", LMT_OSS_NET_OUT, LMT_POINT_COUNT_END },
};

/* The time of a row, which all of its cells have. */
static bool row_time(struct reading *r, struct span text, int64_t *ret)
{
    bool is_same = r->row_s != INT64_MIN && span_is(text, r->row_text);
    if (!is_same) {
        int64_t t_s;
        if (text.size >= sizeof r->row_text ||
            !lmt_stamp_parse(text, r->opts->zone, r->row_s, &t_s))
            return false;
        r->row_s = t_s;
        memcpy(r->row_text, text.data, text.size);
        r->row_text[text.size] = '\0';
    }
    *ret = r->row_s;
    return true;
}

/* The load of a node is what user and system take together. */
static int cpu_add(struct reading *r, enum lmt_measure measure, int64_t t_s,
                   double value)
{
    if (measure == LMT_OSS_CPU_USER) {
        r->cpu_user = value;
        r->cpu_user_s = t_s;
        return 0;
    }
    if (r->cpu_user_s != t_s)
        return 0;
    return add(r, LMT_OSS_CPU, LMT_POINT_GAUGE_END, t_s, r->cpu_user + value);
}

static int on_cell(void *arg, const struct mmperfmon_cell *cell)
{
    struct reading *r = arg;
    int64_t t_s;
    for (size_t i = 0; i < COUNT_OF(metrics); i++) {
        if (!span_is(cell->metric, metrics[i].name))
            continue;
        if (!row_time(r, cell->time, &t_s)) {
            on_fault(r, 0, cell->time,
                     "a time is neither 2026-11-21T06:00:00Z nor seconds since 1970");
            return 0;
        }
        strbuf_clear(&r->name);
        if (cell->device.size > 0) {
            strbuf_add_span(&r->name, cell->device);
            strbuf_addc(&r->name, '@');
        }
        strbuf_add_span(&r->name, cell->host);
        int rc = add(r, metrics[i].measure, metrics[i].kind, t_s, cell->value);
        if (rc == 0 && (metrics[i].measure == LMT_OSS_CPU_USER ||
                        metrics[i].measure == LMT_OSS_CPU_SYSTEM))
            rc = cpu_add(r, metrics[i].measure, t_s, cell->value);
        return rc;
    }
    return 0; /* others have no series */
}

/* ---- mmpmon ---- */

static int on_io(void *arg, const struct gpfs_io *io)
{
    static const enum lmt_measure measures[_GPFS_COUNT_COUNT] = {
        [GPFS_READ_BYTES] = LMT_CLIENT_READ_BYTES,
        [GPFS_WRITE_BYTES] = LMT_CLIENT_WRITE_BYTES,
        [GPFS_OPENS] = LMT_CLIENT_OPENS,
        [GPFS_CLOSES] = LMT_CLIENT_CLOSES,
        [GPFS_READS] = LMT_CLIENT_READ_OPS,
        [GPFS_WRITES] = LMT_CLIENT_WRITE_OPS,
        [GPFS_READDIRS] = LMT_CLIENT_READDIRS,
        [GPFS_INODE_UPDATES] = LMT_CLIENT_INODE_UPDATES,
    };
    struct reading *r = arg;
    int rc = 0;
    strbuf_clear(&r->name);
    strbuf_add_span(&r->name, io->fs);
    strbuf_addc(&r->name, '@');
    strbuf_add_span(&r->name, io->node);
    for (unsigned i = 0; rc == 0 && i < _GPFS_COUNT_COUNT; i++)
        rc = add(r, measures[i], LMT_POINT_COUNTER, io->t_s, (double)io->counts[i]);
    return rc;
}

/* ---- texts ---- */

static int text_read(struct reading *r, struct span text, enum text_kind kind)
{
    const struct mmperfmon_opts mmperfmon = { on_cell, on_fault, r };
    const struct mmpmon_opts mmpmon = { on_io, on_fault, r };
    const struct lmt_metric_opts metric = { .clock_offset_s = r->opts->clock_offset_s,
                                            .on_fault = on_fault,
                                            .arg = r };
    uint64_t line = 0;
    int rc = 0;
    r->kind = kind;
    r->fault_count = 0;
    r->row_s = r->cpu_user_s = INT64_MIN;
    if (kind == TEXT_MMPERFMON)
        rc = mmperfmon_read(text, &mmperfmon);
    else if (kind == TEXT_MMPMON)
        rc = mmpmon_read(text, &mmpmon);
    else
        rc = lmt_metric_read(text, &metric, &line, r->points, r->err);
    if (rc == -ENOMEM && r->err->text[0] == '\0')
        rc = err_set(r->err, ENOMEM, "out of memory");
    if (rc == 0 && r->fault_count > 1)
        series_log(r->way, "%s: %" PRIu64 " lines could not be read", r->path,
                   r->fault_count);
    return rc;
}

/* Every file of an archive that is of a known kind. */
static int tar_read(struct reading *r, struct span tar)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const char *outer = r->path;
    struct span name, text;
    size_t cursor = 0;
    int rc = 1;
    while (rc > 0 && (rc = tarball_next(tar, &cursor, &name, &text)) > 0) {
        enum text_kind kind = kind_of(text);
        strbuf_clear(&path);
        strbuf_addf(&path, "%s:" SPAN_FMT, outer, SPAN_ARG(name));
        r->path = strbuf_text(&path);
        if (kind == TEXT_UNKNOWN || kind == TEXT_TAR)
            series_log(r->way, "%s: skipped: unknown kind of text", r->path);
        else if (text_read(r, text, kind) < 0)
            rc = -EINVAL;
    }
    r->path = outer;
    if (rc == -EBADMSG)
        return err_set(r->err, EBADMSG, "%s: the archive is damaged or cut", outer);
    return rc;
}

static int file_read_in(struct reading *r, const char *path)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, r->err);
    if (rc < 0)
        return rc;
    enum text_kind kind = kind_of(strbuf_span(&text));
    r->path = path;
    if (kind == TEXT_TAR)
        return tar_read(r, strbuf_span(&text));
    if (kind == TEXT_UNKNOWN) {
        series_log(r->way, "%s: skipped: unknown kind of text", path);
        return 0;
    }
    return text_read(r, strbuf_span(&text), kind);
}

/* Every file of a folder and of the folders in it, in no order: times tell it. */
static int folder_read(struct reading *r, const char *path, int depth, size_t *files)
{
    enum { DEPTH_MAX = 8 };
    AUTO_CLOSEDIR DIR *dir = opendir(path);
    if (!dir)
        return err_set(r->err, errno, "%s: %s", path, strerror(errno));
    int rc = 0;
    for (const struct dirent *e = readdir(dir); rc == 0 && e; e = readdir(dir)) {
        AUTO(strbuf_done) struct strbuf inner = STRBUF_INIT;
        struct stat st;
        if (e->d_name[0] == '.')
            continue;
        strbuf_addf(&inner, "%s/%s", path, e->d_name);
        if (strbuf_error(&inner) < 0)
            return err_set(r->err, ENOMEM, "out of memory");
        if (stat(strbuf_text(&inner), &st) < 0)
            continue;
        if (++*files > FILES_MAX)
            return err_set(r->err, EFBIG, "%s: over %d files", path, FILES_MAX);
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
            rc = folder_read(r, strbuf_text(&inner), depth + 1, files);
        else if (S_ISREG(st.st_mode))
            rc = file_read_in(r, strbuf_text(&inner));
    }
    return rc;
}

int series_text_open(const char *path, const struct series_opts *way,
                     const struct lmt_opts *opts, struct lmt_series **ret,
                     struct err *err)
{
    AUTO(lmt_points_free) struct lmt_points *points = NULL;
    struct err local = { 0 };
    struct stat st;
    size_t files = 0;
    if (lmt_points_new(&points) < 0)
        return err_set(err, ENOMEM, "out of memory");
    struct reading r = { .points = points,
                         .path = path,
                         .opts = opts,
                         .way = way,
                         .err = err ? err : &local };
    int rc = stat(path, &st) == 0 && S_ISDIR(st.st_mode)
                 ? folder_read(&r, path, 0, &files)
                 : file_read_in(&r, path);
    strbuf_done(&r.name);
    if (rc == 0 && lmt_points_count(points) == 0)
        rc = err_set(err, EBADMSG, "%s: nothing of it is a series", path);
    if (rc == 0)
        rc = lmt_series_of_points(points, kind_names[r.kind], ret, err);
    if (rc == 0)
        points = NULL; /* the series owns them */
    return rc;
}
