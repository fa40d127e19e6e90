/* SPDX-License-Identifier: Apache-2.0 */
/* selection_params - a selection as named parameters, read and written by one table. */
#include "query/counters/selection.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <stdio.h>

struct param {
    const char *name;
    size_t offset; /* of the field that set and print work on */
    size_t flag;   /* offset of the bool beside a time: it is relative to now_ms */
    bool may_be_empty;
    int (*set)(struct selection *sel, const struct param *param, struct span value,
               struct err *err);
    /* Appends nothing where the parameter was not given. */
    bool (*print)(const struct selection *sel, const struct param *param,
                  struct strbuf *out);
};

static void *field(struct selection *sel, const struct param *param)
{
    return (char *)sel + param->offset;
}

static const void *field_const(const struct selection *sel, const struct param *param)
{
    return (const char *)sel + param->offset;
}

/* ---- texts ---- */

static int text_copy(struct selection *sel, struct span value, struct span *ret)
{
    char *copy = arena_dup(&sel->arena, value);
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, value.size };
    return 0;
}

static int text_set(struct selection *sel, const struct param *param, struct span value,
                    struct err *err)
{
    (void)err;
    return text_copy(sel, value, field(sel, param));
}

static bool text_print(const struct selection *sel, const struct param *param,
                       struct strbuf *out)
{
    const struct span *text = field_const(sel, param);
    strbuf_add_span(out, *text);
    return text->data != NULL;
}

/* A name as it is, or a set of them: r30c[09-24],login1. */
static int node_set(struct selection *sel, const struct param *param, struct span value,
                    struct err *err)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    struct err why = { 0 };
    bool is_set = value.size > 0 && (memchr(value.data, '[', value.size) ||
                                     memchr(value.data, ',', value.size));
    int rc = is_set ? hostset_parse(value, &set, &why) : 0;
    if (rc < 0)
        return err_set(err, -rc, "node: %s", why.text);
    rc = text_set(sel, param, value, err);
    if (rc < 0)
        return rc;
    hostset_free(sel->nodes);
    sel->nodes = TAKE(set);
    sel->filter.nodes = sel->nodes;
    return 0;
}

static int target_set(struct selection *sel, const struct param *param,
                      struct span value, struct err *err)
{
    struct span copy;
    (void)param;
    (void)err;
    int rc = text_copy(sel, value, &copy);
    if (rc == 0)
        sel->filter.target = copy.data;
    return rc;
}

static bool target_print(const struct selection *sel, const struct param *param,
                         struct strbuf *out)
{
    (void)param;
    strbuf_adds(out, sel->filter.target ? sel->filter.target : "");
    return sel->filter.target != NULL;
}

static int entry_set(struct selection *sel, const struct param *param,
                     struct span value, struct err *err)
{
    (void)param;
    char *bytes = arena_alloc(&sel->arena, value.size + 1);
    if (!bytes)
        return -ENOMEM;
    size_t size = 0;
    if (entry_id_parse(value, bytes, &size) < 0)
        return err_set(err, EINVAL, "entry: '" SPAN_FMT "': a backslash is \\x5C",
                       SPAN_ARG(value));
    sel->filter.entry_id = (struct span){ bytes, size };
    return 0;
}

static bool entry_print(const struct selection *sel, const struct param *param,
                        struct strbuf *out)
{
    (void)param;
    if (!sel->filter.entry_id.data)
        return false;
    entry_id_print(out, sel->filter.entry_id);
    return true;
}

static int id_set(struct selection *sel, const struct param *param, struct span value,
                  struct err *err)
{
    (void)param;
    if (uuid_parse(value, &sel->id) < 0)
        return err_set(err, EINVAL,
                       "id: '" SPAN_FMT "' is not a UUID of 36 characters: "
                       "series lists them",
                       SPAN_ARG(value));
    sel->filter.id = &sel->id;
    return 0;
}

