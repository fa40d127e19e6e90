/* SPDX-License-Identifier: Apache-2.0 */
/* runs - observations of alike jobs, out of tables and a mapping. */
#include "analysis/climate/runs.h"

#include "analysis/table/table.h"
#include "base/hashmap.h"
#include "base/span.h"

#include <math.h>
#include <xxhash.h>

#define SETS_MAX 65536
#define ALIKE_DEFAULTS_MIN \
    4 /* of the columns below, for runs to be called comparable */

/* What runs are alike in where the mapping does not say it: counters of job summarize,
 * nothing that a clock has part in. */
static const char *const alike_defaults[] = {
    "darshan_nprocs",
    "darshan_tot_bytes_read_posix",
    "darshan_tot_bytes_written_posix",
    "darshan_tot_file_not_aligned_posix",
    "darshan_tot_mem_not_aligned_posix",
    "darshan_tot_opens_posix",
    "darshan_tot_reads_posix",
    "darshan_tot_seq_reads_posix",
    "darshan_tot_seq_writes_posix",
    "darshan_tot_stats_posix",
    "darshan_tot_writes_posix",
};

/* Places of the mapping's formulas among those of rows. */
struct formulas {
    int drops[MAPPING_ITEMS_MAX];
    int measures[MAPPING_ITEMS_MAX];
    int classes[MAPPING_CLASSES_MAX];
    int time, performance;
    int id; /* -1: runs have none */
    int *require;
    int *alike;
};

struct loading {
    const struct mapping *mapping;
    struct runs *runs;
    struct rows *rows;
    struct hashmap sets; /* name -> index + 1 */
    struct formulas f;
    struct config_list alike;    /* the mapping's, or the defaults */
    struct config_list optional; /* the mapping's, and the defaults */
    size_t wanted; /* which of the wanted jobs is being read, from 1; 0: a file */
};

/* ---- formulas ---- */

static int formulas_of(struct loading *l, const struct mapping_items *items, int *ret)
{
    for (size_t i = 0; i < items->count; i++) {
        ret[i] =
            rows_add_formula(l->rows, items->items[i].name, items->items[i].formula);
        if (ret[i] < 0)
            return ret[i];
    }
    return 0;
}

static int formulas_add(struct loading *l)
{
    const struct mapping *m = l->mapping;
    int rc = formulas_of(l, &m->drops, l->f.drops);
    if (rc == 0)
        rc = formulas_of(l, &m->measures, l->f.measures);
    for (size_t i = 0; rc >= 0 && i < m->classes.count; i++)
        rc = l->f.classes[i] =
            rows_add_formula(l->rows, "study.class", m->classes.items[i]);
    if (rc >= 0)
        rc = l->f.time = rows_add_formula(l->rows, "study.time", m->time);
    if (rc >= 0)
        rc = l->f.performance =
            rows_add_formula(l->rows, "study.performance", m->performance);
    l->f.id = -1;
    if (rc >= 0 && m->id)
        rc = l->f.id = rows_add_formula(l->rows, "study.id", m->id);
    l->f.require = reallocarray(NULL, m->require.count + 1, sizeof(int));
    if (!l->f.require)
        return -ENOMEM;
    for (size_t i = 0; rc >= 0 && i < m->require.count; i++)
        rc = l->f.require[i] =
            rows_add_formula(l->rows, "study.require", m->require.items[i]);
    for (size_t i = 0; rc >= 0 && i < l->alike.count; i++)
        rc = l->f.alike[i] =
            rows_add_formula(l->rows, "study.comparable", l->alike.items[i]);
    return rc < 0 ? rc : 0;
}

/* What was not named, no table need have. */
static int alike_choose(struct loading *l)
{
    const struct mapping *m = l->mapping;
    size_t count = m->alike.count ? m->alike.count : COUNT_OF(alike_defaults);
    l->alike = m->alike;
    l->optional = m->optional;
    l->f.alike = reallocarray(NULL, count, sizeof *l->f.alike);
    if (!l->f.alike)
        return -ENOMEM;
    if (m->alike.count > 0)
        return 0;
    const char **items = reallocarray(NULL, m->optional.count + count, sizeof *items);
    if (!items)
        return -ENOMEM;
    memcpy(items, alike_defaults, sizeof alike_defaults);
    for (size_t i = 0; i < m->optional.count; i++)
        items[count + i] = m->optional.items[i];
    l->optional = (struct config_list){ items, count + m->optional.count };
    l->alike = (struct config_list){ items, count };
    return 0;
}

