/* SPDX-License-Identifier: Apache-2.0 */
/* export_server - samples through barod: the list of series, then a question each.
 *
 * A range that has more than an answer may hold is asked for in halves.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/timetext.h"
#include "cmd/export_cc.h"
#include "cmd/store_export.h"

#define HALVES_MAX 40

struct asked {
    const struct export_args *args;
    struct export_text *text;
    struct client_http *http;
    struct strbuf component, metric;
};

/* One field of a row, which rest loses; quotes are taken off. */
static void take_field(struct span *rest, struct strbuf *out)
{
    strbuf_clear(out);
    bool is_quoted = span_starts(*rest, "\"");
    size_t i = is_quoted;
    for (; i < rest->size; i++) {
        char c = rest->data[i];
        if (is_quoted && c == '"') {
            if (i + 1 >= rest->size || rest->data[i + 1] != '"')
                break;
            i++;
        } else if (!is_quoted && (c == ',' || c == '\n')) {
            break;
        }
        strbuf_addc(out, c);
    }
    *rest = span_skip(*rest, i + (is_quoted ? 2 : 1));
}

/* A pattern that fits the text, and little else: what has a meaning in one becomes ?.
 */
static void make_pattern(const struct strbuf *text, struct strbuf *out)
{
    strbuf_clear(out);
    for (size_t i = 0; i < text->size; i++)
        strbuf_addc(out, strchr("*?[],\\", text->data[i]) ? '?' : text->data[i]);
}

static int write_rows(struct asked *a, struct span rows)
{
    AUTO(strbuf_done) struct strbuf field = STRBUF_INIT;
    struct span line;
    int rc = 0;
    (void)span_cut(&rows, '\n', &line); /* the names of the columns */
    while (rc == 0 && rows.size > 0) {
        double value;
        int64_t t_ns;
        take_field(&rows, &field);
        bool is_it = span_eq(strbuf_span(&field), strbuf_span(&a->component));
        take_field(&rows, &field);
        is_it = is_it && span_eq(strbuf_span(&field), strbuf_span(&a->metric));
        take_field(&rows, &field);
        rc = timetext_parse(strbuf_span(&field), &t_ns);
        take_field(&rows, &field);
        if (rc == 0 && is_it && field.size > 0 &&
            number_parse_double(strbuf_span(&field), &value) == 0)
            rc = export_text_sample(a->text, t_ns, value);
    }
    return rc < 0 ? rc : strbuf_error(&field);
}

static int ask_range(struct asked *a, int64_t from_ns, int64_t to_ns, struct err *err)
{
    AUTO(client_url_done) struct client_url url = { 0 };
    AUTO(strbuf_done) struct strbuf pattern = STRBUF_INIT;
    char time[TIMETEXT_SIZE];
    client_url_init(&url, "/v1/query");
    make_pattern(&a->component, &pattern);
    client_url_add(&url, "component", strbuf_text(&pattern));
    make_pattern(&a->metric, &pattern);
    client_url_add(&url, "metric", strbuf_text(&pattern));
    (void)timetext_print(time, from_ns);
    client_url_add(&url, "from", time);
    (void)timetext_print(time, to_ns);
    client_url_add(&url, "to", time);
    client_url_add(&url, "format", "csv");
    struct span body;
    int rc = strbuf_error(&pattern);
    if (rc == 0)
        rc = client_http_get_url(a->http, &url, &body, err);
    return rc < 0 ? rc : write_rows(a, body);
}

struct piece {
    int64_t from_ns, to_ns;
};

/* In order of time: the later half waits. */
static int ask_one(struct asked *a, struct err *err)
{
    struct piece waiting[HALVES_MAX + 1];
    size_t count = 0;
    int64_t to_ns = a->args->to_ns;
    waiting[count++] =
        (struct piece){ a->args->from_ns,
                        to_ns < INT64_MAX ? to_ns : clock_now_ns() + NS_PER_S };
    int rc = 0;
    while (rc == 0 && count > 0) {
        struct piece p = waiting[--count];
        int64_t middle_ns = p.from_ns + (p.to_ns - p.from_ns) / 2;
        middle_ns -= middle_ns % NS_PER_S;
        rc = ask_range(a, p.from_ns, p.to_ns, err);
        if (rc == -EMSGSIZE && count + 2 <= HALVES_MAX && middle_ns > p.from_ns) {
            waiting[count++] = (struct piece){ middle_ns, p.to_ns };
            waiting[count++] = (struct piece){ p.from_ns, middle_ns };
            rc = 0;
        }
    }
    return rc;
}

static int ask_all(struct asked *a, struct err *err)
{
    AUTO(client_url_done) struct client_url url = { 0 };
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf step = STRBUF_INIT;
    struct span line;
    client_url_init(&url, "/v1/series");
    client_url_add(&url, "component",
                   a->args->component[0] ? a->args->component : NULL);
    client_url_add(&url, "format", "csv");
    struct span body;
    int rc = client_http_get_url(a->http, &url, &body, err);
    if (rc < 0)
        return rc;
    strbuf_add_span(&list, body);
    rc = strbuf_error(&list);
    struct span rows = strbuf_span(&list);
    (void)span_cut(&rows, '\n', &line);
    while (rc == 0 && rows.size > 0) {
        take_field(&rows, &a->component);
        take_field(&rows, &a->metric);
        take_field(&rows, &step);
        if (!export_fits(strbuf_span(&a->metric), a->args->metric))
            continue;
        rc = export_text_series(a->text, strbuf_span(&a->component),
                                strbuf_span(&a->metric));
        if (rc == 0)
            rc = ask_one(a, err);
        else if (rc == -EINVAL)
            rc = 0;
    }
    return rc < 0 ? rc : export_text_end(a->text, err);
}

int export_server(const struct export_args *args, struct export_text *text,
                  struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    struct asked a = { .args = args, .text = text };
    int rc = client_http_open(&args->client.endpoint, &http, err);
    a.http = http;
    if (rc == 0)
        rc = ask_all(&a, err);
    strbuf_done(&a.component);
    strbuf_done(&a.metric);
    return rc;
}
