/* SPDX-License-Identifier: Apache-2.0 */
/* line_json - a text of line protocol as JSON, one point or one error a line. */
#include "wire/line_json.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "wire/line_protocol.h"
#include "wire/line_value.h"

#include <stdlib.h>
#include <string.h>

struct line_json {
    struct line_reader reader;
    struct strbuf text; /* what was fed and is not yet parsed */
    struct line_json_counts counts;
    char *scratch; /* of a line's size: names without their escapes */
};

int line_json_unit_parse(const char *name, int64_t *ret_ns, struct err *err)
{
    static const struct {
        const char *name;
        int64_t unit_ns;
    } units[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "ms", NS_PER_MS },
        { "s", NS_PER_S },
        { "auto", LINE_UNIT_AUTO },
    };
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (strcmp(units[i].name, name) != 0)
            continue;
        *ret_ns = units[i].unit_ns;
        return 0;
    }
    return err_set(err, EINVAL, "invalid value '%s' (choose ns, us, ms, s, auto)",
                   name);
}

int line_json_new(int64_t unit_ns, struct line_json **ret)
{
    struct line_json *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    line_reader_init(&l->reader, SPAN(""), unit_ns, 0);
    *ret = l;
    return 0;
}

void line_json_free(struct line_json *lines)
{
    if (!lines)
        return;
    strbuf_done(&lines->text);
    free(lines->scratch);
    free(lines);
}

const struct line_json_counts *line_json_counts(const struct line_json *lines)
{
    return &lines->counts;
}

/* ---- printing ---- */

static void name_print(struct line_json *l, struct json_writer *w, struct span s,
                       size_t (*unescape)(struct span, char *))
{
    struct span plain = { l->scratch, unescape(s, l->scratch) };
    json_span(w, plain);
}

static void key_print(struct line_json *l, struct json_writer *w, struct span s)
{
    struct span plain = { l->scratch, token_unescape(s, l->scratch) };
    json_key_span(w, plain);
}

static void value_print(struct line_json *l, struct json_writer *w,
                        const struct line_field *f)
{
    switch (f->type) {
    case LINE_FLOAT:
        json_double(w, f->number);
        break;
    case LINE_INT:
        json_i64(w, f->integer);
        break;
    case LINE_UINT:
        json_u64(w, f->uinteger);
        break;
    case LINE_BOOL:
        json_bool(w, f->boolean);
        break;
    case LINE_STRING:
        name_print(l, w, f->string, string_unescape);
        break;
    }
}

static void point_print(struct line_json *l, const struct line_point *p,
                        struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "line");
    json_u64(&w, p->line);
    json_key(&w, "name");
    name_print(l, &w, p->name, measurement_unescape);
    json_key(&w, "tags");
    json_object(&w);
    for (size_t i = 0; i < p->tag_count; i++) {
        key_print(l, &w, p->tags[i].key);
        name_print(l, &w, p->tags[i].value, token_unescape);
    }
    json_object_end(&w);
    json_key(&w, "fields");
    json_object(&w);
    for (size_t i = 0; i < p->field_count; i++) {
        key_print(l, &w, p->fields[i].key);
        value_print(l, &w, &p->fields[i]);
    }
    json_object_end(&w);
    if (p->has_time) {
        json_key(&w, "t_ns");
        json_i64(&w, p->t_ns);
    }
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

static void fault_print(const struct line_json *l, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "line");
    json_u64(&w, l->reader.fault.line);
    json_key(&w, "column");
    json_u64(&w, l->reader.fault.column);
    json_key(&w, "error");
    json_text(&w, l->reader.fault.reason);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

/* The unread rest moves to the front of the buffer and the new piece comes behind. */
static int text_hold(struct line_json *l, struct span piece)
{
    size_t rest = (size_t)(l->reader.end - l->reader.next);
    if (rest > 0)
        memmove(l->text.data, l->reader.next, rest);
    l->text.size = rest;
    strbuf_add_span(&l->text, piece);
    if (strbuf_error(&l->text) < 0)
        return -ENOMEM;
    line_reader_refill(&l->reader, strbuf_span(&l->text));
    l->reader.has_more = piece.size > 0;
    char *scratch = realloc(l->scratch, l->text.size + 1);
    if (!scratch)
        return -ENOMEM;
    l->scratch = scratch;
    return 0;
}

int line_json_feed(struct line_json *lines, struct span piece, struct strbuf *out)
{
    struct line_json *l = lines;
    struct line_point p;
    enum line_outcome outcome;
    int rc = text_hold(l, piece);
    if (rc < 0)
        return rc;
    while ((outcome = line_reader_next(&l->reader, &p)) == LINE_POINT ||
           outcome == LINE_FAULT) {
        bool is_point = outcome == LINE_POINT;
        l->counts.points += is_point;
        l->counts.fields += is_point ? p.field_count : 0;
        l->counts.bad_lines += !is_point;
        if (out && is_point)
            point_print(l, &p, out);
        else if (out)
            fault_print(l, out);
    }
    return out ? strbuf_error(out) : 0;
}
