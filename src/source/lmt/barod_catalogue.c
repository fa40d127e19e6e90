/* SPDX-License-Identifier: Apache-2.0 */
/* barod_catalogue - what a barod has of servers: targets, metrics, from when on. */
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"
#include "source/lmt/answer.h"
#include "source/lmt/barod_private.h"
#include "source/lmt/series_format.h"

#include <math.h>

#define ALIGN_S_MAX INT64_C(3600)
#define STEP_S_GUESS 5 /* until a series was read often enough */

/* ---- asking ---- */

void barod_path_begin(struct barod *b, const char *path)
{
    strbuf_clear(&b->path);
    strbuf_adds(&b->path, path);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-._~", c);
}

void barod_path_add(struct barod *b, const char *name, const char *value)
{
    bool is_first = !memchr(strbuf_text(&b->path), '?', b->path.size);
    strbuf_addf(&b->path, "%c%s=", is_first ? '?' : '&', name);
    for (; *value; value++)
        if (is_plain(*value))
            strbuf_addc(&b->path, *value);
        else
            strbuf_addf(&b->path, "%%%02X", (unsigned)(unsigned char)*value);
}

void barod_path_add_time(struct barod *b, const char *name, int64_t t_s)
{
    char text[32];
    (void)snprintf(text, sizeof text, "@%lld", (long long)(t_s > 0 ? t_s : 0));
    barod_path_add(b, name, text);
}

int barod_get(struct barod *b, struct span *ret, struct err *err)
{
    if (strbuf_error(&b->path) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return b->opts.get(b->opts.arg, strbuf_text(&b->path), ret, err);
}

/* ---- what the rows have, and what time it is there ---- */

struct status {
    struct barod *b;
    bool is_records;
    int64_t *place; /* where the next text goes */
};

static int on_status(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct status *s = arg;
    int64_t t_ns;
    if (event == JSON_KEY && depth == 0) {
        s->is_records = span_is(text, "records");
        s->place = span_is(text, "now") ? &s->b->now_s : NULL;
    } else if (event == JSON_KEY && depth == 1 && s->is_records) {
        s->place = span_is(text, "first")  ? &s->b->rows_from_s
                   : span_is(text, "last") ? &s->b->rows_to_s
                                           : NULL;
    } else if (event == JSON_STRING && s->place && depth <= 2) {
        if (timetext_parse(text, &t_ns) == 0)
            *s->place = t_ns / NS_PER_S;
        s->place = NULL;
    }
    return 0;
}

static int status_read(struct barod *b, struct err *err)
{
    struct status status = { .b = b };
    struct span body;
    barod_path_begin(b, "/v1/status");
    int rc = barod_get(b, &body, err);
    if (rc == 0)
        rc = json_read(body, on_status, &status, err);
    if (rc == 0 && b->now_s == NO_TIME)
        rc = err_set(err, EBADMSG, "the server's status has no time");
    if (b->rows_from_s == NO_TIME || b->rows_to_s == NO_TIME)
        b->rows_from_s = b->rows_to_s = NO_TIME;
    return rc;
}

/* ---- series of the store ---- */

struct span barod_fs_of(struct span target)
{
    for (size_t i = target.size; i >= 4; i--) {
        const char *at = target.data + i - 4;
        if (memcmp(at, "-OST", 4) == 0 || memcmp(at, "-MDT", 4) == 0)
            return (struct span){ target.data, i - 4 };
    }
    return target;
}

static int component_add(struct barod *b, struct span path, enum barod_class class,
                         struct err *err)
{
    bool is_new = false;
    struct span rest = path;
    if (b->component_count == LMT_COLUMNS_MAX)
        return err_set(err, EFBIG, "over %zu targets", LMT_COLUMNS_MAX);
    if (!hashmap_put(&b->known, path, &is_new))
        return -ENOMEM;
    if (!is_new)
        return 0;
    if (b->component_count == b->component_capacity) {
        size_t capacity = b->component_capacity ? 2 * b->component_capacity : 64;
        struct barod_component *grown =
            reallocarray(b->components, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        b->components = grown;
        b->component_capacity = capacity;
    }
    struct barod_component c = { .path = span_dup(path), .class = class };
    if (!c.path)
        return -ENOMEM;
    rest.data = c.path;
    (void)span_cut(&rest, '/', &c.cluster);
    (void)span_cut(&rest, '/', &c.host);
    c.name = (struct span){ rest.data + 4, rest.size - 4 }; /* behind "ost:" */
    b->components[b->component_count++] = c;
    return 0;
}

/* A path of three parts, the last a target's. */
static bool class_of(struct span path, enum barod_class *ret)
{
    struct span rest = path, part;
    if (!span_cut(&rest, '/', &part) || part.size == 0 ||
        !span_cut(&rest, '/', &part) || part.size == 0 || rest.size <= 4 ||
        memchr(rest.data, '/', rest.size))
        return false;
    if (span_starts(rest, "ost:"))
        *ret = BAROD_OST;
    else if (span_starts(rest, "mdt:"))
        *ret = BAROD_MDT;
    else
        return false;
    return true;
}

static int metric_know(struct barod *b, enum barod_class class, struct span metric)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    strbuf_addc(&key, (char)('0' + class));
    strbuf_add_span(&key, metric);
    return strbuf_error(&key) == 0 && hashmap_put(&b->metrics, strbuf_span(&key), NULL)
               ? 0
               : -ENOMEM;
}

bool barod_has_metric(const struct barod *b, enum barod_class class, const char *metric)
{
    char key[128];
    int size = snprintf(key, sizeof key, "%c%s", '0' + (int)class, metric);
    return hashmap_get(&b->metrics, (struct span){ key, (size_t)size }) != NULL;
}

/* How many series have which step. */
struct steps {
    struct {
        int64_t step_s;
        size_t count;
    } items[16];
    size_t count;
};

static void step_count(struct steps *steps, double step_s)
{
    if (!(step_s >= 0.5) || step_s > (double)LMT_STEP_S_MAX)
        return;
    int64_t whole_s = llround(step_s);
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].step_s == whole_s) {
            steps->items[i].count++;
            return;
        }
    if (steps->count == COUNT_OF(steps->items))
        return;
    steps->items[steps->count].step_s = whole_s;
    steps->items[steps->count++].count = 1;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static void steps_end(struct barod *b, const struct steps *steps)
{
    size_t most = 0;
    b->step_s = STEP_S_GUESS;
    b->align_s = 1;
    for (size_t i = 0; i < steps->count; i++) {
        int64_t align_s = common_multiple(b->align_s, steps->items[i].step_s);
        if (align_s <= ALIGN_S_MAX)
            b->align_s = align_s;
        if (steps->items[i].count > most) {
            most = steps->items[i].count;
            b->step_s = steps->items[i].step_s;
        }
    }
}

