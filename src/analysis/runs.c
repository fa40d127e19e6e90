/* SPDX-License-Identifier: Apache-2.0 */
/* runs - observations of alike jobs, out of tables and a mapping. */
#include "analysis/runs.h"

#include "analysis/csv.h"
#include "analysis/expression.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>

#define COLUMNS_MAX (CSV_FIELDS_MAX + MAPPING_ITEMS_MAX + 2)
#define SETS_MAX 65536

/* The values of a row: made columns, the file's name, "missing", the file's fields. */
enum { PLACE_FILE = MAPPING_ITEMS_MAX, PLACE_MISSING, PLACE_FIELDS };

struct formulas {
    const struct expression *columns[MAPPING_ITEMS_MAX];
    const struct expression *drops[MAPPING_ITEMS_MAX];
    const struct expression *measures[MAPPING_ITEMS_MAX];
    const struct expression *classes[MAPPING_CLASSES_MAX];
    const struct expression *time, *performance, *id;
    int *require; /* places; PLACE_MISSING: this file does not have it */
};

struct loading {
    const struct mapping *mapping;
    struct runs *runs;
    struct hashmap sets;  /* name -> index + 1 */
    struct hashmap names; /* columns asked for -> 1, 2 when a file had it */
    struct arena formulas_arena, row_arena;
    struct formulas f;
    struct hashmap fields; /* of the file: name -> index + 1 */
    size_t field_count;
    size_t made_count; /* columns that later formulas may use */
    struct value values[COLUMNS_MAX];
};

/* ---- formulas ---- */

static int place_of(void *arg, struct span name)
{
    struct loading *l = arg;
    for (size_t i = 0; i < l->made_count; i++)
        if (span_is(name, l->mapping->columns.items[i].name))
            return (int)i;
    if (span_is(name, "file"))
        return PLACE_FILE;
    const uintptr_t *field = hashmap_get(&l->fields, name);
    uintptr_t *known = hashmap_put(&l->names, name, NULL);
    if (!known)
        return -ENOMEM;
    if (*known != 2)
        *known = field ? 2 : 1;
    return field ? PLACE_FIELDS + (int)*field - 1 : PLACE_MISSING;
}

static int formula(struct loading *l, const char *where, const char *text,
                   const struct expression **ret, struct err *err)
{
    int rc = expression_parse(span_of(text), place_of, l, &l->formulas_arena, ret, err);
    return rc < 0 ? err_prefix(err, rc, "%s", where) : 0;
}

static int formulas_of(struct loading *l, const struct mapping_items *items,
                       const struct expression **ret, struct err *err)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items == &l->mapping->columns)
            l->made_count = i;
        int rc =
            formula(l, items->items[i].name, items->items[i].formula, &ret[i], err);
        if (rc < 0)
            return rc;
    }
    l->made_count = l->mapping->columns.count;
    return 0;
}

/* The formulas for a file whose columns are known now. */
static int formulas_make(struct loading *l, struct err *err)
{
    const struct mapping *m = l->mapping;
    arena_reset(&l->formulas_arena);
    l->made_count = 0;
    int rc = formulas_of(l, &m->columns, l->f.columns, err);
    if (rc == 0)
        rc = formulas_of(l, &m->drops, l->f.drops, err);
    if (rc == 0)
        rc = formulas_of(l, &m->measures, l->f.measures, err);
    for (size_t i = 0; rc == 0 && i < m->classes.count; i++)
        rc = formula(l, "study.class", m->classes.items[i], &l->f.classes[i], err);
    if (rc == 0)
        rc = formula(l, "study.time", m->time, &l->f.time, err);
    if (rc == 0)
        rc = formula(l, "study.performance", m->performance, &l->f.performance, err);
    l->f.id = NULL;
    if (rc == 0 && m->id)
        rc = formula(l, "study.id", m->id, &l->f.id, err);
    l->f.require =
        arena_alloc(&l->formulas_arena, (m->require.count + 1) * sizeof(int));
    if (rc == 0 && !l->f.require)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < m->require.count; i++)
        l->f.require[i] = place_of(l, span_of(m->require.items[i]));
    return rc;
}

/* ---- rows ---- */

static void fault(struct loading *l, const char *path, uint64_t line, const char *what)
{
    struct runs *runs = l->runs;
    runs->bad_rows++;
    if (runs->fault_count < RUNS_FAULTS_MAX)
        (void)snprintf(runs->faults[runs->fault_count++], sizeof runs->faults[0],
                       "%s:%llu: %s", path, (unsigned long long)line, what);
}

