/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_names - a name that no series has, as a note: not to be taken for idleness.
 */
#include "query/jobs/unknown_names.h"

#include "base/span.h"

/* Of how many series names are shown as examples, and how many of them. */
enum { SERIES_READ_MAX = 200, NAMES_MAX = 5 };

struct names {
    enum dim dim;
    struct arena arena;
    struct span items[NAMES_MAX + 1]; /* one more shows that there are more */
    size_t count;
    size_t series; /* that were read */
};

static void names_done(struct names *names)
{
    arena_done(&names->arena);
}
DEFINE_AUTO_DONE(struct names, names_done);

static int count_one(void *arg, const struct series *series)
{
    size_t *count = arg;
    (void)series;
    (*count)++;
    return 0;
}

static int take_name(void *arg, const struct series *series)
{
    struct names *names = arg;
    struct span name = dim_of_series(names->dim, series);
    names->series++;
    if (name.size == 0 || names->count > NAMES_MAX)
        return 0;
    for (size_t i = 0; i < names->count; i++)
        if (span_eq(names->items[i], name))
            return 0;
    char *copy = arena_dup(&names->arena, name);
    if (!copy)
        return -ENOMEM;
    names->items[names->count++] = (struct span){ copy, name.size };
    return 0;
}

/* Is there no series at all?  On errors nothing is claimed. */
static bool has_none(const struct history *history, const struct series_filter *filter)
{
    size_t count = 0;
    struct series_filter first = *filter;
    first.limit = 1;
    return history->find_series(history->arg, &first, count_one, &count, NULL) == 0 &&
           count == 0;
}

static void note_name(const struct history *history, enum dim dim, struct span name,
                      struct table *table)
{
    AUTO(names_done) struct names names = { .dim = dim };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct series_filter any = { .limit = SERIES_READ_MAX };
    arena_init(&names.arena, 1 << 20);
    (void)history->find_series(history->arg, &any, take_name, &names, NULL);
    for (size_t i = 0; i < names.count && i < NAMES_MAX; i++) {
        strbuf_adds(&text, i ? ", " : "; there are ");
        strbuf_add_span(&text, names.items[i]);
    }
    if (names.count > NAMES_MAX || (names.count > 0 && names.series >= SERIES_READ_MAX))
        strbuf_adds(&text, ", ...");
    /* As people call a target: without its file system. */
    if (dim == DIM_TARGET && name.size > 0 && !memchr(name.data, '-', name.size) &&
        !memchr(name.data, '*', name.size))
        strbuf_addf(&text, "; '*-" SPAN_FMT "' is that of any file system",
                    SPAN_ARG(name));
    table_add_note(table, "there is no series of %s '" SPAN_FMT "'%s", dim_name(dim),
                   SPAN_ARG(name), strbuf_text(&text));
}

/* Names that no index has, for which all series would have to be read: that nothing in
 * the window fits them is known. */
static void note_unfit(const struct selection *sel, struct table *table)
{
    const struct series_filter *f = &sel->filter;
    const struct {
        enum dim dim;
        struct span name;
    } names[] = { { DIM_FS, f->fs },
                  { DIM_SERVER, sel->server },
                  { DIM_GROUP, f->groups ? (struct span){ 0 } : f->group },
                  { DIM_NODE, f->node },
                  { DIM_EXECUTABLE, f->executable } };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].name.data)
            strbuf_addf(&text, "%s%s '" SPAN_FMT "'", text.size > 0 ? ", " : "",
                        dim_name(names[i].dim), SPAN_ARG(names[i].name));
    if (text.size > 0)
        table_add_note(table, "no series with rows in this window fits %s",
                       strbuf_text(&text));
}

void unknown_names_note(const struct history *history, const struct selection *sel,
                        struct table *ret)
{
    const struct series_filter *f = &sel->filter;
    const struct {
        enum dim dim;
        struct span name;
        struct series_filter alone;
    } names[] = {
        { DIM_USER,
          f->user,
          { .user = f->user, .users = f->users, .user_count = f->user_count } },
        { DIM_JOB, f->job, { .job = f->job } },
        { DIM_TARGET,
          f->target ? span_of(f->target) : (struct span){ 0 },
          { .target = f->target } },
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        bool is_noted = i == 0 && f->users && f->user_count == 0;
        if (names[i].name.data && !is_noted && has_none(history, &names[i].alone))
            note_name(history, names[i].dim, names[i].name, ret);
    }
    note_unfit(sel, ret);
}
