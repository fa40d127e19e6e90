/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lmt_barod - a barod that answers anything: texts with a line "====" between, one
 * a question, over and over.  What is made of them is no count below nothing.
 */
#include "base/span.h"
#include "base/strbuf.h"
#include "fuzz/fuzz.h"
#include "source/lmt/lmt.h"

#define ASKED_MAX 200

struct server {
    struct span all, rest;
    unsigned asked;
    struct strbuf body;
};

static bool next(struct span *rest, struct strbuf *body)
{
    struct span line;
    strbuf_clear(body);
    while (span_cut(rest, '\n', &line) && !span_is(line, "====")) {
        strbuf_add_span(body, line);
        strbuf_addc(body, '\n');
    }
    return body->size > 0;
}

static int get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct server *s = arg;
    fuzz_check(path[0] == '/');
    if (++s->asked > ASKED_MAX)
        return err_set(err, ETIMEDOUT, "too many questions");
    if (!next(&s->rest, &s->body)) {
        s->rest = s->all;
        return err_set(err, ENOENT, "no such thing");
    }
    *ret = strbuf_span(&s->body);
    return 0;
}

static void note(void *arg, const char *text)
{
    (void)arg;
    fuzz_check(text[0] != '\0');
}

static void server_close(void *arg)
{
    struct server *s = arg;
    strbuf_done(&s->body);
}

static bool is_gauge(enum lmt_measure measure)
{
    return measure >= LMT_OSS_CPU;
}

static void measure_read(struct lmt_series *series, enum lmt_measure measure)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    struct err err = { 0 };
    int64_t from_s = 0, to_s = 0;
    if (lmt_series_times(series, measure, &from_s, &to_s, &err) < 0)
        return;
    fuzz_check(to_s > from_s);
    lmt_grid_init(&grid, from_s, to_s - from_s > 600 ? from_s + 600 : to_s);
    int rc = lmt_series_read(series, measure, &grid, &err);
    fuzz_check(rc == 0 || rc == -ENOENT || err.text[0] != '\0');
    for (size_t i = 0; rc == 0 && i < grid.row_count * grid.column_count; i++)
        fuzz_check(is_gauge(measure) || !(grid.values[i] < 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = { (const char *)data, size };
    struct server s = { .all = text, .rest = text };
    const struct lmt_barod_opts opts = {
        .arg = &s, .get = get, .note = note, .close = server_close
    };
    struct lmt_series *series = NULL;
    struct err err = { 0 };
    int rc = lmt_barod_open(&opts, &series, &err);
    if (rc < 0) {
        fuzz_check(err.text[0] != '\0');
        strbuf_done(&s.body);
        return 0;
    }
    for (unsigned measure = 0; measure < LMT_MEASURES; measure++)
        measure_read(series, measure);
    (void)lmt_series_choose(series, "scratch", NULL);
    measure_read(series, LMT_WRITE_BYTES);
    lmt_series_close(series);
    return 0;
}
