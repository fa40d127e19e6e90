/* SPDX-License-Identifier: Apache-2.0 */
/* own_series - barod itself as a series of what servers measured. */
#include "api/own_series.h"

#include "api/metric/metric_samples.h"
#include "api/status.h"
#include "base/clock.h"
#include "base/span.h"

/* ---- parameters of a path ---- */

typedef int own_pair_fn(void *arg, struct span name, struct span value,
                        struct err *err);

static int percent_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %XX, as source/lmt escapes; the result is never longer. */
static struct span value_unescape(struct span text, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        bool is_whole = text.data[i] == '%' && i + 2 < text.size;
        int high = is_whole ? percent_digit(text.data[i + 1]) : -1;
        int low = is_whole ? percent_digit(text.data[i + 2]) : -1;
        bool is_escaped = high >= 0 && low >= 0;
        out[size++] = is_escaped ? (char)(high * 16 + low) : text.data[i];
        i += is_escaped ? 2 : 0;
    }
    return (struct span){ out, size };
}

/* "name=value&name=value"; values are texts as long as buffer, of query.size bytes. */
static int pairs_each(struct span query, char *buffer, own_pair_fn *fn, void *arg,
                      struct err *err)
{
    int rc = 0;
    while (rc == 0 && query.size > 0) {
        struct span pair, name;
        (void)span_cut(&query, '&', &pair);
        (void)span_cut(&pair, '=', &name);
        struct span value = value_unescape(pair, buffer);
        buffer += value.size;
        rc = fn(arg, name, value, err);
    }
    return rc;
}

/* ---- rows ---- */

static int selection_add(void *arg, struct span name, struct span value,
                         struct err *err)
{
    return selection_set(arg, name, value, err);
}

static int rates_reply(struct own_series *own, struct span query, char *buffer,
                       struct err *err)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    sel.hold = own->hold;
    int rc = pairs_each(query, buffer, selection_add, &sel, err);
    if (rc == 0)
        rc = query_rates(own->readers->ctx, &sel, &table, err);
    if (rc == 0)
        table_to_json(&table, &own->reply);
    return rc;
}

/* ---- the metric store ---- */

static struct metric_reading reading_of(const struct own_series *own)
{
    return (struct metric_reading){ .store = own->readers->api->opts.store,
                                    .watch = own->readers->watch,
                                    .watch_arg = own->readers->watch_arg,
                                    .hold = own->hold };
}

typedef int own_piece_fn(void *state, struct strbuf *out);

static int pieces_add(struct own_series *own, own_piece_fn *next, void *state)
{
    size_t before;
    int rc = 0;
    do {
        before = own->reply.size;
        AUTO(strbuf_done) struct strbuf piece = STRBUF_INIT;
        rc = next(state, &piece);
        if (rc == 0)
            rc = strbuf_error(&piece);
        if (rc == 0)
            strbuf_add_span(&own->reply, strbuf_span(&piece));
        if (rc == 0)
            rc = budget_meter_follow(&own->reply_meter, own->reply.capacity);
    } while (rc == 0 && own->reply.size > before);
    return rc;
}

static int samples_add(void *arg, struct span name, struct span value, struct err *err)
{
    return v1_query_add(arg, name, value, err);
}

static int samples_reply(struct own_series *own, struct span query, char *buffer,
                         struct err *err)
{
    AUTO(metric_samples_free) struct metric_samples *samples = NULL;
    const struct metric_reading reading = reading_of(own);
    struct v1_query wanted;
    v1_query_init(&wanted);
    int rc = pairs_each(query, buffer, samples_add, &wanted, err);
    if (rc == 0)
        rc = v1_query_settle(&wanted, err);
    if (rc == 0)
        rc = metric_samples_new(&reading, &wanted, NULL, &samples, err);
    return rc == 0 ? pieces_add(own, metric_samples_next, samples) : rc;
}

static int listing_add(void *arg, struct span name, struct span value, struct err *err)
{
    struct metric_listing_query *query = arg;
    (void)err;
    if (span_is(name, "component"))
        query->components[query->component_count++] = value;
    else
        query->metric = value;
    return 0;
}

static int listing_reply(struct own_series *own, struct span query, char *buffer,
                         struct err *err)
{
    AUTO(metric_listing_free) struct metric_listing *listing = NULL;
    const struct metric_reading reading = reading_of(own);
    struct metric_listing_query wanted = { .metric = SPAN("*"),
                                           .form = METRIC_FORM_TABLE,
                                           .limit = UINT64_MAX };
    int rc = pairs_each(query, buffer, listing_add, &wanted, err);
    if (rc == 0)
        rc = metric_listing_new(&reading, &wanted, &listing, err);
    return rc == 0 ? pieces_add(own, metric_listing_next, listing) : rc;
}

/* ---- as a series ---- */

static int reply_make(struct own_series *own, struct span path, struct err *err)
{
    AUTO_FREE char *buffer = malloc(path.size + 1);
    struct span query = path, route;
    bool has_store =
        own->of == OWN_SERIES_TOTALS && own->readers->api->opts.store != NULL;
    if (!buffer)
        return -ENOMEM;
    (void)span_cut(&query, '?', &route);
    if (span_is(route, "/v1/status")) {
        status_write(own->readers->api, own->readers->ctx, &own->reply);
        return 0;
    }
    if (span_is(route, "/v1/jobstats/rates"))
        return rates_reply(own, query, buffer, err);
    if (has_store && span_is(route, "/v1/series"))
        return listing_reply(own, query, buffer, err);
    if (has_store && span_is(route, "/v1/query"))
        return samples_reply(own, query, buffer, err);
    return err_set(err, ENOENT, SPAN_FMT ": not read here", SPAN_ARG(route));
}

static int own_get(void *arg, const char *path, struct span *ret, struct err *err)
{
    struct own_series *own = arg;
    strbuf_clear(&own->reply);
    int rc = own->readers->watch(own->readers->watch_arg);
    if (rc == 0)
        rc = reply_make(own, span_of(path), err);
    if (rc == 0 && strbuf_error(&own->reply) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    *ret = strbuf_span(&own->reply);
    return rc;
}

/* What the rows are of is in the names. */
static void own_note(void *arg, const char *text)
{
    (void)arg, (void)text;
}

static void own_close(void *arg)
{
    (void)arg;
}

void own_series_init(struct own_series *own, const struct api_readers *readers,
                     enum own_series_of of, struct budget_hold *hold)
{
    *own = (struct own_series){ .readers = readers,
                                .hold = hold,
                                .of = of,
                                .reply = STRBUF_INIT,
                                .reply_meter = { hold } };
}

void own_series_done(struct own_series *own)
{
    lmt_series_close(own->series);
    strbuf_done(&own->reply);
    budget_meter_done(&own->reply_meter);
}

int own_series_open(struct own_series *own, struct err *err)
{
    const struct lmt_barod_opts opts = {
        .arg = own, .get = own_get, .note = own_note, .close = own_close
    };
    return own->series ? 0 : lmt_barod_open(&opts, &own->series, err);
}