static int row_take(struct barod *b, const struct table *table, size_t row,
                    struct steps *steps, struct err *err)
{
    const struct table_cell *path = table_at(table, row, 0);
    const struct table_cell *metric = table_at(table, row, 1);
    const struct table_cell *step = table_at(table, row, 2);
    enum barod_class class;
    if (path->is_null || metric->is_null)
        return 0;
    if (!step->is_null)
        step_count(steps, step->dbl);
    if (span_starts(span_of(metric->text), "server_")) {
        int rc = metric_know(b, BAROD_OSS, span_of(metric->text));
        return rc < 0 ? rc : metric_know(b, BAROD_MDS, span_of(metric->text));
    }
    if (!class_of(span_of(path->text), &class))
        return 0;
    int rc = metric_know(b, class, span_of(metric->text));
    return rc < 0 ? rc : component_add(b, span_of(path->text), class, err);
}

static bool has_shape(const struct table *table)
{
    return table->column_count >= 3 && table->columns[0].type == TABLE_TEXT &&
           table->columns[1].type == TABLE_TEXT &&
           table->columns[2].type == TABLE_DOUBLE;
}

/* -ENOENT is no error: a barod without a store. */
static int series_list(struct barod *b, const char *component, const char *metric,
                       struct steps *steps, struct err *err)
{
    AUTO(table_done) struct table table;
    struct span body;
    table_init(&table);
    barod_path_begin(b, "/v1/series");
    barod_path_add(b, "component", component);
    barod_path_add(b, "metric", metric);
    int rc = barod_get(b, &body, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = table_from_json(body, &table, err);
    if (rc == 0 && !has_shape(&table))
        rc = err_set(err, EBADMSG, "the server's list of series is none");
    for (size_t row = 0; rc == 0 && row < table.row_count; row++)
        rc = row_take(b, &table, row, steps, err);
    return rc;
}

static void on_first(void *arg, const struct lmt_answer_series *series)
{
    struct barod *b = arg;
    int64_t from_s = series->from_ms / 1000;
    if (series->numbers > 0 && series->from_ms != INT64_MIN &&
        (b->first_s == NO_TIME || from_s < b->first_s))
        b->first_s = from_s;
}

static int first_find(struct barod *b, struct err *err)
{
    const struct lmt_answer_opts opts = { .arg = b, .end = on_first };
    struct span body;
    barod_path_begin(b, "/v1/query");
    /* Not by capacity: a source that sends how full targets are may send nothing else.
     */
    barod_path_add(b, "metric",
                   "lustre_read_bytes,lustre_write_bytes,lustre_open_samples");
    barod_path_add(b, "component", "*/*/*:*");
    barod_path_add(b, "from", "@0");
    barod_path_add(b, "statistics", "only");
    int rc = barod_get(b, &body, err);
    if (rc == 0)
        rc = lmt_answer_read(body, &opts, err);
    return rc == -ENOENT ? 0 : rc;
}

int barod_catalogue_read(struct barod *b, struct err *err)
{
    struct steps steps = { .count = 0 };
    int rc = status_read(b, err);
    if (rc == 0)
        rc = series_list(b, "*/*/*:*", "lustre_*_bytes", &steps, err);
    if (rc == 0)
        rc = series_list(b, "*/*/*:*", "lustre_*_samples", &steps, err);
    if (rc == 0)
        rc = series_list(b, "*/*/*:*", "lustre_files_*", &steps, err);
    if (rc == 0 && b->component_count > 0)
        rc = series_list(b, "*/*", "server_*", &steps, err);
    steps_end(b, &steps);
    if (rc == 0 && b->component_count > 0)
        rc = first_find(b, err);
    if (rc == 0 && b->first_s == NO_TIME && b->rows_from_s == NO_TIME)
        rc =
            err_set(err, ENODATA, "the server has neither totals nor rows of any time");
    return rc;
}

/* ---- columns ---- */

void barod_columns_done(struct barod_columns *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->names[i]);
    free(c->names);
    hashmap_done(&c->components);
    hashmap_done(&c->index);
    *c = (struct barod_columns){ 0 };
}

