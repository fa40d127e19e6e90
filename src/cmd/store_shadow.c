/* SPDX-License-Identifier: Apache-2.0 */
/* store_shadow - baro store shadow: asks barod and a cc-metric-store the same, for the
 * week before switching. */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/timetext.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/export_cc.h"
#include "cmd/output.h"
#include "cmd/shadow.h"
#include "model/model.h"
#include "net/net.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define QUERIES_MAX 100 /* of one request */
#define WINDOW_DEFAULT_NS (3600 * NS_PER_S)
#define SETTLE_NS (120 * NS_PER_S) /* what is younger may be on its way */
#define ABSOLUTE 0.001             /* answers have three decimals */
#define RELATIVE_DEFAULT 1e-6

struct args {
    struct client_args client; /* first: its options' offsets count from here */
    const char *peer_token_file, *tolerance, *metric, *component;
};

enum {
    COLUMN_COMPONENT,
    COLUMN_METRIC,
    COLUMN_KIND,
    COLUMN_POINTS,
    COLUMN_TIME,
    COLUMN_OURS,
    COLUMN_THEIRS,
    COLUMN_WHAT,
};

struct listed {
    struct span component, metric; /* of the listing */
};

struct shadow {
    const struct args *args;
    struct client_http *ours, *theirs;
    struct shadow_answer our_answer, their_answer;
    struct strbuf body, scratch;
    struct table table;
    struct shadow_tolerance tolerance;
    int64_t from_s, to_s;
    struct listed series[QUERIES_MAX];
    size_t count;
    uint64_t asked, equal, points, shifted;
};

static void done(struct shadow *s)
{
    client_http_close(s->ours);
    client_http_close(s->theirs);
    shadow_answer_done(&s->our_answer);
    shadow_answer_done(&s->their_answer);
    strbuf_done(&s->body);
    strbuf_done(&s->scratch);
    table_done(&s->table);
}
DEFINE_AUTO_DONE(struct shadow, done);

/* ---- asking ---- */

static int add_text(struct shadow *s, struct json_writer *w, const char *key,
                    struct span part)
{
    if (part.size == 0)
        return 0;
    strbuf_clear(&s->scratch);
    int rc = strbuf_reserve(&s->scratch, part.size);
    if (rc < 0)
        return rc;
    bool is_list = span_ends(span_of(key), "-ids");
    json_key(w, key);
    if (is_list)
        json_array(w);
    json_span(
        w, (struct span){ s->scratch.data, component_unescape(part, s->scratch.data) });
    if (is_list)
        json_array_end(w);
    return 0;
}

static int add_query(struct shadow *s, struct json_writer *w, const struct listed *one)
{
    struct component c;
    component_parse(one->component, &c);
    json_object(w);
    json_key(w, "metric");
    json_span(w, one->metric);
    int rc = add_text(s, w, "host", c.host);
    if (rc == 0)
        rc = add_text(s, w, "type", c.type);
    if (rc == 0)
        rc = add_text(s, w, "type-ids", c.id);
    if (rc == 0)
        rc = add_text(s, w, "subtype", c.subtype);
    if (rc == 0)
        rc = add_text(s, w, "subtype-ids", c.sub_id);
    json_object_end(w);
    return rc;
}

static int make_question(struct shadow *s)
{
    struct json_writer w;
    struct component c;
    component_parse(s->series[0].component, &c);
    strbuf_clear(&s->body);
    json_writer_init(&w, &s->body);
    json_object(&w);
    int rc = add_text(s, &w, "cluster", c.cluster);
    json_key(&w, "from");
    json_i64(&w, s->from_s);
    json_key(&w, "to");
    json_i64(&w, s->to_s);
    json_key(&w, "with-stats");
    json_bool(&w, false);
    json_key(&w, "with-padding");
    json_bool(&w, false);
    json_key(&w, "queries");
    json_array(&w);
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        rc = add_query(s, &w, &s->series[i]);
    json_array_end(&w);
    json_object_end(&w);
    return rc < 0 ? rc : strbuf_error(&s->body);
}

static int ask_one(struct shadow *s, struct client_http *http, const char *who,
                   struct shadow_answer *ret, struct err *err)
{
    struct span text;
    int rc =
        client_http_get_with(http, "/api/query/", strbuf_span(&s->body), &text, err);
    if (rc == 0)
        rc = shadow_answer_parse(text, ret, err);
    if (rc == 0 && ret->item_count != s->count)
        rc = err_set(err, EBADMSG, "%zu answers to %zu queries", ret->item_count,
                     s->count);
    return rc < 0 ? err_prefix(err, rc, "%s", who) : 0;
}

/* ---- what came ---- */