static bool id_print(const struct selection *sel, const struct param *param,
                     struct strbuf *out)
{
    char text[UUID_TEXT_SIZE];
    (void)param;
    if (!sel->filter.id)
        return false;
    uuid_print(text, sel->filter.id);
    strbuf_adds(out, text);
    return true;
}

/* ---- groups and operations ---- */

static int by_set(struct selection *sel, const struct param *param, struct span value,
                  struct err *err)
{
    (void)param;
    return selection_set_by(sel, value, err);
}

static bool by_print(const struct selection *sel, const struct param *param,
                     struct strbuf *out)
{
    (void)param;
    for (size_t i = 0; i < sel->by_count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? "," : "", dim_name(sel->by[i]));
    if (sel->by_op)
        strbuf_addf(out, "%s%s", sel->by_count > 0 ? "," : "", dim_name(DIM_OP));
    return sel->has_by;
}

static int op_set(struct selection *sel, const struct param *param, struct span value,
                  struct err *err)
{
    (void)param;
    return selection_set_ops(sel, value, err);
}

static bool op_print(const struct selection *sel, const struct param *param,
                     struct strbuf *out)
{
    (void)param;
    for (size_t i = 0; sel->has_ops && i < sel->measure_count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? "," : "", sel->measures[i].name);
    return sel->has_ops;
}

/* ---- times ---- */

static int time_set(struct selection *sel, const struct param *param, struct span value,
                    struct err *err)
{
    int64_t *t_ms = field(sel, param);
    bool *is_relative = (bool *)((char *)sel + param->flag);
    int64_t t_ns = 0;
    if (timetext_parse_user(value, sel->now_ms * NS_PER_MS, &t_ns) < 0)
        return err_set(err, EINVAL,
                       "%s: '" SPAN_FMT "' is not a time: use 2026-11-21T06:00Z, "
                       "2026-11-21, -2h, @1669010520 or now",
                       param->name, SPAN_ARG(value));
    *t_ms = t_ns / NS_PER_MS;
    *is_relative = span_starts(value, "-") || span_is(value, "now");
    return 0;
}

/* A relative time stays one: it is the reader's clock that it is relative to. */
static bool time_print(const struct selection *sel, const struct param *param,
                       struct strbuf *out)
{
    const int64_t *t_ms = field_const(sel, param);
    const bool *is_relative = (const bool *)((const char *)sel + param->flag);
    char text[TIMETEXT_SIZE];
    if (*t_ms == T_NONE)
        return false;
    if (*is_relative)
        strbuf_addf(out, "-%lldms", (long long)(sel->now_ms - *t_ms));
    else
        strbuf_add(out, text, timetext_print(text, *t_ms * NS_PER_MS));
    return true;
}

static int duration_set(struct selection *sel, const struct param *param,
                        struct span value, struct err *err)
{
    int64_t *duration_ms = field(sel, param);
    int64_t ns = 0;
    if (number_parse_duration(value, &ns) < 0 || ns < NS_PER_MS || ns % NS_PER_MS)
        return err_set(err, EINVAL,
                       "%s: '" SPAN_FMT
                       "' is not a length of time: use 30s, 10m, 2h, 7d",
                       param->name, SPAN_ARG(value));
    *duration_ms = ns / NS_PER_MS;
    return 0;
}

static bool duration_print(const struct selection *sel, const struct param *param,
                           struct strbuf *out)
{
    const int64_t *duration_ms = field_const(sel, param);
    strbuf_addf(out, "%lldms", (long long)*duration_ms);
    return *duration_ms != 0;
}

/* A length, or the last round of all servers. */
static int last_set(struct selection *sel, const struct param *param, struct span value,
                    struct err *err)
{
    sel->last_is_rounds = span_is(value, "rounds");
    sel->last_ms = 0;
    if (sel->last_is_rounds || duration_set(sel, param, value, NULL) == 0)
        return 0;
    return err_set(err, EINVAL,
                   "last: '" SPAN_FMT "' is not a length of time: use 30s, 10m, 2h, "
                   "7d, or rounds, the last round of all servers",
                   SPAN_ARG(value));
}