static int column_add(struct barod_columns *c, struct span path, struct span name)
{
    uintptr_t *place = hashmap_put(&c->index, name, NULL);
    if (!place)
        return -ENOMEM;
    if (*place == 0) {
        if (c->count == c->capacity) {
            size_t capacity = c->capacity ? 2 * c->capacity : 64;
            char **grown = reallocarray(c->names, capacity, sizeof *grown);
            if (!grown)
                return -ENOMEM;
            c->names = grown;
            c->capacity = capacity;
        }
        c->names[c->count] = span_dup(name);
        if (!c->names[c->count])
            return -ENOMEM;
        *place = ++c->count;
    }
    uintptr_t column = *place;
    place = hashmap_put(&c->components, path, NULL);
    if (!place)
        return -ENOMEM;
    *place = column;
    return 0;
}

static int columns_add(struct barod *b, const struct barod_component *c)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf host = STRBUF_INIT;
    if (b->has_clusters) {
        strbuf_add_span(&name, c->cluster);
        strbuf_addc(&name, '/');
        strbuf_add_span(&host, c->cluster);
        strbuf_addc(&host, '/');
    }
    strbuf_add_span(&name, c->name);
    strbuf_add_span(&host, c->host);
    struct span server = { c->path, (size_t)(c->host.data + c->host.size - c->path) };
    if (strbuf_error(&name) < 0 || strbuf_error(&host) < 0)
        return -ENOMEM;
    int rc = column_add(&b->columns[c->class], span_of(c->path), strbuf_span(&name));
    return rc < 0
               ? rc
               : column_add(&b->columns[c->class == BAROD_OST ? BAROD_OSS : BAROD_MDS],
                            server, strbuf_span(&host));
}

/* Whether targets of one name stand in several clusters. */
static int clusters_look(struct barod *b)
{
    AUTO(hashmap_done) struct hashmap first = HASHMAP_INIT;
    for (size_t i = 0; i < b->component_count; i++) {
        const struct barod_component *c = &b->components[i];
        uintptr_t *place = hashmap_put(&first, c->name, NULL);
        if (!place)
            return -ENOMEM;
        if (*place > 0 && !span_eq(b->components[*place - 1].cluster, c->cluster))
            b->has_clusters = true;
        *place = i + 1;
    }
    return 0;
}

/* Of one name, by path. */
static int by_name(const void *a, const void *b)
{
    const struct barod_component *x = a, *y = b;
    int order = strcmp(x->name.data, y->name.data); /* the end of a path */
    return order ? order : strcmp(x->path, y->path);
}

int barod_columns_make(struct barod *b, struct err *err)
{
    if (b->component_count > 1)
        qsort(b->components, b->component_count, sizeof *b->components, by_name);
    int rc = clusters_look(b);
    for (unsigned class = 0; class < BAROD_CLASSES; class ++)
        barod_columns_done(&b->columns[class]);
    for (size_t i = 0; rc == 0 && i < b->component_count; i++) {
        const struct barod_component *c = &b->components[i];
        if (!b->fs || span_is(barod_fs_of(c->name), b->fs))
            rc = columns_add(b, c);
    }
    return rc < 0 ? err_set(err, -rc, "out of memory") : 0;
}

bool barod_has_fs(const struct barod *b, struct span fs)
{
    for (size_t i = 0; i < b->component_count; i++)
        if (span_eq(barod_fs_of(b->components[i].name), fs))
            return true;
    return false;
}
