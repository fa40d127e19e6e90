/* SPDX-License-Identifier: Apache-2.0 */
/* metric - the strings by which LMT's servers tell what they measured, as ltop records
 * them.
 */
#include "source/lmt/metric.h"

#include "base/number.h"
#include "base/span.h"

#include <math.h>

#define KIB 1024.0
#define OPS_OLD 81 /* of lmt_mds 2 */
#define OPS_1_2 21 /* of lmt_mdt 1 and 2 */
#define OPS_3 23   /* of lmt_mdt 3: two more behind those */
#define POINTS_A_LINE_MAX 65536

/* One value that a line tells; they are handed on when all of the line is understood.
 */
struct reported {
    enum lmt_measure measure;
    enum lmt_point_kind kind;
    struct span component;
    double value;
};

struct reading {
    struct lmt_points *points;
    struct reported *reported;
    size_t reported_count;
    size_t reported_capacity;
    const char *reason; /* of the last refusal */
};

static int refuse(struct reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

static int tell(struct reading *r, enum lmt_measure measure, enum lmt_point_kind kind,
                struct span component, double value)
{
    if (r->reported_count == r->reported_capacity) {
        size_t capacity = r->reported_capacity ? 2 * r->reported_capacity : 128;
        if (capacity > POINTS_A_LINE_MAX)
            return refuse(r, "it has too many points");
        struct reported *reported =
            reallocarray(r->reported, capacity, sizeof *reported);
        if (!reported)
            return -ENOMEM;
        r->reported = reported;
        r->reported_capacity = capacity;
    }
    r->reported[r->reported_count++] =
        (struct reported){ measure, kind, component, value };
    return 0;
}

/* ---- fields between semicolons ---- */

static int field_cut(struct reading *r, struct span *rest, struct span *ret)
{
    if (rest->size == 0)
        return refuse(r, "fields are missing");
    (void)span_cut(rest, ';', ret);
    return 0;
}

static int name_cut(struct reading *r, struct span *rest, struct span *ret)
{
    if (field_cut(r, rest, ret) < 0)
        return -EINVAL;
    return ret->size > 0 ? 0 : refuse(r, "a name is empty");
}

static int count_cut(struct reading *r, struct span *rest, uint64_t *ret)
{
    struct span field;
    if (field_cut(r, rest, &field) < 0)
        return -EINVAL;
    return number_parse_u64(field, ret) == 0 ? 0 : refuse(r, "a count is none");
}

static int share_cut(struct reading *r, struct span *rest, double *ret)
{
    struct span field;
    if (field_cut(r, rest, &field) < 0)
        return -EINVAL;
    return number_parse_double(field, ret) == 0 && *ret >= 0
               ? 0
               : refuse(r, "a percentage is none");
}

/* ---- parts that several strings share ---- */

struct load {
    double cpu;
    double memory;
};

static int load_cut(struct reading *r, struct span *rest, struct load *ret)
{
    int rc = share_cut(r, rest, &ret->cpu);
    return rc == 0 ? share_cut(r, rest, &ret->memory) : rc;
}

static int oss_tell(struct reading *r, struct span host, const struct load *load)
{
    int rc = tell(r, LMT_OSS_CPU, LMT_POINT_GAUGE, host, load->cpu);
    return rc == 0 ? tell(r, LMT_OSS_MEMORY, LMT_POINT_GAUGE, host, load->memory) : rc;
}

/* "inodes free;inodes;KiB free;KiB" of a target. */
static int space_read(struct reading *r, struct span *rest, struct span target)
{
    uint64_t n[4] = { 0 };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(n); i++)
        rc = count_cut(r, rest, &n[i]);
    if (rc < 0)
        return rc;
    if (n[0] > n[1] || n[2] > n[3])
        return refuse(r, "more is free than there is");
    const struct {
        enum lmt_measure measure;
        double value;
    } values[] = {
        { LMT_USED_INODES, (double)(n[1] - n[0]) },
        { LMT_TOTAL_INODES, (double)n[1] },
        { LMT_USED_BYTES, (double)(n[3] - n[2]) * KIB },
        { LMT_TOTAL_BYTES, (double)n[3] * KIB },
    };
    for (size_t i = 0; rc == 0 && i < COUNT_OF(values); i++)
        rc = tell(r, values[i].measure, LMT_POINT_GAUGE, target, values[i].value);
    return rc;
}

static int bytes_read(struct reading *r, struct span *rest, struct span target)
{
    uint64_t bytes = 0;
    int rc = count_cut(r, rest, &bytes);
    if (rc == 0)
        rc = tell(r, LMT_READ_BYTES, LMT_POINT_COUNTER, target, (double)bytes);
    if (rc == 0)
        rc = count_cut(r, rest, &bytes);
    return rc == 0 ? tell(r, LMT_WRITE_BYTES, LMT_POINT_COUNTER, target, (double)bytes)
                   : rc;
}