static int set_of(struct loading *l, uint32_t *ret)
{
    struct runs *runs = l->runs;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    size_t group_size = 0;
    for (size_t i = 0; i < l->mapping->classes.count; i++) {
        struct value v = expression_eval(l->f.classes[i], l->values, &l->row_arena);
        if (i > 0)
            strbuf_addc(&name, ' ');
        strbuf_add_span(&name, value_as_text(&v, &l->row_arena));
        if (i == 0)
            group_size = name.size;
    }
    uintptr_t *place = strbuf_error(&name) < 0 || runs->set_count >= SETS_MAX
                           ? NULL
                           : hashmap_put(&l->sets, strbuf_span(&name), NULL);
    if (!place)
        return -ENOMEM;
    if (*place == 0) {
        struct run_set *set = &runs->sets[runs->set_count];
        set->name = arena_dup(&runs->arena, strbuf_span(&name));
        set->group =
            arena_dup(&runs->arena, (struct span){ strbuf_text(&name), group_size });
        if (!set->name || !set->group)
            return -ENOMEM;
        *place = ++runs->set_count;
    }
    *ret = (uint32_t)*place - 1;
    return 0;
}

static bool time_of(const struct value *v, int64_t *ret_ns)
{
    if (v->kind == VALUE_TEXT)
        return timetext_parse(v->text, ret_ns) == 0;
    if (v->kind == VALUE_MISSING || !(fabs(v->number) < 9e9))
        return false;
    *ret_ns = (int64_t)(v->number * 1e3) * NS_PER_MS;
    return true;
}

static int run_add(struct loading *l, const struct run *run)
{
    struct runs *runs = l->runs;
    size_t count = l->mapping->measures.count;
    if (runs->count == runs->capacity) {
        size_t capacity = runs->capacity ? runs->capacity * 2 : 1024;
        struct run *more = reallocarray(runs->runs, capacity, sizeof *more);
        if (!more)
            return -ENOMEM;
        runs->runs = more;
        runs->capacity = capacity;
    }
    double *measures = arena_alloc(&runs->arena, (count + 1) * sizeof(double));
    if (!measures)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct value v = expression_eval(l->f.measures[i], l->values, &l->row_arena);
        measures[i] = value_as_number(&v);
    }
    runs->runs[runs->count] = *run;
    runs->runs[runs->count++].measures = measures;
    return 0;
}

static bool row_is_dropped(struct loading *l)
{
    for (size_t i = 0; i < l->mapping->drops.count; i++)
        if (expression_is_true(l->f.drops[i], l->values, &l->row_arena)) {
            l->runs->dropped[i]++;
            return true;
        }
    for (size_t i = 0; i < l->mapping->require.count; i++) {
        int place = l->f.require[i];
        if (place != PLACE_MISSING && l->values[place].kind == VALUE_MISSING) {
            l->runs->missing_rows++;
            return true;
        }
    }
    return false;
}

static int row_take(struct loading *l, const char *path, uint64_t line)
{
    struct run run = { .id = "" };
    for (size_t i = 0; i < l->mapping->columns.count; i++)
        l->values[i] = expression_eval(l->f.columns[i], l->values, &l->row_arena);
    if (row_is_dropped(l))
        return 0;
    struct value time = expression_eval(l->f.time, l->values, &l->row_arena);
    struct value speed = expression_eval(l->f.performance, l->values, &l->row_arena);
    run.raw = value_as_number(&speed);
    if (!time_of(&time, &run.t_ns) || !(run.raw >= 0) || !isfinite(run.raw)) {
        fault(l, path, line, "no time, or no performance");
        return 0;
    }
    run.clock_ns = mapping_clock(l->mapping, run.t_ns);
    if (l->f.id) {
        struct value id = expression_eval(l->f.id, l->values, &l->row_arena);
        run.id = arena_dup(&l->runs->arena, value_as_text(&id, &l->row_arena));
    }
    int rc = run.id ? set_of(l, &run.set) : -ENOMEM;
    return rc < 0 ? rc : run_add(l, &run);
}

/* ---- files ---- */

/* Names of the fields.  pandas writes an index in front, with an empty name or none. */
static int header_read(struct loading *l, struct csv *csv, const char *path,
                       struct err *err)
{
    const struct span *fields;
    size_t count;
    int rc = csv_next(csv, &fields, &count, err);
    if (rc <= 0)
        return rc < 0 ? rc : err_set(err, EINVAL, "%s: the file is empty", path);
    hashmap_done(&l->fields);
    l->fields = (struct hashmap)HASHMAP_INIT;
    for (size_t i = 0; i < count; i++) {
        uintptr_t *place = hashmap_put(&l->fields, fields[i], NULL);
        if (!place)
            return err_set(err, ENOMEM, "%s: out of memory", path);
        if (*place == 0)
            *place = i + 1;
    }
    l->field_count = count;
    return formulas_make(l, err);
}

static int file_load(struct loading *l, const char *path, struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *fields;
    size_t count;
    int rc = csv_open(path, &csv, err);
    if (rc == 0)
        rc = header_read(l, csv, path, err);
    const char *slash = strrchr(path, '/');
    l->values[PLACE_FILE] =
        (struct value){ .kind = VALUE_TEXT, .text = span_of(slash ? slash + 1 : path) };
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0) {
        size_t skip = count == l->field_count + 1 ? 1 : 0;
        l->runs->rows++;
        if (count - skip != l->field_count) {
            fault(l, path, csv_line(csv), "another number of fields than the header");
            rc = 0;
            continue;
        }
        for (size_t i = skip; i < count; i++)
            l->values[PLACE_FIELDS + i - skip] = value_of_text(fields[i]);
        rc = row_take(l, path, csv_line(csv));
        arena_reset(&l->row_arena);
        if (rc < 0)
            return err_set(err, -rc, "%s: out of memory, or more than %d sets", path,
                           SETS_MAX);
    }
    return rc;
}

