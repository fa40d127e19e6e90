/* SPDX-License-Identifier: Apache-2.0 */
/* resource - what a source states about the health of a component. */
#include "model/resource.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "model/component.h"

#include <stddef.h>

#define BY_BYTES_MAX ((size_t)255)
#define LEVELS_MAX 4

static const char *const health_names[RESOURCE_HEALTH_COUNT] = { "up", "unknown",
                                                                 "degraded", "down",
                                                                 "drained" };

const char *resource_health_name(enum resource_health health)
{
    return health_names[health];
}

int resource_health_parse(struct span name, enum resource_health *ret)
{
    for (size_t i = 0; i < RESOURCE_HEALTH_COUNT; i++) {
        if (!span_is(name, health_names[i]))
            continue;
        *ret = (enum resource_health)i;
        return 0;
    }
    return -EINVAL;
}

enum resource_source_kind resource_source_kind(struct span source,
                                               struct span *ret_name)
{
    static const struct {
        const char *prefix;
        enum resource_source_kind kind;
    } kinds[] = { { "system:", RESOURCE_SOURCE_SYSTEM },
                  { "user:", RESOURCE_SOURCE_USER } };
    if (span_is(source, "admin")) {
        if (ret_name)
            *ret_name = SPAN("");
        return RESOURCE_SOURCE_ADMIN;
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        size_t size = strlen(kinds[i].prefix);
        if (!span_starts(source, kinds[i].prefix) || source.size == size)
            continue;
        if (ret_name)
            *ret_name = span_skip(source, size);
        return kinds[i].kind;
    }
    return RESOURCE_SOURCE_NONE;
}

/* ---- checks ---- */

