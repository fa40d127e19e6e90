/* SPDX-License-Identifier: Apache-2.0 */
/* metric_request - the bodies that cc-metric-store's clients send, understood. */
#include "api/metric/metric_request.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

enum field_type {
    FIELD_TEXT,    /* struct span; data NULL: absent */
    FIELD_INTEGER, /* int64_t */
    FIELD_NUMBER,  /* double */
    FIELD_FLAG,    /* bool */
    FIELD_LIST,    /* struct metric_names */
    FIELD_QUERIES,
};

static const char *const type_names[] = {
    "a string",      "an integer",        "a number",
    "true or false", "a list of strings", "a list of objects",
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset; /* in its object */
};

#define NO_QUERY SIZE_MAX

/* A list that was read: where its strings are is known when all are there. */
struct list_note {
    size_t query; /* whose it is; NO_QUERY: the body's own */
    size_t offset;
    size_t first, count; /* of the strings */
};

struct growing {
    void *items;
    size_t count, capacity;
};

struct reading {
    const struct field *fields, *query_fields;
    size_t field_count, query_field_count;
    enum { UNKNOWN_PASSES, UNKNOWN_REFUSED } unknown;
    void *body;
    struct arena *arena;
    struct budget_hold *hold;
    struct growing spans, notes, queries;
    const struct field *field; /* of the last key; NULL: not known */
    const struct field *list;  /* of the queries that are being read */
    size_t query;              /* being read; NO_QUERY: the body */
    int refused;               /* by the budget: -errno */
    struct err *err;
};

/* One more item, zeroed. */
static void *grow(struct reading *r, struct growing *g, size_t size)
{
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 16;
        r->refused = budget_hold_add(r->hold, (capacity - g->capacity) * size);
        if (r->refused < 0)
            return NULL;
        void *grown = reallocarray(g->items, capacity, size);
        if (!grown)
            return NULL;
        g->items = grown;
        g->capacity = capacity;
    }
    return memset((char *)g->items + size * g->count++, 0, size);
}

static int keep_text(struct reading *r, struct span text, struct span *ret)
{
    char *copy = arena_dup(r->arena, text);
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text.size };
    return 0;
}

static int add_string(struct reading *r, struct span text)
{
    struct span *item = grow(r, &r->spans, sizeof *item);
    return item ? keep_text(r, text, item) : -ENOMEM;
}

static int add_note(struct reading *r, size_t offset)
{
    struct list_note *note = grow(r, &r->notes, sizeof *note);
    if (!note)
        return -ENOMEM;
    *note = (struct list_note){ r->query, offset, r->spans.count, 0 };
    return 0;
}

static struct list_note *last_note(struct reading *r)
{
    return (struct list_note *)r->notes.items + r->notes.count - 1;
}

static int wrong(struct reading *r)
{
    return err_set(r->err, EBADMSG, "'%s' is not %s", r->field->name,
                   type_names[r->field->type]);
}

static int take_key(struct reading *r, struct span name)
{
    bool is_query = r->query != NO_QUERY;
    const struct field *fields = is_query ? r->query_fields : r->fields;
    size_t count = is_query ? r->query_field_count : r->field_count;
    r->field = NULL;
    for (size_t i = 0; i < count; i++)
        if (span_is(name, fields[i].name))
            r->field = &fields[i];
    if (!r->field && r->unknown == UNKNOWN_REFUSED)
        return err_set(r->err, EBADMSG, "json: unknown field \"" SPAN_FMT "\"",
                       SPAN_ARG(name));
    return 0;
}

static int take_number(struct reading *r, void *to, struct span text)
{
    int rc = -EINVAL;
    if (r->field->type == FIELD_INTEGER)
        rc = number_parse_i64(text, to);
    else if (r->field->type == FIELD_NUMBER)
        rc = number_parse_double(text, to);
    return rc < 0 ? wrong(r) : 0;
}

/* The value of a member that is known. */
static int take_value(struct reading *r, enum json_event event, struct span text)
{
    char *object = r->body;
    enum field_type type = r->field->type;
    if (r->query != NO_QUERY)
        object = (char *)((struct metric_query *)r->queries.items + r->query);
    void *to = object + r->field->offset;
    switch (event) {
    case JSON_NULL:
        return 0;
    case JSON_STRING:
        return type == FIELD_TEXT ? keep_text(r, text, to) : wrong(r);
    case JSON_NUMBER:
        return take_number(r, to, text);
    case JSON_TRUE:
    case JSON_FALSE:
        if (type != FIELD_FLAG)
            return wrong(r);
        *(bool *)to = event == JSON_TRUE;
        return 0;
    case JSON_ARRAY:
        if (type == FIELD_LIST)
            return add_note(r, r->field->offset);
        return type == FIELD_QUERIES ? 0 : wrong(r);
    case JSON_ARRAY_END:
        return 0;
    default:
        return wrong(r);
    }
}