static bool last_print(const struct selection *sel, const struct param *param,
                       struct strbuf *out)
{
    if (!sel->last_is_rounds)
        return duration_print(sel, param, out);
    strbuf_adds(out, "rounds");
    return true;
}

/* ---- the rest ---- */

static int limit_set(struct selection *sel, const struct param *param,
                     struct span value, struct err *err)
{
    uint64_t limit = 0;
    (void)param;
    if (number_parse_u64(value, &limit) < 0 || limit == 0 ||
        limit > SELECTION_LIMIT_MAX)
        return err_set(err, EINVAL, "limit: '" SPAN_FMT "' is not in 1..%d",
                       SPAN_ARG(value), SELECTION_LIMIT_MAX);
    sel->limit = (size_t)limit;
    return 0;
}

static bool limit_print(const struct selection *sel, const struct param *param,
                        struct strbuf *out)
{
    (void)param;
    strbuf_addf(out, "%zu", sel->limit);
    return sel->limit != 0;
}

static int density_set(struct selection *sel, const struct param *param,
                       struct span value, struct err *err)
{
    (void)param;
    sel->density = span_is(value, "yes");
    if (!sel->density && !span_is(value, "no"))
        return err_set(err, EINVAL,
                       "density: invalid value '" SPAN_FMT "' (choose yes, no)",
                       SPAN_ARG(value));
    return 0;
}

static bool density_print(const struct selection *sel, const struct param *param,
                          struct strbuf *out)
{
    (void)param;
    strbuf_adds(out, "yes");
    return sel->density;
}

/* ---- the table ---- */

/* clang-format off */
#define OFFSET(field) offsetof(struct selection, field)
#define TEXT_PARAM(name, field) { name, OFFSET(field), 0, true, text_set, text_print }
#define TIME_PARAM(name, field, flag) \
    { name, OFFSET(field), OFFSET(flag), false, time_set, time_print }
#define PARAM(name, field, noun) \
    { name, OFFSET(field), 0, false, noun##_set, noun##_print }
/* clang-format on */

static const struct param params[] = {
    TEXT_PARAM("fs", filter.fs),
    TEXT_PARAM("job", filter.job),
    TEXT_PARAM("user", filter.user),
    TEXT_PARAM("group", filter.group),
    { "node", OFFSET(filter.node), 0, true, node_set, text_print },
    TEXT_PARAM("executable", filter.executable),
    TEXT_PARAM("server", server),
    PARAM("target", filter.target, target),
    PARAM("entry", filter.entry_id, entry),
    PARAM("id", id, id),
    { "by", OFFSET(by), 0, true, by_set, by_print },
    PARAM("op", measures, op),
    TIME_PARAM("from", from_ms, from_is_relative),
    TIME_PARAM("to", to_ms, to_is_relative),
    PARAM("last", last_ms, last),
    PARAM("step", step_ms, duration),
    PARAM("limit", limit, limit),
    PARAM("density", density, density),
};

int selection_set(struct selection *sel, struct span name, struct span value,
                  struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        if (!span_is(name, params[i].name))
            continue;
        if (value.size == 0 && !params[i].may_be_empty)
            return err_set(err, EINVAL, "%s: a value is missing", params[i].name);
        return params[i].set(sel, &params[i], value, err);
    }
    return err_set(err, EINVAL, "'" SPAN_FMT "' is not a parameter here",
                   SPAN_ARG(name));
}

int selection_params(const struct selection *sel, selection_param_fn *fn, void *arg)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(params); i++) {
        strbuf_clear(&text);
        if (!params[i].print(sel, &params[i], &text))
            continue;
        if (strbuf_error(&text) < 0)
            return -ENOMEM;
        fn(arg, params[i].name, (struct span){ strbuf_text(&text), text.size });
    }
    return 0;
}
