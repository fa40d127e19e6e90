/* SPDX-License-Identifier: Apache-2.0 */
/* slice - the series of a job, out of where its summary says that they lie. */
#include "client/series/slice.h"

#include "base/clock.h"
#include "base/decimal_text.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"
#include "client/series/measure.h"
#include "client/series/open.h"
#include "client/series/server.h"

#include <math.h>
#include <sys/stat.h>

#define OUT_BYTES ((size_t)65536)
#define STEPS_MIN 2

/* ---- opening ---- */

/* What a slice begins and ends with has to be a time that can be. */
static int window_read(const struct job_weather *weather, struct series_slice *slice,
                       struct err *err)
{
    int64_t step_s = weather->step_s;
    slice->from_s = weather->from_s;
    slice->to_s = weather->to_s;
    if (slice->from_s == JOB_I64_NONE || slice->to_s == JOB_I64_NONE ||
        step_s == JOB_I64_NONE)
        return err_set(err, ENODATA, "its summary knows of no series");
    if (slice->from_s < 0 || slice->to_s <= slice->from_s || step_s <= 0 ||
        step_s > LMT_STEP_S_MAX || slice->to_s > INT64_MAX / NS_PER_S)
        return err_set(err, EBADMSG, "the window in its summary is none");
    if (slice->to_s < slice->from_s + STEPS_MIN * step_s)
        slice->to_s = slice->from_s + STEPS_MIN * step_s;
    return 0;
}

/* A reference comes from another user: what it names is requested without the caller's
 * token, unless the caller named it, too; and what never ends is not waited for. */
static int path_check(const char *path, struct err *err)
{
    struct stat st;
    if (series_server_is(path) || stat(path, &st) < 0)
        return 0; /* opening says why not */
    return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)
               ? 0
               : err_set(err, EBADMSG, "%s: is neither a file nor a directory", path);
}

static bool is_named(const char *path, const struct series_slice_opts *way)
{
    const struct client_endpoint endpoint = { .server = way->series.server };
    bool is_one =
        strcmp(path, "barod") == 0 || strcmp(path, client_endpoint_url(&endpoint)) == 0;
    for (size_t i = 0; i < way->named.count && !is_one; i++)
        is_one = strcmp(path, way->named.items[i]) == 0;
    return is_one;
}

static int file_open(const struct series_reference_file *file,
                     const struct series_slice_opts *slice_way, struct lmt_series **ret,
                     struct err *err)
{
    AUTO(zone_done) struct zone zone = { 0 };
    const struct lmt_opts opts = { .zone = file->zone ? &zone : NULL,
                                   .clock_offset_s = file->offset_s };
    struct series_opts way = slice_way->series;
    if (!is_named(file->path, slice_way))
        way.token_file = "";
    int rc = path_check(file->path, err);
    if (rc == 0 && file->zone)
        rc = zone_load(file->zone, &zone, err);
    if (rc == -EINVAL) /* no misuse of the caller's: the summary is damaged */
        rc = err_set(err, EBADMSG, "the zone '%s' in its summary is none", file->zone);
    if (rc == 0)
        rc = series_open(file->path, &way, &opts, ret, err);
    if (rc == 0 && file->fs)
        rc = lmt_series_choose(*ret, file->fs, err);
    return rc;
}

int series_slice_open(const struct job_weather *weather,
                      const struct series_slice_opts *way, struct series_slice *ret,
                      struct err *err)
{
    struct series_slice *s = ret;
    *s = (struct series_slice){ 0 };
    const char *where = weather->series;
    if (!where)
        return err_set(err, ENODATA, "its summary knows of no series");
    int rc = window_read(weather, s, err);
    if (rc == 0)
        rc = series_reference_read(span_of(where), &s->reference, err);
    if (rc == 0 && s->reference.count == 0)
        rc = err_set(err, ENODATA, "its summary knows of no series");
    if (rc < 0)
        return rc;
    s->series = calloc(s->reference.count, sizeof(void *));
    if (!s->series)
        return err_set(err, ENOMEM, "out of memory");
    for (; s->count < s->reference.count && rc == 0; s->count += rc == 0)
        rc = file_open(&s->reference.files[s->count], way, &s->series[s->count], err);
    if (rc == 0 && s->count > 1)
        rc = lmt_series_join(s->series, s->count, &s->all, err);
    else if (rc == 0)
        s->all = s->series[0];
    return rc;
}