/* The operation that stands at a place: of 81 in lmt_mds, else since lmt_mdt 1.  False:
 * one that has no series. */
static bool op_at(size_t place, size_t op_count, enum lmt_measure *ret)
{
    static const struct {
        enum lmt_measure measure;
        unsigned char at, at_old;
    } ops[] = {
        { LMT_OPENS, 0, 0 },     { LMT_CLOSES, 1, 1 },     { LMT_MKNODS, 2, 2 },
        { LMT_LINKS, 3, 3 },     { LMT_UNLINKS, 4, 4 },    { LMT_MKDIRS, 5, 5 },
        { LMT_RMDIRS, 6, 6 },    { LMT_RENAMES, 7, 7 },    { LMT_GETXATTRS, 8, 8 },
        { LMT_STATFSS, 13, 25 }, { LMT_SETATTRS, 16, 34 }, { LMT_GETATTRS, 17, 36 },
    };
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        if ((op_count == OPS_OLD ? ops[i].at_old : ops[i].at) == place) {
            *ret = ops[i].measure;
            return true;
        }
    return false;
}

/* Each operation as "samples;sum;sum of squares". */
static int ops_read(struct reading *r, struct span *rest, size_t op_count,
                    struct span target)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < op_count; i++) {
        enum lmt_measure measure;
        uint64_t samples = 0, unused = 0;
        rc = count_cut(r, rest, &samples);
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = count_cut(r, rest, &unused);
        if (rc == 0 && op_at(i, op_count, &measure))
            rc = tell(r, measure, LMT_POINT_COUNTER, target, (double)samples);
    }
    return rc;
}

/* ---- the strings; rest begins behind version and host ---- */

static int ost_read(struct reading *r, struct span host, struct span rest)
{
    enum { UNUSED = 7 }; /* iops, exports, locks, grants, cancels, (re)connects */
    struct span target, recovery;
    struct load load;
    uint64_t unused;
    int rc = load_cut(r, &rest, &load);
    if (rc == 0)
        rc = oss_tell(r, host, &load);
    while (rc == 0 && rest.size > 0) {
        rc = name_cut(r, &rest, &target);
        if (rc == 0)
            rc = space_read(r, &rest, target);
        if (rc == 0)
            rc = bytes_read(r, &rest, target);
        for (int i = 0; rc == 0 && i < UNUSED; i++)
            rc = count_cut(r, &rest, &unused);
        if (rc == 0)
            rc = field_cut(r, &rest, &recovery);
    }
    return rc;
}

static int ost_old_read(struct reading *r, struct span host, struct span rest)
{
    struct span target;
    (void)host;
    int rc = name_cut(r, &rest, &target);
    if (rc == 0)
        rc = space_read(r, &rest, target);
    if (rc == 0)
        rc = bytes_read(r, &rest, target);
    return rc == 0 && rest.size > 0 ? refuse(r, "there are more fields than known")
                                    : rc;
}

static int oss_old_read(struct reading *r, struct span host, struct span rest)
{
    struct load load;
    int rc = load_cut(r, &rest, &load);
    if (rc == 0 && rest.size > 0)
        return refuse(r, "there are more fields than known");
    return rc == 0 ? oss_tell(r, host, &load) : rc;
}

/* has_recovery: since version 2 a group tells it; 23 operations since version 3. */
static int mdts_read(struct reading *r, struct span host, struct span rest,
                     size_t op_count, bool has_recovery)
{
    struct span target, recovery;
    struct load load;
    int rc = load_cut(r, &rest, &load);
    if (rc == 0)
        rc = tell(r, LMT_MDS_CPU, LMT_POINT_GAUGE, host, load.cpu);
    while (rc == 0 && rest.size > 0) {
        rc = name_cut(r, &rest, &target);
        if (rc == 0)
            rc = space_read(r, &rest, target);
        if (rc == 0 && has_recovery)
            rc = field_cut(r, &rest, &recovery);
        if (rc == 0)
            rc = ops_read(r, &rest, op_count, target);
    }
    return rc;
}

static int mdt_read(struct reading *r, struct span host, struct span rest)
{
    return mdts_read(r, host, rest, OPS_3, true);
}

static int mdt_2_read(struct reading *r, struct span host, struct span rest)
{
    return mdts_read(r, host, rest, OPS_1_2, true);
}

static int mdt_1_read(struct reading *r, struct span host, struct span rest)
{
    return mdts_read(r, host, rest, OPS_1_2, false);
}

static int mds_old_read(struct reading *r, struct span host, struct span rest)
{
    struct span target;
    struct load load;
    int rc = name_cut(r, &rest, &target);
    if (rc == 0)
        rc = load_cut(r, &rest, &load);
    if (rc == 0)
        rc = tell(r, LMT_MDS_CPU, LMT_POINT_GAUGE, host, load.cpu);
    if (rc == 0)
        rc = space_read(r, &rest, target);
    if (rc == 0)
        rc = ops_read(r, &rest, OPS_OLD, target);
    return rc == 0 && rest.size > 0 ? refuse(r, "there are more fields than known")
                                    : rc;
}

