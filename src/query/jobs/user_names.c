/* SPDX-License-Identifier: Apache-2.0 */
/* user_names - numbers for the names of a query, and names for the numbers of a result.
 */
#include "query/jobs/user_names.h"

#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

/* A response of many users has numbers for those beyond. */
enum { NUMBERS_MAX = 10000, EXAMPLES_MAX = 5 };

/* Names as they were read, in memory. */
struct stored_names {
    struct arena arena;
    struct id_name *items;
    size_t count, capacity;
    size_t count_max; /* 0: none */
};

static void stored_names_done(struct stored_names *names)
{
    free(names->items);
    arena_done(&names->arena);
}
DEFINE_AUTO_DONE(struct stored_names, stored_names_done);

static void stored_names_init(struct stored_names *names, size_t count_max)
{
    *names = (struct stored_names){ .count_max = count_max };
    arena_init(&names->arena, 0);
}

static int stored_names_add(void *arg, const struct id_name *name)
{
    struct stored_names *names = arg;
    struct id_name copy = *name;
    struct span *const texts[] = { &copy.cluster, &copy.number, &copy.name };
    if (names->count_max && names->count == names->count_max)
        return -E2BIG;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 16;
        struct id_name *grown = reallocarray(names->items, capacity, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        names->items = grown;
        names->capacity = capacity;
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        texts[i]->data = arena_dup(&names->arena, *texts[i]);
        if (!texts[i]->data)
            return -ENOMEM;
    }
    names->items[names->count++] = copy;
    return 0;
}

static int stored_names_find(const struct history *history,
                             const struct id_name_filter *filter,
                             struct stored_names *names, struct err *err)
{
    return history->find_names(history->arg, filter, stored_names_add, names, err);
}

/* ---- names of a query ---- */

/* Distinct numbers of names, into memory of arena. */
static int numbers_of(const struct stored_names *names, struct arena *arena,
                      struct span **ret, size_t *ret_count)
{
    struct span *numbers = arena_alloc(arena, (names->count + 1) * sizeof *numbers);
    size_t count = 0;
    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < names->count; i++) {
        const struct span number = names->items[i].number;
        bool is_known = false;
        for (size_t k = 0; k < count && !is_known; k++)
            is_known = span_eq(numbers[k], number);
        if (is_known)
            continue;
        char *copy = arena_dup(arena, number);
        if (!copy)
            return -ENOMEM;
        numbers[count++] = (struct span){ copy, number.size };
    }
    *ret = numbers;
    *ret_count = count;
    return 0;
}

struct window {
    int64_t from_ns, to_ns;
};

static struct window window_of(const struct selection *sel)
{
    bool has_window = sel->from_ms != T_NONE && sel->to_ms != T_NONE;
    return (struct window){ has_window ? sel->from_ms * NS_PER_MS : 0,
                            has_window ? sel->to_ms * NS_PER_MS : INT64_MAX };
}

/* Did number bear name within the window, between sightings too? */
static bool is_borne(const struct stored_names *names, enum id_kind kind,
                     struct span number, struct span name, struct window window)
{
    const int64_t edges[] = { window.from_ns, window.to_ns };
    for (size_t i = 0; i < COUNT_OF(edges); i++) {
        const struct id_name *at =
            id_name_at(names->items, names->count, kind, number, edges[i]);
        if (at && span_eq(at->name, name))
            return true;
    }
    for (size_t i = 0; i < names->count; i++) {
        const struct id_name *n = &names->items[i];
        if (span_eq(n->number, number) && span_eq(n->name, name) &&
            n->first_ns <= window.to_ns && n->last_ns >= window.from_ns)
            return true;
    }
    return false;
}

/* That a number was another's, too, within the window. */
static void note_others(const struct stored_names *names, enum id_kind kind,
                        struct span number, struct span name, struct window window,
                        struct table *table)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct id_name *n = &names->items[i];
        if (!span_eq(n->number, number) || span_eq(n->name, name) ||
            !is_borne(names, kind, number, n->name, window))
            continue;
        table_add_note(table,
                       "%s %.*s was '%.*s', too, in that time: what both did is here",
                       id_kind_name(kind), (int)number.size, number.data,
                       (int)n->name.size, n->name.data);
        return;
    }
}

/* With some that there are, so that a slip of the finger is seen. */
static void note_unknown(const struct history *history, enum id_kind kind,
                         struct span name, struct table *table)
{
    AUTO(stored_names_done) struct stored_names names = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct id_name_filter any = { .kind = kind };
    stored_names_init(&names, EXAMPLES_MAX);
    (void)stored_names_find(history, &any, &names, NULL);
    for (size_t i = 0; i < names.count; i++)
        strbuf_addf(&text, "%s" SPAN_FMT " (" SPAN_FMT ")", i ? ", " : "; there are ",
                    SPAN_ARG(names.items[i].name), SPAN_ARG(names.items[i].number));
    table_add_note(table, "no %s called '" SPAN_FMT "' was seen in that time%s%s",
                   id_kind_name(kind), SPAN_ARG(name), strbuf_text(&text),
                   names.count ? ""
                               : ": names come with runs of jobs (baro job import)");
}