static int take_list_item(struct reading *r, enum json_event event, struct span text)
{
    if (r->field->type != FIELD_LIST || event != JSON_STRING)
        return wrong(r);
    last_note(r)->count++;
    return add_string(r, text);
}

static int take_query(struct reading *r, enum json_event event)
{
    if (event == JSON_OBJECT_END) {
        r->query = NO_QUERY;
        r->field = r->list;
        return 0;
    }
    if (event != JSON_OBJECT)
        return wrong(r);
    r->list = r->field;
    if (!grow(r, &r->queries, sizeof(struct metric_query)))
        return -ENOMEM;
    r->query = r->queries.count - 1;
    return 0;
}

/* The body's members lie at depth 1, queries at 2, their members at 3, and items of
 * lists one deeper than their list. */
static int take_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct reading *r = arg;
    unsigned members = r->query == NO_QUERY ? 1 : 3;
    if (depth == 0 && event != JSON_KEY)
        return event == JSON_OBJECT || event == JSON_OBJECT_END || event == JSON_NULL
                   ? 0
                   : err_set(r->err, EBADMSG, "an object is wanted");
    if (event == JSON_KEY)
        return depth == members - 1 ? take_key(r, text) : 0;
    if (event == JSON_OBJECT_END && members == 3 && depth == 2)
        return take_query(r, event);
    if (members == 1 && event == JSON_ARRAY_END && depth == 1)
        return 0;
    if (!r->field)
        return 0;
    if (depth == members)
        return take_value(r, event, text);
    if (members == 1 && r->field->type == FIELD_QUERIES)
        return take_query(r, event);
    return take_list_item(r, event, text);
}

/* An empty list may have no place at all. */
static struct metric_names names_of(struct span *spans, const struct list_note *note)
{
    if (note->count == 0)
        return (struct metric_names){ 0 };
    return (struct metric_names){ spans + note->first, note->count };
}

static void set_lists(struct reading *r)
{
    const struct list_note *notes = r->notes.items;
    for (size_t i = 0; i < r->notes.count; i++) {
        char *object = r->body;
        if (notes[i].query != NO_QUERY)
            object = (char *)((struct metric_query *)r->queries.items + notes[i].query);
        *(struct metric_names *)(void *)(object + notes[i].offset) =
            names_of(r->spans.items, &notes[i]);
    }
}

static int read_body(struct reading *r, struct span text)
{
    r->query = NO_QUERY;
    int rc = json_read(text, take_event, r, r->err);
    if (rc == 0)
        set_lists(r);
    free(r->notes.items);
    if (rc < 0) {
        free(r->spans.items);
        free(r->queries.items);
    }
    if (r->refused < 0)
        return r->refused;
    return rc == -EMSGSIZE ? -EBADMSG : rc;
}

/* Whoever looks for a body that did not come whole looks for these words. */
void metric_request_peer_words(struct span body, struct err *err)
{
    bool is_blank = true;
    for (size_t i = 0; i < body.size; i++)
        is_blank &= strchr(" \t\r\n", body.data[i]) != NULL && body.data[i] != '\0';
    if (is_blank)
        (void)err_set(err, EBADMSG, "EOF");
    else if (strstr(err->text, "the text ends too early"))
        (void)err_set(err, EBADMSG, "unexpected EOF");
}

/* ---- /api/query ---- */

#define BODY(field) offsetof(struct metric_request, field)
#define QUERY(field) offsetof(struct metric_query, field)

static const struct field request_fields[] = {
    { "cluster", FIELD_TEXT, BODY(cluster) },
    { "from", FIELD_INTEGER, BODY(from_s) },
    { "to", FIELD_INTEGER, BODY(to_s) },
    { "with-stats", FIELD_FLAG, BODY(has_stats) },
    { "with-data", FIELD_FLAG, BODY(has_data) },
    { "with-padding", FIELD_FLAG, BODY(has_padding) },
    { "for-all-nodes", FIELD_LIST, BODY(for_all) },
    { "queries", FIELD_QUERIES, 0 },
};