/* ---- rows ---- */

/* Rows of files are counted, a wanted job gets the reason why it is no observation. */
static void refuse(struct loading *l, uint64_t *count, const char *what,
                   const char *name)
{
    if (l->wanted == 0) {
        *count += 1;
        return;
    }
    (void)snprintf(l->runs->refused[l->wanted - 1], sizeof l->runs->refused[0], "%s%s",
                   what, name);
}

static void on_fault(void *arg, const char *where, const char *what)
{
    struct loading *l = arg;
    struct runs *runs = l->runs;
    refuse(l, &runs->bad_rows, what, "");
    if (l->wanted == 0 && runs->fault_count < RUNS_FAULTS_MAX)
        (void)snprintf(runs->faults[runs->fault_count++], sizeof runs->faults[0],
                       "%s: %s", where, what);
}

static int set_of(struct loading *l, uint32_t *ret)
{
    struct runs *runs = l->runs;
    /* "a b" and "c" are another set than "a" and "b c", though they read alike. */
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    size_t group_size = 0;
    for (size_t i = 0; i < l->mapping->classes.count; i++) {
        if (i > 0)
            strbuf_addc(&name, ' ');
        struct span class = rows_value_name(l->rows, l->f.classes[i]);
        strbuf_add_span(&key, class);
        strbuf_addc(&key, '\0');
        strbuf_add_span(&name, class.size > 0 ? class : SPAN("(missing)"));
        if (i == 0)
            group_size = name.size;
    }
    uintptr_t *place = strbuf_error(&name) < 0 || strbuf_error(&key) < 0
                           ? NULL
                           : hashmap_put(&l->sets, strbuf_span(&key), NULL);
    if (!place)
        return -ENOMEM;
    if (*place == 0 && runs->set_count == SETS_MAX)
        return -EOVERFLOW;
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

/* A measure that is text is missing: said, when it always is. */
static void measure_note(struct loading *l, size_t i, const struct value *v)
{
    struct runs_measure *m = &l->runs->measures[i];
    m->numbers += v->kind == VALUE_NUMBER;
    if (v->kind == VALUE_TEXT && m->texts++ == 0)
        (void)snprintf(
            m->text, sizeof m->text, SPAN_FMT,
            (int)(v->text.size < sizeof m->text ? v->text.size : sizeof m->text - 1),
            v->text.data);
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
        struct value v = rows_value(l->rows, l->f.measures[i]);
        measures[i] = value_as_number(&v);
        measure_note(l, i, &v);
    }
    runs->runs[runs->count] = *run;
    runs->runs[runs->count++].measures = measures;
    return 0;
}

static bool row_is_dropped(struct loading *l)
{
    const struct mapping *m = l->mapping;
    for (size_t i = 0; i < m->drops.count; i++) {
        const struct value v = rows_value(l->rows, l->f.drops[i]);
        l->runs->drops_by_zero[i] += v.is_by_zero && !value_is_true(&v) && !l->wanted;
        if (value_is_true(&v)) {
            refuse(l, &l->runs->dropped[i],
                   "the mapping drops it: ", m->drops.items[i].name);
            return true;
        }
    }
    /* Of a wanted job what it lacks is missing, and the rest is known. */
    for (size_t i = 0; l->wanted == 0 && i < m->require.count; i++) {
        if (!rows_has(l->rows, m->require.items[i]))
            continue;
        struct value v = rows_value(l->rows, l->f.require[i]);
        if (v.kind == VALUE_MISSING) {
            l->runs->missing_rows++;
            return true;
        }
    }
    return false;
}

/* Numbers as they are, so that 1.0 and 1 are equal. */
static uint64_t alike_of(struct loading *l)
{
    uint64_t hash = l->alike.count;
    size_t had = 0;
    for (size_t i = 0; i < l->alike.count; i++) {
        struct value v = rows_value(l->rows, l->f.alike[i]);
        if (v.kind == VALUE_MISSING && l->mapping->alike.count == 0 &&
            !rows_has(l->rows, l->alike.items[i]))
            continue; /* it was not requested */
        if (v.kind == VALUE_MISSING)
            return 0;
        had++;
        hash = v.kind == VALUE_TEXT
                   ? XXH3_64bits_withSeed(v.text.data, v.text.size, hash + i)
                   : XXH3_64bits_withSeed(&v.number, sizeof v.number, hash + i);
    }
    bool is_enough = l->mapping->alike.count > 0 || had >= ALIKE_DEFAULTS_MIN;
    return is_enough ? hash | 1 : 0;
}