static void add_row(struct shadow *s, const struct listed *one, const char *kind,
                    uint64_t points)
{
    table_add_row(&s->table);
    table_set_text(&s->table, COLUMN_COMPONENT, one->component);
    table_set_text(&s->table, COLUMN_METRIC, one->metric);
    table_set_text(&s->table, COLUMN_KIND, span_of(kind));
    table_set_u64(&s->table, COLUMN_POINTS, points);
}

static void add_first(struct shadow *s, const struct shadow_difference *d)
{
    table_set_i64(&s->table, COLUMN_TIME, d->first_s * MS_PER_S);
    if (!isnan(d->ours))
        table_set_double(&s->table, COLUMN_OURS, d->ours);
    if (!isnan(d->theirs))
        table_set_double(&s->table, COLUMN_THEIRS, d->theirs);
}

static void compare(struct shadow *s, size_t index)
{
    const struct listed *one = &s->series[index];
    const struct shadow_item *ours = &s->our_answer.items[index];
    const struct shadow_item *theirs = &s->their_answer.items[index];
    struct shadow_difference d;
    s->asked++;
    if (ours->error[0] || theirs->error[0]) {
        add_row(s, one, ours->error[0] ? "our error" : "their error", 0);
        table_set_text(&s->table, COLUMN_WHAT,
                       span_of(ours->error[0] ? ours->error : theirs->error));
        return;
    }
    shadow_compare(&s->our_answer, &s->their_answer, index, &s->tolerance, &d);
    s->points += d.compared;
    s->shifted += d.is_shifted;
    uint64_t differing = d.only_ours + d.only_theirs + d.differing;
    s->equal += differing == 0;
    if (differing == 0)
        return;
    if (d.only_ours > 0 && d.compared == 0 && theirs->count == 0)
        add_row(s, one, "not there", d.only_ours);
    else if (d.differing >= d.only_ours && d.differing >= d.only_theirs)
        add_row(s, one, "value", d.differing);
    else if (d.only_ours >= d.only_theirs)
        add_row(s, one, "only ours", d.only_ours);
    else
        add_row(s, one, "only theirs", d.only_theirs);
    add_first(s, &d);
}

static int ask_both(struct shadow *s, struct err *err)
{
    if (s->count == 0)
        return 0;
    int rc = make_question(s);
    if (rc == 0)
        rc = ask_one(s, s->ours, "barod", &s->our_answer, err);
    if (rc == 0)
        rc = ask_one(s, s->theirs, "the other store", &s->their_answer, err);
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        compare(s, i);
    s->count = 0;
    return rc;
}

/* ---- all series ---- */

static struct span cluster_of(struct span component)
{
    struct span cluster;
    (void)span_cut(&component, '/', &cluster);
    return cluster;
}

static int take_series(struct shadow *s, struct span component, struct span metric,
                       struct err *err)
{
    struct component c;
    component_parse(component, &c);
    const char *wanted = s->args->metric;
    /* What barod says of itself, nobody else has. */
    if (c.host.size == 0 ||
        (wanted ? !export_fits(metric, wanted) : span_starts(metric, "baro_")))
        return 0;
    int rc = 0;
    if (s->count == QUERIES_MAX ||
        (s->count > 0 &&
         !span_eq(cluster_of(component), cluster_of(s->series[0].component))))
        rc = ask_both(s, err);
    s->series[s->count++] = (struct listed){ component, metric };
    return rc;
}

static int ask_all(struct shadow *s, struct err *err)
{
    AUTO(table_done) struct table list;
    AUTO(client_url_done) struct client_url url = { 0 };
    table_init(&list);
    client_url_init(&url, "/v1/series");
    client_url_add(&url, "component", s->args->component);
    client_url_add(&url, "format", "table");
    int rc = client_http_fetch_table(&s->args->client.endpoint, &url, &list, err);
    int component = table_find_column(&list, "component");
    int metric = table_find_column(&list, "metric");
    if (rc == 0 && (component < 0 || metric < 0))
        rc = err_set(err, EBADMSG, "barod's list of series has no components");
    for (size_t i = 0; rc == 0 && i < list.row_count; i++) {
        const struct table_cell *a = table_at(&list, i, (size_t)component);
        const struct table_cell *b = table_at(&list, i, (size_t)metric);
        if (!a->is_null && !b->is_null)
            rc = take_series(s, span_of(a->text), span_of(b->text), err);
    }
    return rc < 0 ? rc : ask_both(s, err);
}

/* ---- the command ---- */