/* "target;state" each: whether a metadata server reaches it.  No series comes of it. */
static int osc_read(struct reading *r, struct span host, struct span rest)
{
    struct span target, osc_state;
    int rc = 0;
    (void)host;
    while (rc == 0 && rest.size > 0) {
        rc = name_cut(r, &rest, &target);
        if (rc == 0)
            rc = name_cut(r, &rest, &osc_state);
    }
    return rc;
}

static int router_read(struct reading *r, struct span host, struct span rest)
{
    struct load load;
    uint64_t bytes = 0;
    int rc = load_cut(r, &rest, &load);
    if (rc == 0)
        rc = count_cut(r, &rest, &bytes);
    if (rc == 0 && rest.size > 0)
        return refuse(r, "there are more fields than known");
    return rc == 0 ? tell(r, LMT_ROUTER_BYTES, LMT_POINT_COUNTER, host, (double)bytes)
                   : rc;
}

struct metric {
    const char *name;
    double version;
    int (*read)(struct reading *r, struct span host, struct span rest);
};

static const struct metric metrics[] = {
    { "lmt_ost", 2, ost_read },     { "lmt_mdt", 3, mdt_read },
    { "lmt_mdt", 2, mdt_2_read },   { "lmt_mdt", 1, mdt_1_read },
    { "lmt_osc", 1, osc_read },     { "lmt_router", 1, router_read },
    { "lmt_ost", 1, ost_old_read }, { "lmt_oss", 1, oss_old_read },
    { "lmt_mds", 2, mds_old_read },
};

/* ---- lines ---- */

struct line {
    int64_t t_s;
    struct span metric;
    struct span text;
};

/* "recorded measured host metric string" */
static bool line_parse(struct span text, struct line *ret)
{
    struct span recorded, measured, host;
    uint64_t t_s, unused;
    return span_cut(&text, ' ', &recorded) && span_cut(&text, ' ', &measured) &&
           span_cut(&text, ' ', &host) && span_cut(&text, ' ', &ret->metric) &&
           number_parse_u64(recorded, &unused) == 0 &&
           number_parse_u64(measured, &t_s) == 0 && t_s < INT64_MAX / 4 &&
           (ret->t_s = (int64_t)t_s, ret->text = span_trim(text), true);
}

static int string_read(struct reading *r, const struct line *line)
{
    struct span rest = line->text, version_text, host;
    double version;
    bool is_known = false;
    (void)span_cut(&rest, ';', &version_text);
    if (number_parse_double(version_text, &version) < 0)
        return refuse(r, "it begins with no version");
    int rc = name_cut(r, &rest, &host);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(metrics); i++) {
        is_known |= span_is(line->metric, metrics[i].name);
        if (span_is(line->metric, metrics[i].name) && version == metrics[i].version)
            return metrics[i].read(r, host, rest);
    }
    if (rc < 0)
        return rc;
    return refuse(r, is_known ? "this version of it is not known"
                              : "it is not a metric of LMT");
}

static int line_read(struct reading *r, struct span text, bool is_whole,
                     int64_t offset_s, struct err *err)
{
    struct line line;
    if (!is_whole)
        return refuse(r, "the line is cut");
    if (!line_parse(text, &line))
        return refuse(r, "it is not 'TIME TIME HOST METRIC STRING'");
    r->reported_count = 0;
    int rc = string_read(r, &line);
    for (size_t i = 0; rc == 0 && i < r->reported_count; i++) {
        const struct reported *t = &r->reported[i];
        rc = lmt_points_add(r->points, t->measure, t->kind, t->component,
                            line.t_s + offset_s, t->value, err);
    }
    return rc;
}

bool lmt_metric_is(struct span text)
{
    struct span first;
    struct line line;
    (void)span_cut(&text, '\n', &first);
    return line_parse(first, &line) && span_starts(line.metric, "lmt_");
}

int lmt_metric_read(struct span text, const struct lmt_metric_opts *opts,
                    uint64_t *line, struct lmt_points *points, struct err *err)
{
    struct reading r = { .points = points };
    int rc = 0;
    while (rc == 0 && text.size > 0) {
        struct span one;
        bool is_whole = span_cut(&text, '\n', &one);
        ++*line;
        if (one.size == 0)
            continue;
        rc = line_read(&r, one, is_whole, opts->clock_offset_s, err);
        if (rc != -EINVAL)
            continue;
        rc = 0;
        if (opts->on_fault)
            opts->on_fault(opts->arg, *line, one, r.reason);
    }
    free(r.reported);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
}
