/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that commands with requests share, and the selection they make. */
#include "client/args.h"

#include "base/span.h"

static int set_text(struct selection *sel, const char *name, const char *value,
                    struct err *err)
{
    return value ? selection_set(sel, span_of(name), span_of(value), err) : 0;
}

/* --by a --by b,c is by=a,b,c. */
static int set_list(struct selection *sel, const char *name,
                    const struct option_list *list, struct err *err)
{
    AUTO(strbuf_done) struct strbuf joined = STRBUF_INIT;
    if (list->count == 0)
        return 0;
    for (size_t i = 0; i < list->count; i++)
        strbuf_addf(&joined, "%s%s", i > 0 ? "," : "", list->items[i]);
    if (strbuf_error(&joined) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return selection_set(sel, span_of(name), strbuf_span(&joined), err);
}

int client_args_select(const struct client_args *args, struct selection *sel,
                       struct err *err)
{
    const struct {
        const char *name, *value;
    } texts[] = {
        { "fs", args->fs },       { "target", args->target },
        { "job", args->job },     { "server", args->lustre_server },
        { "user", args->user },   { "group", args->group },
        { "node", args->node },   { "executable", args->executable },
        { "entry", args->entry }, { "id", args->id },
        { "from", args->from },   { "to", args->to },
        { "last", args->last },   { "step", args->step },
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(texts); i++)
        rc = set_text(sel, texts[i].name, texts[i].value, err);
    if (rc == 0)
        rc = set_list(sel, "by", &args->by, err);
    if (rc == 0)
        rc = set_list(sel, "op", &args->ops, err);
    if (rc == 0 && args->limit > SELECTION_LIMIT_MAX)
        rc = err_set(err, EINVAL, "limit: '%llu' is not in 1..%d",
                     (unsigned long long)args->limit, SELECTION_LIMIT_MAX);
    if (rc == 0 && sel->last_is_rounds && (args->from || args->to))
        rc = err_set(err, EINVAL, "--last rounds is of now: without --from and --to");
    if (rc < 0)
        return rc;
    if (args->limit)
        sel->limit = (size_t)args->limit;
    sel->density = sel->density || args->density;
    return 0;
}
