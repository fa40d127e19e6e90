/* SPDX-License-Identifier: Apache-2.0 */
/* server_export - samples through a barod, as text: the list of series, then a query
 * for each. */
#include "migrate/server_export.h"

#include "base/number.h"
#include "base/span.h"
#include "base/table/csv_field.h"
#include "base/timetext.h"
#include "migrate/name_patterns.h"
#include "migrate/series_list.h"
#include "net/net.h"

#include <string.h>

#define HALVES_MAX 40

struct export
{
    const struct http_peer *barod;
    struct sample_text *text;
    const struct listed_series *series; /* the one that is queried */
    struct strbuf component, metric, time, value;
};

static void export_done(struct export *e)
{
    strbuf_done(&e->component);
    strbuf_done(&e->metric);
    strbuf_done(&e->time);
    strbuf_done(&e->value);
}
DEFINE_AUTO_DONE(struct export, export_done);

/* A parameter that matches the text, and little else: bytes that have a meaning in
 * patterns become '?'. */
static void add_pattern(struct net_url *url, const char *key, struct span text,
                        struct strbuf *scratch)
{
    strbuf_clear(scratch);
    for (size_t i = 0; i < text.size; i++)
        strbuf_addc(scratch, strchr("*?[],\\", text.data[i]) ? '?' : text.data[i]);
    net_url_add(url, key, strbuf_text(scratch));
}

static void add_time(struct net_url *url, const char *key, int64_t t_ns)
{
    char time[TIMETEXT_SIZE];
    (void)timetext_print(time, t_ns);
    net_url_add(url, key, time);
}

/* One row of "component,metric,time,value"; those of other series that match the
 * patterns are passed over, and a value that is missing. */
static int write_row(struct export *e, struct span *rows, struct err *err)
{
    int64_t t_ns;
    double value;
    csv_field_cut(rows, &e->component);
    csv_field_cut(rows, &e->metric);
    csv_field_cut(rows, &e->time);
    csv_field_cut(rows, &e->value);
    if (e->component.error | e->metric.error | e->time.error | e->value.error)
        return err_set(err, ENOMEM, "out of memory");
    if (timetext_parse(strbuf_span(&e->time), &t_ns) < 0)
        return err_set(err, EBADMSG, "barod's response has '%s' for a time",
                       strbuf_text(&e->time));
    if (!span_eq(strbuf_span(&e->component), e->series->component) ||
        !span_eq(strbuf_span(&e->metric), e->series->metric) ||
        number_parse_double(strbuf_span(&e->value), &value) < 0)
        return 0;
    return sample_text_add(e->text, t_ns, value, err);
}

static int export_range(struct export *e, int64_t from_ns, int64_t to_ns,
                        struct err *err)
{
    AUTO(net_url_done) struct net_url url;
    struct span rows, names;
    net_url_init(&url, "/v1/query");
    add_pattern(&url, "component", e->series->component, &e->component);
    add_pattern(&url, "metric", e->series->metric, &e->metric);
    add_time(&url, "from", from_ns);
    add_time(&url, "to", to_ns);
    net_url_add(&url, "format", "csv");
    if (e->component.error | e->metric.error | strbuf_error(&url.text))
        return err_set(err, ENOMEM, "out of memory");
    int rc = e->barod->get(e->barod->arg, strbuf_text(&url.text), (struct span){ 0 },
                           &rows, err);
    if (rc == 0)
        (void)span_cut(&rows, '\n', &names);
    while (rc == 0 && rows.size > 0)
        rc = write_row(e, &rows, err);
    return rc;
}

/* In order of time: of two halves the later one waits. */
static int export_series(struct export *e, const struct time_window *window,
                         struct err *err)
{
    struct time_window waiting[HALVES_MAX + 1] = { *window };
    size_t count = 1;
    int rc = 0;
    while (rc == 0 && count > 0) {
        struct time_window w = waiting[--count];
        int64_t middle_ns = w.from_ns + (w.to_ns - w.from_ns) / 2;
        middle_ns -= middle_ns % NS_PER_S;
        rc = export_range(e, w.from_ns, w.to_ns, err);
        if (rc == -EMSGSIZE && count + 2 <= HALVES_MAX && middle_ns > w.from_ns) {
            waiting[count++] = (struct time_window){ middle_ns, w.to_ns };
            waiting[count++] = (struct time_window){ w.from_ns, middle_ns };
            rc = 0;
        }
    }
    return rc;
}

int server_export(const struct http_peer *barod,
                  const struct export_selection *selection, int64_t now_ns,
                  struct sample_text *text, struct err *err)
{
    AUTO(series_list_done) struct series_list list = { 0 };
    AUTO(export_done) struct export e = { .barod = barod, .text = text };
    struct time_window window = selection->window;
    if (window.to_ns == INT64_MAX)
        window.to_ns = now_ns + NS_PER_S;
    int rc = series_list_get(barod, selection->component, &list, err);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        e.series = &list.items[i];
        if (!name_patterns_match(e.series->metric, selection->metric))
            continue;
        rc = sample_text_series(text, e.series->component, e.series->metric);
        if (rc == 0)
            rc = export_series(&e, &window, err);
        else if (rc == -EINVAL)
            rc = 0; /* counted there */
    }
    return rc < 0 ? rc : sample_text_end(text, err);
}