/* When a row was, or a fault of it. */
static int time_read(struct loading *l, int64_t *ret_ns)
{
    struct err err = { 0 };
    char what[640];
    struct value time = rows_value(l->rows, l->f.time);
    int rc = -EINVAL;
    if (time.kind == VALUE_MISSING)
        (void)err_set(&err, EINVAL, "is missing");
    else
        rc = time_form_parse(&l->mapping->time_form,
                             rows_value_text(l->rows, l->f.time), ret_ns, &err);
    if (rc == 0)
        return 0;
    (void)snprintf(what, sizeof what, "time (%.40s): %s", l->mapping->time, err.text);
    rows_fault(l->rows, what);
    return rc;
}

static int performance_read(struct loading *l, double *ret)
{
    char what[200];
    struct value speed = rows_value(l->rows, l->f.performance);
    double number = value_as_number(&speed);
    if (number >= 0 && isfinite(number)) {
        *ret = number;
        return 0;
    }
    struct span text = rows_value_text(l->rows, l->f.performance);
    (void)snprintf(what, sizeof what, "performance (%.60s): %s" SPAN_FMT "%s",
                   l->mapping->performance, text.size > 0 ? "'" : "",
                   (int)(text.size > 60 ? 60 : text.size), text.data,
                   speed.is_by_zero              ? "divides by zero"
                   : speed.kind == VALUE_MISSING ? "is missing"
                   : speed.kind == VALUE_TEXT    ? "' is not a number"
                                                 : "' is below 0");
    rows_fault(l->rows, what);
    return -EINVAL;
}

static int on_row(void *arg, struct rows *rows)
{
    struct loading *l = arg;
    struct run run = { .id = "", .wanted = (uint32_t)l->wanted };
    if (row_is_dropped(l))
        return 0;
    if (time_read(l, &run.t_ns) < 0 || performance_read(l, &run.raw) < 0)
        return 0;
    run.clock_ns = mapping_clock(l->mapping, run.t_ns);
    if (l->f.id >= 0)
        run.id = arena_dup(&l->runs->arena, rows_value_text(rows, l->f.id));
    run.alike = alike_of(l);
    int rc = run.id ? set_of(l, &run.set) : -ENOMEM;
    return rc < 0 ? rc : run_add(l, &run);
}

/* ---- after the last row ---- */

static int set_order(const void *a, const void *b)
{
    const struct run_set *x = a;
    const struct run_set *y = b;
    int order = strcmp(x->group, y->group);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : (x->first > y->first) - (x->first < y->first);
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

/* Sets in the order of their groups and names; runs name them by place. */
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

/* A wanted job is not among those that it is held against. */
static void same_cut(struct runs *runs)
{
    for (size_t i = runs->count; i-- > 0 && runs->runs[i].wanted > 0;) {
        const struct run wanted = runs->runs[i];
        size_t kept = 0;
        for (size_t j = 0; j < runs->count; j++) {
            const struct run *run = &runs->runs[j];
            if (run->wanted > 0 || wanted.id[0] == '\0' || run->set != wanted.set ||
                strcmp(run->id, wanted.id) != 0)
                runs->runs[kept++] = *run;
        }
        i -= runs->count - kept;
        runs->count = kept;
    }
}

/* Runs are ordered by set and time. */
static void best_follow(struct runs *runs)
{
    double best = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->runs[i];
        if (i == 0 || run->set != runs->runs[i - 1].set)
            best = 0;
        run->best = fmax(best, run->raw);
        if (run->wanted == 0)
            best = run->best;
    }
}