static const struct field query_fields[] = {
    { "metric", FIELD_TEXT, QUERY(metric) },
    { "host", FIELD_TEXT, QUERY(selection.host) },
    { "type", FIELD_TEXT, QUERY(selection.type) },
    { "type-ids", FIELD_LIST, QUERY(selection.ids) },
    { "subtype", FIELD_TEXT, QUERY(selection.subtype) },
    { "subtype-ids", FIELD_LIST, QUERY(selection.sub_ids) },
    { "aggreg", FIELD_FLAG, QUERY(selection.is_together) },
    { "resolution", FIELD_INTEGER, QUERY(resolution_s) },
    { "scale-by", FIELD_NUMBER, QUERY(scale) },
};

int metric_request_parse(struct span body, struct budget_hold *hold,
                         struct metric_request *ret, struct err *err)
{
    AUTO(metric_request_done)
    struct metric_request request = { .has_stats = true,
                                      .has_data = true,
                                      .has_padding = true };
    arena_init(&request.arena, 0);
    struct reading r = { .fields = request_fields,
                         .query_fields = query_fields,
                         .field_count = COUNT_OF(request_fields),
                         .query_field_count = COUNT_OF(query_fields),
                         .body = &request,
                         .arena = &request.arena,
                         .hold = hold,
                         .err = err };
    int rc = read_body(&r, body);
    if (rc < 0)
        return rc;
    request.spans = r.spans.items;
    request.queries = r.queries.items;
    request.query_count = r.queries.count;
    for (size_t i = 0; i < request.query_count; i++) {
        struct metric_selection *s = &request.queries[i].selection;
        s->cluster = request.cluster;
        s->has_type = s->type.data != NULL;
        s->has_subtype = s->subtype.data != NULL;
    }
    *ret = request;
    request = (struct metric_request){ 0 };
    return 0;
}

void metric_request_done(struct metric_request *request)
{
    free(request->queries);
    free(request->spans);
    arena_done(&request->arena);
    *request = (struct metric_request){ 0 };
}

/* ---- /api/healthcheck ---- */

int health_request_parse(struct span body, struct budget_hold *hold,
                         struct health_request *ret, struct err *err)
{
    static const struct field fields[] = {
        { "cluster", FIELD_TEXT, offsetof(struct health_request, cluster) },
        { "nodes", FIELD_LIST, offsetof(struct health_request, nodes) },
        { "metric-names", FIELD_LIST, offsetof(struct health_request, metrics) },
    };
    AUTO(health_request_done) struct health_request request = { 0 };
    arena_init(&request.arena, 0);
    struct reading r = { .fields = fields,
                         .field_count = COUNT_OF(fields),
                         .unknown = UNKNOWN_REFUSED,
                         .body = &request,
                         .arena = &request.arena,
                         .hold = hold,
                         .err = err };
    int rc = read_body(&r, body);
    if (rc < 0)
        return rc;
    request.spans = r.spans.items;
    *ret = request;
    request = (struct health_request){ 0 };
    return 0;
}

void health_request_done(struct health_request *request)
{
    free(request->spans);
    arena_done(&request->arena);
    *request = (struct health_request){ 0 };
}

/* ---- /api/free ---- */

static int take_selector(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct reading *r = arg;
    if (depth < 2 && event == JSON_ARRAY)
        return depth == 1 ? add_note(r, 0) : 0;
    if (depth < 2 && event == JSON_ARRAY_END)
        return 0;
    if (depth != 2 || event != JSON_STRING)
        return err_set(r->err, EBADMSG, "a list of lists of names is wanted");
    last_note(r)->count++;
    return add_string(r, text);
}

int free_request_parse(struct span body, struct free_request *ret, struct err *err)
{
    struct free_request request = { 0 };
    arena_init(&request.arena, 0);
    struct reading r = { .arena = &request.arena, .query = NO_QUERY, .err = err };
    int rc = json_read(body, take_selector, &r, err);
    const struct list_note *notes = r.notes.items;
    request.spans = r.spans.items;
    request.selectors = calloc(r.notes.count + 1, sizeof *request.selectors);
    rc = rc == 0 && !request.selectors ? -ENOMEM : rc;
    for (size_t i = 0; rc == 0 && i < r.notes.count; i++) {
        request.selectors[i] = names_of(request.spans, &notes[i]);
        request.selector_count++;
    }
    free(r.notes.items);
    if (rc == 0)
        *ret = request;
    else
        free_request_done(&request);
    return rc == -EMSGSIZE ? -EBADMSG : rc;
}

void free_request_done(struct free_request *request)
{
    free(request->selectors);
    free(request->spans);
    arena_done(&request->arena);
    *request = (struct free_request){ 0 };
}