static bool is_plain_text(struct span text, size_t size_max)
{
    if (text.size > size_max || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static bool is_one_word(struct span text, size_t size_max)
{
    if (text.size == 0 || !is_plain_text(text, size_max))
        return false;
    return !memchr(text.data, ' ', text.size);
}

/* A level is what component_print_level() makes of a name. */
static bool level_is_valid(struct span level, bool has_type)
{
    if (level.size == 0 || !utf8_is_valid(level))
        return false;
    size_t colons = 0;
    for (size_t i = 0; i < level.size; i++) {
        unsigned char c = (unsigned char)level.data[i];
        if (c <= ' ' || c == 0x7f || c == '*')
            return false;
        colons += c == ':';
    }
    return has_type ? level.data[0] != ':' && level.data[level.size - 1] != ':'
                    : colons == 0;
}

bool resource_component_is_valid(struct span path)
{
    size_t levels = 0;
    if (path.size == 0 || path.size > RESOURCE_COMPONENT_BYTES_MAX ||
        path.data[path.size - 1] == '/')
        return false;
    for (struct span rest = path, level; rest.size > 0; levels++) {
        (void)span_cut(&rest, '/', &level);
        if (levels == LEVELS_MAX || !level_is_valid(level, levels >= 2))
            return false;
    }
    return levels >= 2;
}

const char *resource_statement_check(const struct resource_statement *s)
{
    enum resource_source_kind kind = resource_source_kind(s->source, NULL);
    if (!resource_component_is_valid(s->component))
        return "its component is not a path of one: cluster/host or "
               "cluster/host/type:id";
    if (kind == RESOURCE_SOURCE_NONE ||
        !is_one_word(s->source, RESOURCE_SOURCE_BYTES_MAX))
        return "its source is not admin, system:NAME or user:NAME";
    if (s->health == RESOURCE_DRAINED && kind != RESOURCE_SOURCE_ADMIN)
        return "only an administrator drains";
    if (!is_plain_text(s->reason, RESOURCE_REASON_BYTES_MAX))
        return "its reason is too long, or has control characters";
    if (s->health != RESOURCE_UP && span_trim(s->reason).size == 0)
        return "a reason is missing";
    if (!is_plain_text(s->by, BY_BYTES_MAX))
        return "the name of who sent it is too long";
    return NULL;
}

static bool is_same_statement(const struct resource_statement *a,
                              const struct resource_statement *b)
{
    return a->health == b->health && span_eq(a->reason, b->reason);
}

bool resource_statement_holds(const struct resource_statement *stored,
                              const struct resource_statement *submitted)
{
    return submitted->t_ns <= stored->t_ns || is_same_statement(stored, submitted);
}

bool resource_statement_is_change(const struct resource_statement *stored,
                                  const struct resource_statement *submitted)
{
    if (stored->health != submitted->health)
        return true;
    return !span_eq(stored->reason, submitted->reason) &&
           resource_source_kind(submitted->source, NULL) != RESOURCE_SOURCE_SYSTEM;
}

/* ---- printing ---- */

static void put_member(struct json_writer *w, const char *key, struct span text)
{
    if (text.size == 0)
        return;
    json_key(w, key);
    json_span(w, text);
}

void resource_statement_print_line(const struct resource_statement *s,
                                   struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    put_member(&w, "component", s->component);
    put_member(&w, "health", span_of(resource_health_name(s->health)));
    put_member(&w, "reason", s->reason);
    put_member(&w, "source", s->source);
    if (s->t_ns > 0) {
        json_key(&w, "t");
        json_seconds(&w, s->t_ns);
    }
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

enum statement_member { IN_COMPONENT, IN_HEALTH, IN_REASON, IN_SOURCE, IN_T, IN_COUNT };

static const char *const member_names[IN_COUNT] = { "component", "health", "reason",
                                                    "source", "t" };

struct statement_line {
    struct arena *arena;
    struct err *err;
    struct resource_statement statement;
    enum statement_member member; /* whose value is due */
    unsigned given;               /* bit n: member n was there */
};

static int statement_key(struct statement_line *in, struct span key)
{
    for (unsigned i = 0; i < IN_COUNT; i++) {
        if (!span_is(key, member_names[i]))
            continue;
        if (in->given >> i & 1)
            return err_set(in->err, EBADMSG, "'%s' is given twice", member_names[i]);
        in->given |= 1U << i;
        in->member = (enum statement_member)i;
        return 0;
    }
    return err_set(in->err, EBADMSG, "'%.*s' is not a key of a statement",
                   (int)(key.size < 64 ? key.size : 64), key.data);
}

static int statement_text(struct statement_line *in, struct span text)
{
    struct resource_statement *s = &in->statement;
    if (in->member == IN_HEALTH)
        return resource_health_parse(text, &s->health) < 0
                   ? err_set(in->err, EBADMSG,
                             "'health' is not up, degraded, down, unknown or drained")
                   : 0;
    char *copy = arena_dup(in->arena, text);
    if (!copy)
        return -ENOMEM;
    struct span *to = in->member == IN_COMPONENT ? &s->component
                      : in->member == IN_REASON  ? &s->reason
                                                 : &s->source;
    *to = (struct span){ copy, text.size };
    return 0;
}

static int statement_event(void *arg, enum json_event event, struct span text,
                           unsigned depth)
{
    struct statement_line *in = arg;
    if (depth == 0 && (event == JSON_OBJECT || event == JSON_OBJECT_END))
        return 0;
    if (depth == 0 && event == JSON_KEY)
        return statement_key(in, text);
    if (depth == 0)
        return err_set(in->err, EBADMSG, "it is not an object");
    if (in->member != IN_T && event == JSON_STRING)
        return statement_text(in, text);
    if (in->member != IN_T || event != JSON_NUMBER)
        return err_set(in->err, EBADMSG, "'%s' is not a %s", member_names[in->member],
                       in->member == IN_T ? "number" : "text");
    if (number_parse_seconds(text, &in->statement.t_ns) < 0 || in->statement.t_ns <= 0)
        return err_set(in->err, EBADMSG, "'t' is not a time in seconds since 1970");
    return 0;
}

/* What another source than the administrators' needs no less. */
static const char *line_check(const struct statement_line *in)
{
    struct resource_statement checked = in->statement;
    if (!(in->given >> IN_HEALTH & 1))
        return "'health' is missing";
    if (checked.source.size > 0 &&
        !is_one_word(checked.source, RESOURCE_SOURCE_BYTES_MAX))
        return "'source' is too long, or not one word";
    checked.source = SPAN("admin");
    return resource_statement_check(&checked);
}

int resource_statement_read_line(struct span line, struct arena *arena,
                                 struct resource_statement *ret, struct err *err)
{
    const struct json_reader_opts opts = { .depth_max = 2,
                                           .token_bytes_max = RESOURCE_LINE_BYTES_MAX };
    struct statement_line in = { .arena = arena, .err = err };
    AUTO(json_reader_done) struct json_reader reader;
    json_reader_init(&reader, &opts, statement_event, &in);
    int rc = json_reader_feed(&reader, line.data, line.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc == -EMSGSIZE ? err_set(err, EBADMSG, "a text of it is too long") : rc;
    const char *reason = line_check(&in);
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    *ret = in.statement;
    return 0;
}