static int read_window(struct shadow *s, struct err *err)
{
    const struct client_args *client = &s->args->client;
    int64_t now_ns = clock_now_ns(), to_ns = now_ns - SETTLE_NS;
    int64_t last_ns = WINDOW_DEFAULT_NS;
    if (client->to && timetext_parse_user(span_of(client->to), now_ns, &to_ns) < 0)
        return err_set(err, EINVAL, "--to: '%s' is no time", client->to);
    if (client->last && number_parse_duration(span_of(client->last), &last_ns) < 0)
        return err_set(err, EINVAL, "--last: '%s' is no duration", client->last);
    int64_t from_ns = to_ns > last_ns ? to_ns - last_ns : 0;
    if (client->from &&
        timetext_parse_user(span_of(client->from), now_ns, &from_ns) < 0)
        return err_set(err, EINVAL, "--from: '%s' is no time", client->from);
    if (from_ns > to_ns)
        return err_set(err, EINVAL, "--from: is after --to");
    s->from_s = from_ns / NS_PER_S;
    s->to_s = to_ns / NS_PER_S;
    s->tolerance =
        (struct shadow_tolerance){ .relative = RELATIVE_DEFAULT, .absolute = ABSOLUTE };
    const char *tolerance = s->args->tolerance;
    if (tolerance &&
        (number_parse_double(span_of(tolerance), &s->tolerance.relative) < 0 ||
         s->tolerance.relative < 0))
        return err_set(err, EINVAL, "--tolerance: '%s' is no part of a value",
                       tolerance);
    return 0;
}

static void begin_table(struct table *table)
{
    table_init(table);
    table_add_column(table, "component", TABLE_TEXT, "");
    table_add_column(table, "metric", TABLE_TEXT, "");
    table_add_column(table, "kind", TABLE_TEXT, "");
    table_add_column(table, "points", TABLE_U64, "");
    table_add_column(table, "first", TABLE_TIME, "");
    table_add_column(table, "ours", TABLE_DOUBLE, "");
    table_add_column(table, "theirs", TABLE_DOUBLE, "");
    table_add_column(table, "what", TABLE_TEXT, "");
}

static int run_shadow(struct shadow *s, const char *url, struct err *err)
{
    const struct client_endpoint theirs = { .server = url,
                                            .token_file = s->args->peer_token_file
                                                              ? s->args->peer_token_file
                                                              : "" };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    int rc = output_form(&form, s->args->client.output, s->args->client.raw, err);
    if (rc == 0)
        rc = read_window(s, err);
    if (rc < 0)
        return rc;
    rc = client_http_open(&s->args->client.endpoint, &s->ours, err);
    if (rc == 0)
        rc = client_http_open(&theirs, &s->theirs, err);
    if (rc == 0)
        rc = ask_all(s, err);
    if (rc < 0)
        return rc;
    if (s->table.row_count > 0 || form.form == TABLE_FORM_JSON)
        result_print(&s->table, &form, &out, &notes);
    if (fputs(strbuf_text(&out), stdout) < 0 || fflush(stdout))
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    fprintf(stderr,
            "%" PRIu64 " series, %" PRIu64 " points in both: %" PRIu64
            " series are the same, %zu differ",
            s->asked, s->points, s->equal, s->table.row_count);
    if (s->shifted > 0)
        fprintf(stderr,
                "; %" PRIu64 " have other times there, by less than half a step",
                s->shifted);
    fprintf(stderr, "\n");
    return table_error(&s->table);
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *args = arg;
    AUTO(done) struct shadow s = { .args = args };
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro store shadow: the URL of the other store? see --help\n");
        return EXIT_USAGE;
    }
    begin_table(&s.table);
    int rc = run_shadow(&s, operands[0], &err);
    if (rc < 0) {
        fprintf(stderr, "baro store shadow: %s\n",
                err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    return s.table.row_count > 0 ? EXIT_FAILED : EXIT_OK;
}

#define FIELD(field) offsetof(struct args, field)

static const struct option options[] = {
    { "metric", 'm', OPTION_TEXT, FIELD(metric), "PATTERNS",
      "Only metrics that fit one of these: 'cpu_*,flops'; default: all but baro_*." },
    { "component", 'c', OPTION_TEXT, FIELD(component), "PATTERN",
      "Only components that fit, level by level: 'alex/a09*'." },
    { "from", 0, OPTION_TEXT, CLIENT_FIELD(from), "TIME",
      "The window's beginning: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TEXT, CLIENT_FIELD(to), "TIME",
      "Its end; default: two minutes ago, so that both have all." },
    { "last", 0, OPTION_TEXT, CLIENT_FIELD(last), "DURATION",
      "Its length up to its end, instead of a beginning; default: 1h." },
    { "tolerance", 0, OPTION_TEXT, FIELD(tolerance), "PART",
      "Values this part of them apart are the same; default: 1e-6." },
    { "peer-token-file", 0, OPTION_TEXT, FIELD(peer_token_file), "FILE",
      "The token to show to the other store; default: none." },
    CLIENT_SERVER_OPTIONS,
    CLIENT_FORM_OPTIONS,
};

const struct command cmd_store_shadow = {
    .name = "store shadow",
    .operands = "URL",
    .help = "Ask barod and a cc-metric-store the same, and list differences.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run,
    .details =
        "For the week before switching: every series that barod lists.  The exit "
        "status is 1\nwhen something differs.\n",
};
