/* SPDX-License-Identifier: Apache-2.0 */
/* asking - what baro's questions share: from options to pairs, and the way they go. */
#include "cmd/asking.h"

#include "cmd/asking_way.h"

#include <stdio.h>

struct asking {
    const struct asking_way *way;
    void *state;
    struct asking_pairs pairs;
};

static void add_pair(struct asking_pairs *pairs, const char *name, struct span value)
{
    if (!value.data || pairs->count == ASKING_PAIRS_MAX)
        return;
    pairs->items[pairs->count++] = (struct asking_pair){ name, value };
}

/* "a", "b,c" become "a,b,c"; the texts lie behind one another in lists. */
static void join(const struct option_list *list, struct strbuf *out)
{
    for (size_t i = 0; i < list->count; i++)
        strbuf_addf(out, "%s%s", i ? "," : "", list->items[i]);
}

int asking_pairs_make(const struct asking_args *args, struct asking_pairs *pairs)
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
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        add_pair(pairs, texts[i].name, span_of(texts[i].value));
    join(&args->by, &pairs->lists);
    size_t by_size = pairs->lists.size;
    join(&args->ops, &pairs->lists);
    if (strbuf_error(&pairs->lists))
        return -ENOMEM;
    const char *lists = strbuf_text(&pairs->lists);
    if (args->by.count)
        add_pair(pairs, "by", (struct span){ lists, by_size });
    if (args->ops.count)
        add_pair(pairs, "op",
                 (struct span){ lists + by_size, pairs->lists.size - by_size });
    if (args->density)
        add_pair(pairs, "density", SPAN("yes"));
    if (args->limit) {
        size_t size = number_print_u64(pairs->limit, args->limit);
        add_pair(pairs, "limit", (struct span){ pairs->limit, size });
    }
    return 0;
}

void asking_pairs_done(struct asking_pairs *pairs)
{
    strbuf_done(&pairs->lists);
}

int asking_open(const struct asking_args *args, struct asking **ret, struct err *err)
{
    AUTO(asking_close) struct asking *asking = calloc(1, sizeof *asking);
    if (!asking)
        return -ENOMEM;
    if (args->records && args->server)
        return err_set(err, EINVAL, "--records and --server exclude one another");
    int rc = asking_pairs_make(args, &asking->pairs);
    if (rc < 0)
        return rc;
    asking->way = args->records ? &asking_way_records : &asking_way_server;
    rc = asking->way->open(args, &asking->state, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(asking);
    return 0;
}

void asking_close(struct asking *asking)
{
    if (!asking)
        return;
    if (asking->state)
        asking->way->close(asking->state);
    asking_pairs_done(&asking->pairs);
    free(asking);
}

int asking_table(struct asking *asking, enum asking_question question,
                 struct table *ret, struct err *err)
{
    return asking->way->table(asking->state, question, &asking->pairs, ret, err);
}

int asking_job(struct asking *asking, struct table *parts, struct err *err)
{
    return asking->way->job(asking->state, &asking->pairs, parts, err);
}

static int ask_and_print(const struct asking_args *args, enum asking_question question,
                         struct err *err)
{
    AUTO(asking_close) struct asking *asking = NULL;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct asking_form form;
    table_init(&table);
    int rc = asking_form_init(args, &form, err);
    if (rc == 0)
        rc = asking_open(args, &asking, err);
    if (rc == 0 && asking)
        rc = asking_table(asking, question, &table, err);
    if (rc < 0)
        return rc;
    asking_print(&table, &form, &out, &notes);
    if (strbuf_error(&out) || strbuf_error(&notes))
        return -ENOMEM;
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout))
        return err_set(err, errno, "write: %s", strerror(errno));
    (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return 0;
}

int asking_run(const struct asking_args *args, enum asking_question question,
               const char *command)
{
    struct err err = { 0 };
    int rc = ask_and_print(args, question, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro %s: %s\n", command, err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}
