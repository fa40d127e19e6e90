/* SPDX-License-Identifier: Apache-2.0 */
/* fabric - what other file systems on a job's fabric moved meanwhile. */
#include "analysis/weather/fabric.h"

#include "base/span.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define DAY_S INT64_C(86400)
#define MEASURED_MIN 0.5 /* of another day, for it to count */

/* What one file system moved in a window. */
struct moved {
    double read, written;
    double rate; /* NaN: nothing was measured */
    size_t cells, known;
};

static void grid_add(const struct lmt_grid *grid, double *ret_bytes, struct moved *m)
{
    size_t steps = 0;
    double bytes = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        size_t known = 0;
        for (size_t column = 0; column < grid->column_count; column++) {
            double value = *lmt_grid_at(grid, row, column);
            if (isnan(value))
                continue;
            known++;
            bytes += value;
        }
        steps += known > 0;
        m->known += known;
    }
    m->cells += grid->row_count * grid->column_count;
    if (steps == 0)
        return;
    double rate = bytes / (double)steps / (double)grid->step_s;
    *ret_bytes = bytes;
    m->rate = isnan(m->rate) ? rate : m->rate + rate;
}

/* A window is asked for anew for each: files of other days come and go. */
static int member_read(const struct fabric_member *member, int64_t from_s, int64_t to_s,
                       struct moved *ret, struct err *err)
{
    struct moved m = { .read = NAN, .written = NAN, .rate = NAN };
    struct lmt_series **series = NULL;
    size_t count = 0;
    int rc = member->source.get(member->source.arg, from_s, to_s, &series, &count, err);
    for (unsigned way = 0; rc >= 0 && way < 2; way++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        lmt_grid_init(&grid, from_s, to_s);
        for (size_t i = 0; i < count && (rc >= 0 || rc == -ENOENT); i++)
            rc = lmt_series_read(series[i], way == 0 ? LMT_READ_BYTES : LMT_WRITE_BYTES,
                                 &grid, err);
        rc = rc == -ENOENT ? 0 : rc;
        if (rc >= 0)
            grid_add(&grid, way == 0 ? &m.read : &m.written, &m);
    }
    if (rc < 0)
        return rc;
    *ret = m;
    return 0;
}

struct reading {
    const struct fabric_member *members;
    size_t count;
    bool *is_measured; /* in the window */
    int64_t from_s, to_s;
};

static double sum_of(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static int window_read(struct reading *r, struct fabric *f, struct strbuf *names,
                       struct err *err)
{
    size_t cells = 0;
    size_t known = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct moved m;
        int rc = member_read(&r->members[i], r->from_s, r->to_s, &m, err);
        if (rc < 0)
            return rc;
        r->is_measured[i] = !isnan(m.rate);
        if (!r->is_measured[i])
            continue;
        strbuf_addf(names, "%s%s", f->count > 0 ? " " : "", r->members[i].name);
        f->count++;
        f->read = sum_of(f->read, m.read);
        f->written = sum_of(f->written, m.written);
        f->rate = sum_of(f->rate, m.rate);
        cells += m.cells;
        known += m.known;
    }
    f->is_known = f->count > 0;
    if (f->is_known)
        f->missing = 1 - (double)known / (double)cells;
    return 0;
}

/* *ret is NaN where one of them was measured too little. */
static int day_read(const struct reading *r, int64_t shift_s, double *ret,
                    struct err *err)
{
    double rate = 0;
    for (size_t i = 0; i < r->count && !isnan(rate); i++) {
        struct moved m;
        if (!r->is_measured[i])
            continue;
        int rc = member_read(&r->members[i], r->from_s + shift_s, r->to_s + shift_s, &m,
                             err);
        if (rc < 0)
            return rc;
        bool is_enough = (double)m.known >= MEASURED_MIN * (double)m.cells;
        rate = is_enough ? rate + m.rate : NAN;
    }
    *ret = rate;
    return 0;
}

static bool is_covered(const struct reading *r, int64_t shift_s)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->is_measured[i] && (r->to_s + shift_s <= r->members[i].source.first_s ||
                                  r->from_s + shift_s >= r->members[i].source.end_s))
            return false;
    return true;
}

static int days_read(const struct reading *r, struct fabric *f, struct err *err)
{
    double rates[2 * FABRIC_DAYS_MAX];
    const int64_t days = (r->to_s - r->from_s - 1) / DAY_S + 1;
    const struct zone *zone = r->count > 0 ? r->members[0].source.zone : NULL;
    for (int64_t day = -FABRIC_DAYS_MAX; day <= FABRIC_DAYS_MAX; day++) {
        double rate = NAN;
        int64_t shift_s = weather_shift_s(zone, r->from_s, day * days);
        int rc = 0;
        if (day != 0 && is_covered(r, shift_s))
            rc = day_read(r, shift_s, &rate, err);
        if (rc < 0)
            return rc;
        if (isnan(rate))
            continue;
        rates[f->days++] = rate;
        f->as_much += rate >= f->rate;
    }
    (void)numbers_sort(rates, f->days);
    f->usual = quantile(rates, f->days, 0.5);
    f->times = f->usual > 0 ? f->rate / f->usual : NAN;
    return 0;
}

int fabric_read(const struct fabric_member *members, size_t count, const char *fabrics,
                int64_t from_s, int64_t to_s, struct fabric *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    AUTO_FREE bool *is_measured = calloc(count + 1, sizeof *is_measured);
    AUTO(fabric_done)
    struct fabric f = { .read = NAN,
                        .written = NAN,
                        .missing = NAN,
                        .rate = NAN,
                        .usual = NAN,
                        .times = NAN,
                        .fabrics = span_dup(span_of(fabrics)) };
    struct reading r = { members, count, is_measured, from_s, to_s };
    if (to_s <= from_s)
        return err_set(err, EINVAL, "a window ends after it begins");
    if (!is_measured || !f.fabrics)
        return err_set(err, ENOMEM, "out of memory");
    int rc = window_read(&r, &f, &names, err);
    if (rc == 0 && f.is_known)
        rc = days_read(&r, &f, err);
    if (rc < 0)
        return rc;
    f.names = f.is_known ? span_dup(strbuf_span(&names)) : NULL;
    if (f.is_known && (!f.names || strbuf_error(&names) < 0))
        return err_set(err, ENOMEM, "out of memory");
    *ret = f;
    f = (struct fabric){ 0 };
    return 0;
}

void fabric_done(struct fabric *fabric)
{
    free(fabric->fabrics);
    free(fabric->names);
    *fabric = (struct fabric){ 0 };
}

double fabric_chance(size_t as_much, size_t days)
{
    if (days < PERCENTILE_OTHERS_MIN)
        return NAN;
    return (1 + (double)as_much) / (1 + (double)days);
}