static void window_cut(struct runs *runs, const struct mapping *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->runs[i];
        struct run_set *set = &runs->sets[run->set];
        run->fraction = set->best > 0 ? run->raw / set->best : 0;
        if (run->wanted == 0 && (run->t_ns < m->from_ns || run->t_ns >= m->to_ns)) {
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
    same_cut(runs);
    for (size_t i = 0; i < runs->count; i++) {
        struct run_set *set = &runs->sets[runs->runs[i].set];
        set->first = set->count = 0;
        if (runs->runs[i].wanted == 0)
            set->best = fmax(set->best, runs->runs[i].raw);
    }
    if (runs->count > 1)
        qsort(runs->runs, runs->count, sizeof *runs->runs, run_order);
    best_follow(runs);
    window_cut(runs, m);
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

static int load(struct loading *l, char *const *paths, size_t path_count,
                const struct runs_wanted *wanted, const struct runs_progress *progress,
                struct err *err)
{
    const struct rows_reader reader = { .row = on_row, .fault = on_fault, .arg = l };
    struct runs *runs = l->runs;
    int rc = rows_new(&l->mapping->columns, &l->mapping->sheet, &l->rows);
    if (rc == 0)
        rc = alike_choose(l);
    if (rc == 0)
        rc = formulas_add(l);
    if (rc < 0)
        return err_set(err, -rc, "the mapping: %s", strerror(-rc));
    rc = rows_join(l->rows, l->mapping, err);
    for (size_t i = 0; rc == 0 && i < path_count; i++) {
        rc = rows_read_file(l->rows, paths[i], &reader, err);
        if (rc == 0 && progress && progress->fn)
            progress->fn(progress->arg, i + 1, path_count);
    }
    if (rc == -EOVERFLOW)
        return err_set(
            err, EOVERFLOW,
            "more than %d sets of comparable runs: is a 'class' of the mapping "
            "another one in each run?",
            SETS_MAX);
    runs->double_values = rows_doubles(l->rows);
    for (size_t i = 0; rc == 0 && i < l->mapping->join_count; i++)
        runs->unjoined[i] = rows_unjoined(l->rows, i);
    if (rc == 0)
        rc = rows_check_names(l->rows, &l->optional, err);
    runs->rows = rows_count(l->rows);
    for (size_t i = 0; rc == 0 && wanted && i < wanted->count; i++) {
        l->wanted = i + 1;
        rc = rows_read_job(l->rows, wanted->jobs[i], path_count > 0 ? paths[0] : "",
                           &reader, err);
    }
    if (rc == 0 && (rc = runs_finish(runs, l->mapping)) < 0)
        (void)err_set(err, -rc, "out of memory");
    return rc;
}

int runs_load_wanted(const struct mapping *mapping, char *const *paths,
                     size_t path_count, const struct runs_wanted *wanted,
                     const struct runs_progress *progress, struct runs *ret,
                     struct err *err)
{
    struct runs runs = { 0 };
    struct loading l = { .mapping = mapping, .runs = &runs };
    runs.sets = calloc(SETS_MAX, sizeof *runs.sets);
    if (!runs.sets)
        return err_set(err, ENOMEM, "out of memory");
    arena_init(&runs.arena, 0);
    int rc = load(&l, paths, path_count, wanted, progress, err);
    hashmap_done(&l.sets);
    free(l.f.require);
    free(l.f.alike);
    if (mapping->alike.count == 0)
        free(l.alike.items);
    rows_free(l.rows);
    if (rc < 0) {
        runs_done(&runs);
        return rc;
    }
    *ret = runs;
    return 0;
}

int runs_load(const struct mapping *mapping, char *const *paths, size_t path_count,
              struct runs *ret, struct err *err)
{
    return runs_load_wanted(mapping, paths, path_count, NULL, NULL, ret, err);
}

int runs_require(const struct mapping *mapping, const struct runs *runs,
                 struct err *err)
{
    const char *drop = NULL;
    uint64_t most = 0;
    if (runs->count > 0)
        return 0;
    if (runs->rows == 0)
        return err_set(err, ENODATA, "the tables have no rows");
    for (size_t i = 0; i < mapping->drops.count; i++)
        if (runs->dropped[i] > most) {
            most = runs->dropped[i];
            drop = mapping->drops.items[i].name;
        }
    return err_set(
        err, ENODATA,
        "none of %llu rows is a run: %llu bad, %llu without a required value, "
        "%llu outside of from .. to%s%s%s%s%s",
        (unsigned long long)runs->rows, (unsigned long long)runs->bad_rows,
        (unsigned long long)runs->missing_rows, (unsigned long long)runs->outside_rows,
        drop ? ", most dropped by [drop " : "", drop ? drop : "", drop ? "]" : "",
        runs->fault_count > 0 ? "; " : "",
        runs->fault_count > 0 ? runs->faults[0] : "");
}

void runs_done(struct runs *runs)
{
    free(runs->runs);
    free(runs->sets);
    arena_done(&runs->arena);
    *runs = (struct runs){ 0 };
}