void series_slice_done(struct series_slice *slice)
{
    if (slice->count > 1)
        lmt_series_close(slice->all);
    for (size_t i = 0; slice->series && i < slice->reference.count; i++)
        lmt_series_close(slice->series[i]);
    free(slice->series);
    series_reference_done(&slice->reference);
    *slice = (struct series_slice){ 0 };
}

/* ---- CSV ---- */

static void name_print(const char *name, struct strbuf *out)
{
    if (!strpbrk(name, ",\"\r\n")) {
        strbuf_adds(out, name);
        return;
    }
    strbuf_addc(out, '"');
    for (; *name; name++)
        strbuf_addf(out, "%s%c", *name == '"' ? "\"" : "", *name);
    strbuf_addc(out, '"');
}

struct output {
    struct strbuf text; /* not written yet */
    series_write_fn *write;
    void *arg;
};

static int output_flush(struct output *out)
{
    int rc = strbuf_error(&out->text);
    if (rc == 0 && out->text.size > 0)
        rc = out->write(out->arg, strbuf_span(&out->text));
    strbuf_clear(&out->text);
    return rc;
}

static int grid_print(const struct lmt_grid *grid, enum lmt_measure measure,
                      struct output *out)
{
    char text[DECIMAL_TEXT_MAX];
    char name[SERIES_MEASURE_NAME_SIZE];
    int rc = 0;
    series_measure_name(measure, name);
    for (size_t row = 0; row < grid->row_count && rc == 0; row++) {
        int64_t t_s = grid->start_s + (int64_t)row * grid->step_s;
        for (size_t column = 0; column < grid->column_count; column++) {
            double value = *lmt_grid_at(grid, row, column);
            strbuf_add_i64(&out->text, t_s);
            strbuf_addf(&out->text, ",%s,%s,", name, lmt_measure_info(measure)->unit);
            name_print(grid->columns[column], &out->text);
            strbuf_addc(&out->text, ',');
            if (!isnan(value))
                strbuf_add(&out->text, text, decimal_print_shortest(text, value));
            strbuf_addc(&out->text, '\n');
        }
        rc = out->text.size < OUT_BYTES ? 0 : output_flush(out);
    }
    return rc;
}

int series_slice_print(const struct series_slice *slice, series_write_fn *write,
                       void *arg, struct err *err)
{
    struct output out = { STRBUF_INIT, write, arg };
    strbuf_adds(&out.text, "time,measure,unit,component,value\n");
    int rc = 0;
    for (unsigned m = 0; m < LMT_MEASURES && rc == 0; m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        struct err why = { 0 };
        lmt_grid_init(&grid, slice->from_s, slice->to_s);
        rc = lmt_series_read(slice->all, m, &grid, &why);
        if (rc < 0 && rc != -ENOENT) {
            strbuf_done(&out.text);
            return err_set(err, -rc, "%s", why.text);
        }
        rc = rc == 0 ? grid_print(&grid, m, &out) : 0;
    }
    if (rc == 0)
        rc = output_flush(&out);
    strbuf_done(&out.text);
    return rc == 0 ? 0 : err_set(err, -rc, "output: %s", strerror(-rc));
}

int series_slice_archive(const struct series_slice *slice, const char *path,
                         struct err *err)
{
    const struct lmt_archive_opts opts = { .from_s = slice->from_s,
                                           .to_s = slice->to_s,
                                           .now_s = clock_now_ns() / NS_PER_S };
    return lmt_archive(slice->all, &opts, path, err);
}