static int resolve(const struct history *history, struct selection *sel,
                   enum id_kind kind, struct span name, const struct span **ret,
                   size_t *ret_count, struct table *table, struct err *err)
{
    AUTO(stored_names_done) struct stored_names own = { 0 };
    AUTO(stored_names_done) struct stored_names all = { 0 };
    const struct id_name_filter by_name = { .kind = kind, .name = name };
    struct id_name_filter by_number = { .kind = kind };
    const struct window window = window_of(sel);
    struct span *numbers = NULL;
    size_t count = 0, used = 0;
    stored_names_init(&own, 0);
    stored_names_init(&all, 0);
    if (!history || !history->find_names)
        return err_set(err, EINVAL,
                       "%s: '" SPAN_FMT "' is a name, and names are in a database, "
                       "which is not there: give the number",
                       id_kind_name(kind), SPAN_ARG(name));
    int rc = stored_names_find(history, &by_name, &own, err);
    if (rc == 0)
        rc = numbers_of(&own, &sel->arena, &numbers, &count);
    by_number.numbers = numbers;
    by_number.number_count = count;
    if (rc == 0)
        rc = stored_names_find(history, &by_number, &all, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", id_kind_name(kind));
    for (size_t i = 0; i < count; i++)
        if (is_borne(&all, kind, numbers[i], name, window)) {
            numbers[used++] = numbers[i];
            note_others(&all, kind, numbers[i], name, window, table);
        }
    if (used == 0)
        note_unknown(history, kind, name, table);
    *ret = numbers;
    *ret_count = used;
    return 0;
}

int user_names_resolve(const struct history *history, struct selection *sel,
                       struct table *ret, struct err *err)
{
    struct series_filter *f = &sel->filter;
    int rc = 0;
    if (f->user.size > 0 && !id_is_number(f->user))
        rc = resolve(history, sel, ID_USER, f->user, &f->users, &f->user_count, ret,
                     err);
    if (rc == 0 && f->group.size > 0 && !id_is_number(f->group))
        rc = resolve(history, sel, ID_GROUP, f->group, &f->groups, &f->group_count, ret,
                     err);
    return rc;
}

/* ---- names of a result ---- */

static int64_t time_of_row(const struct table *table, int to_column, size_t row,
                           int64_t t_ms)
{
    if (to_column < 0)
        return t_ms;
    const struct table_cell *cell = table_at(table, row, (size_t)to_column);
    return cell->is_null ? t_ms : cell->i64;
}

static int numbers_find_names(const struct history *history, enum id_kind kind,
                              size_t column, const struct table *table,
                              struct stored_names *names)
{
    size_t count = table->row_count < NUMBERS_MAX ? table->row_count : NUMBERS_MAX;
    AUTO_FREE struct span *numbers = calloc(count + 1, sizeof *numbers);
    struct id_name_filter filter = { .kind = kind, .numbers = numbers };
    if (!numbers)
        return -ENOMEM;
    for (size_t r = 0; r < count; r++) {
        const struct table_cell *cell = table_at(table, r, column);
        if (!cell->is_null)
            numbers[filter.number_count++] = span_of(cell->text);
    }
    return filter.number_count ? stored_names_find(history, &filter, names, NULL) : 0;
}

static void add_names(const struct history *history, enum id_kind kind, int64_t t_ms,
                      struct table *table)
{
    AUTO(stored_names_done) struct stored_names names = { 0 };
    char heading[32];
    int column = table_find_column(table, id_kind_name(kind));
    if (column < 0 || table->columns[column].type != TABLE_TEXT)
        return;
    stored_names_init(&names, 0);
    if (history && history->find_names)
        (void)numbers_find_names(history, kind, (size_t)column, table, &names);
    (void)snprintf(heading, sizeof heading, "%s_name", id_kind_name(kind));
    table_insert_column(table, (size_t)column + 1, heading, TABLE_TEXT, "");
    int to_column = table_find_column(table, "to");
    for (size_t r = 0; !table_error(table) && r < table->row_count; r++) {
        const struct table_cell *cell = table_at(table, r, (size_t)column);
        if (cell->is_null)
            continue;
        int64_t row_ms = time_of_row(table, to_column, r, t_ms);
        const struct id_name *name = id_name_at(
            names.items, names.count, kind, span_of(cell->text), row_ms * NS_PER_MS);
        if (name)
            table_set_text_at(table, r, (size_t)column + 1, name->name);
    }
}

void user_names_add(const struct history *history, int64_t t_ms, struct table *table)
{
    if (table_error(table))
        return;
    add_names(history, ID_USER, t_ms, table);
    add_names(history, ID_GROUP, t_ms, table);
}