static bool is_optional(const struct mapping *mapping, struct span name)
{
    for (size_t i = 0; i < mapping->optional.count; i++)
        if (span_is(name, mapping->optional.items[i]))
            return true;
    return false;
}

static int names_check(const struct loading *l, struct err *err)
{
    size_t cursor = 0;
    struct span name;
    uintptr_t *known;
    while (hashmap_next(&l->names, &cursor, &name, &known))
        if (*known == 1 && !is_optional(l->mapping, name))
            return err_set(err, EINVAL,
                           "no file has a column '" SPAN_FMT
                           "', and no [column " SPAN_FMT
                           "] makes it; 'optional' allows "
                           "that",
                           SPAN_ARG(name), SPAN_ARG(name));
    return 0;
}

/* ---- after the last row ---- */

static int set_order(const void *a, const void *b)
{
    const struct run_set *x = a;
    const struct run_set *y = b;
    return strcmp(x->name, y->name);
}

static int run_order(const void *a, const void *b)
{
    const struct run *x = a;
    const struct run *y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->clock_ns != y->clock_ns)
        return x->clock_ns < y->clock_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

/* Sets in the order of their names; runs name them by place. */
static int sets_sort(struct runs *runs)
{
    uint32_t *places = reallocarray(NULL, runs->set_count + 1, sizeof *places);
    if (!places)
        return -ENOMEM;
    for (size_t i = 0; i < runs->set_count; i++)
        runs->sets[i].first = i;
    qsort(runs->sets, runs->set_count, sizeof *runs->sets, set_order);
    for (size_t i = 0; i < runs->set_count; i++)
        places[runs->sets[i].first] = (uint32_t)i;
    for (size_t i = 0; i < runs->count; i++)
        runs->runs[i].set = places[runs->runs[i].set];
    free(places);
    return 0;
}

static void window_cut(struct runs *runs, const struct mapping *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->runs[i];
        struct run_set *set = &runs->sets[run->set];
        run->fraction = set->best > 0 ? run->raw / set->best : 0;
        if (run->t_ns < m->from_ns || run->t_ns >= m->to_ns) {
            runs->outside_rows++;
            continue;
        }
        set->count++;
        runs->runs[kept++] = *run;
    }
    runs->count = kept;
}

static int runs_finish(struct runs *runs, const struct mapping *m)
{
    int rc = sets_sort(runs);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < runs->count; i++) {
        struct run_set *set = &runs->sets[runs->runs[i].set];
        set->first = set->count = 0;
        set->best = fmax(set->best, runs->runs[i].raw);
    }
    window_cut(runs, m);
    qsort(runs->runs, runs->count, sizeof *runs->runs, run_order);
    size_t kept = 0;
    size_t first = 0;
    for (size_t i = 0; i < runs->set_count; i++) {
        struct run_set set = runs->sets[i];
        if (set.count == 0)
            continue;
        set.first = first;
        for (size_t j = 0; j < set.count; j++)
            runs->runs[first + j].set = (uint32_t)kept;
        first += set.count;
        runs->sets[kept++] = set;
    }
    runs->set_count = kept;
    return 0;
}

static void loading_free(struct loading *l)
{
    hashmap_done(&l->sets);
    hashmap_done(&l->names);
    hashmap_done(&l->fields);
    arena_done(&l->formulas_arena);
    arena_done(&l->row_arena);
    free(l);
}

int runs_load(const struct mapping *mapping, char *const *paths, size_t path_count,
              struct runs *ret, struct err *err)
{
    struct runs runs = { 0 };
    struct loading *l = calloc(1, sizeof *l);
    runs.sets = calloc(SETS_MAX, sizeof *runs.sets);
    if (!l || !runs.sets) {
        free(l);
        free(runs.sets);
        return err_set(err, ENOMEM, "out of memory");
    }
    l->mapping = mapping;
    l->runs = &runs;
    arena_init(&runs.arena, 0);
    arena_init(&l->formulas_arena, 0);
    arena_init(&l->row_arena, 0);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < path_count; i++)
        rc = file_load(l, paths[i], err);
    if (rc == 0)
        rc = names_check(l, err);
    if (rc == 0 && (rc = runs_finish(&runs, mapping)) < 0)
        (void)err_set(err, -rc, "out of memory");
    loading_free(l);
    if (rc < 0) {
        runs_done(&runs);
        return rc;
    }
    *ret = runs;
    return 0;
}

void runs_done(struct runs *runs)
{
    free(runs->runs);
    free(runs->sets);
    arena_done(&runs->arena);
    *runs = (struct runs){ 0 };
}
