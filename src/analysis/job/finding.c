/* SPDX-License-Identifier: Apache-2.0 */
/* finding - what may have cost a run its speed, in plain words, with its evidence. */
#include "analysis/job/finding.h"

#include "analysis/job/fabric.h"
#include "analysis/job/job_columns.h"
#include "analysis/stats/stats.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* ---- of the log ---- */

struct rule {
    const char *name;
    const char *words;
    enum profile_measure measure;
    double threshold;
};

static const struct rule rules[] = {
    { "small", "many reads and writes are below 1 MiB", PROFILE_SMALL_SHARE, 0.5 },
    { "unaligned", "many accesses begin or end inside a block of the file system",
      PROFILE_UNALIGNED_SHARE, 0.4 },
    { "random", "many accesses go back in the file", PROFILE_RANDOM_SHARE, 0.2 },
    { "imbalanced", "the slowest process took much longer than the mean",
      PROFILE_IMBALANCE, IO_TIME_SLOW_MIN },
    { "metadata-heavy", "much of the time went into opening, closing and looking up",
      PROFILE_META_SHARE, 0.1 },
    { "slow-target", "all files on one target were slow", PROFILE_SLOW_TARGET, 3 },
    { "stdio", "much went through buffered streams (fopen, fwrite)",
      PROFILE_STDIO_SHARE, 0.5 },
};

_Static_assert(COUNT_OF(rules) <= FINDINGS_MAX, "room for every rule");

static int by_excess(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    double left = x->value / x->threshold;
    double right = y->value / y->threshold;
    return (left < right) - (left > right);
}

/* Whether there is enough of what the measure is made of; *ret_n says how much. */
static bool is_enough(const struct profile *p, enum profile_measure measure,
                      uint64_t *ret_n)
{
    if (profile_term(measure)->is_timed) {
        double processes = p->values[PROFILE_PROCESSES];
        *ret_n = processes > 0 ? (uint64_t)processes : 0;
        return p->read_s + p->write_s + p->meta_s >= FINDING_IO_S_MIN;
    }
    if (measure == PROFILE_UNALIGNED_SHARE &&
        p->values[PROFILE_ACCESS] > FINDING_UNALIGNED_ACCESS_MAX)
        return false;
    *ret_n = p->accesses;
    return p->accesses >= FINDING_ACCESSES_MIN;
}

/* Among how many targets it was the slowest, and how seldom chance makes one so. */
static bool target_fill(const struct profile *p, struct finding *f)
{
    f->n = p->target.targets;
    f->n_word = "targets";
    f->p = p->target.p;
    f->which = p->target.ost;
    return f->p <= FINDING_TARGET_CHANCE_MAX;
}

size_t findings_make(const struct profile *p, struct finding *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        const struct rule *rule = &rules[i];
        const struct profile_term *term = profile_term(rule->measure);
        struct finding f = {
            .name = rule->name,
            .words = rule->words,
            .measure = rule->measure,
            .value = p->values[rule->measure],
            .threshold = rule->threshold,
            .kind = FINDING_OF_LOG,
            .evidence = term->name,
            .unit = "",
            .n_word = term->is_timed ? "processes" : "accesses",
            .p = NAN,
            .cost = p->costs[rule->measure],
            .which = rule->measure == PROFILE_IMBALANCE ? p->slowest_rank : -1,
        };
        if (!is_enough(p, f.measure, &f.n) || !(f.value > f.threshold))
            continue;
        if (f.measure == PROFILE_SLOW_TARGET && !target_fill(p, &f))
            continue;
        ret[count++] = f;
    }
    if (count > 0)
        qsort(ret, count, sizeof *ret, by_excess);
    return count;
}

/* ---- against a climate ---- */

static size_t measure_find(const struct mapping *mapping, const char *name)
{
    size_t i = 0;
    while (i < mapping->measures.count &&
           strcmp(mapping->measures.items[i].name, name) != 0)
        i++;
    return i;
}

/* Of the others of its class those that have the measure, and as much of it. */
static double chance_of(const struct finding_climate *c, size_t measure,
                        uint64_t *ret_others)
{
    const struct run_set *set = &c->runs->sets[c->run->set];
    double value = c->run->measures[measure];
    uint64_t others = 0;
    uint64_t as_much = 0;
    for (size_t i = set->first; i < set->first + set->count; i++) {
        const struct run *run = &c->runs->runs[i];
        if (run == c->run || run->wanted > 0 || isnan(run->measures[measure]))
            continue;
        others++;
        as_much += run->measures[measure] >= value;
    }
    *ret_others = others;
    return (1 + (double)as_much) / (1 + (double)others);
}

void findings_compare(const struct finding_climate *climate, struct finding *findings,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t measure = measure_find(climate->mapping, findings[i].evidence);
        if (measure < climate->mapping->measures.count &&
            !isnan(climate->run->measures[measure]))
            findings[i].p = chance_of(climate, measure, &findings[i].others);
    }
}

/* ---- what was around ---- */

/* evidence is what mappings call the measure.  Without a climate it is scale * column +
 * offset of a job's row; a threshold of NaN: then nothing is told, since what is usual
 * is too different from class to class (doc/measured/findings.md). */
struct around_rule {
    const char *name;
    const char *words;
    const char *evidence;
    const char *unit;
    const char *column;
    double scale, offset;
    double threshold;
    const char *n_column; /* NULL: n is not known */
    const char *n_word;
    const char *as_much_column; /* of the n others so many had as much: then p says */
    const char *who_column;
};

static const struct around_rule around_rules[] = {
    { "contention", "others moved much of what the file system moved meanwhile",
      "contention_bw", "", "coverage_factor_bw", -1, 1, 0.5, "fs_steps", "steps", NULL,
      NULL },
    { "contention-requests", "others made most of the file system's requests",
      "contention_ops", "", "coverage_factor_ops", -1, 1, NAN, "fs_steps", "steps",
      NULL, NULL },
    { "contention-opens", "others opened most of the files that were opened",
      "contention_opens", "", "coverage_factor_opens", -1, 1, NAN, "fs_steps", "steps",
      NULL, NULL },
    { "contention-stats", "others looked up most of what was looked up",
      "contention_stats", "", "coverage_factor_stats", -1, 1, NAN, "fs_steps", "steps",
      NULL, NULL },
    { "busy-servers", "the data servers were busy", "fs_ave_oss_cpu", "%",
      "fs_ave_oss_cpu", 1, 0, 70, "fs_steps", "steps", NULL, NULL },
    { "busy-metadata", "the metadata servers were busy", "fs_ave_mds_cpu", "%",
      "fs_ave_mds_cpu", 1, 0, 70, "fs_steps", "steps", NULL, NULL },
    { "full-target", "a target was nearly full when the job began",
      "fshealth_ost_most_full_pct", "%", "fshealth_ost_most_full_pct", 1, 0, 90,
      "fshealth_ost_count", "targets", NULL, NULL },
    { "overloaded-server", "servers had targets of others when the job began",
      "fshealth_ost_overloaded_oss_count", "", "fshealth_ost_overloaded_oss_count", 1,
      0, 1, "fshealth_ost_count", "targets", NULL, NULL },
    { "contention-fabric", "others on its fabric moved more than is usual for them",
      "fabric_times_usual", "x", "fabric_times_usual", 1, 0, 2, "fabric_other_days",
      "other days", "fabric_other_days_as_much", "fabric_file_systems" },
};

_Static_assert(COUNT_OF(around_rules) <= FINDINGS_MAX, "room for every rule");

static struct finding finding_of(const struct around_rule *rule, double value)
{
    return (struct finding){ .name = rule->name,
                             .words = rule->words,
                             .value = value,
                             .threshold = rule->threshold,
                             .kind = FINDING_AROUND,
                             .evidence = rule->evidence,
                             .unit = rule->unit,
                             .n_word = rule->n_word,
                             .p = NAN,
                             .cost = cost_unknown,
                             .which = -1 };
}

static double column_of(const struct job_context *context, const char *name)
{
    const struct job_column *column = context ? job_column_find(name) : NULL;
    struct scalar value =
        column ? job_column_get(column, context) : (struct scalar){ 0 };
    if (!value.is_told)
        return NAN;
    return column->type == SCALAR_I64 ? (double)value.i64 : value.dbl;
}

static const char *text_of(const struct job_context *context, const char *name)
{
    const struct job_column *column = context && name ? job_column_find(name) : NULL;
    struct scalar value =
        column ? job_column_get(column, context) : (struct scalar){ 0 };
    return value.is_told ? value.text.data : NULL;
}

static uint64_t n_of(const struct job_context *context, const struct around_rule *rule)
{
    if (!context)
        return 0;
    bool is_steps = strcmp(rule->n_column, "fs_steps") == 0;
    double n =
        is_steps ? job_context_steps(context) : column_of(context, rule->n_column);
    return n > 0 && n < 1e15 ? (uint64_t)n : 0;
}

/* A coverage of more than everything says that the monitoring is broken, not that
 * nobody else was there: nothing is told of it. */
static size_t around_by_threshold(const struct job_context *context,
                                  struct finding *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(around_rules); i++) {
        const struct around_rule *rule = &around_rules[i];
        double value = rule->scale * column_of(context, rule->column) + rule->offset;
        if (!(value > rule->threshold))
            continue;
        struct finding f = finding_of(rule, value);
        f.n = n_of(context, rule);
        f.who = text_of(context, rule->who_column);
        if (rule->as_much_column) {
            f.others = f.n;
            double as_much = column_of(context, rule->as_much_column);
            f.p = as_much >= 0 ? fabric_chance((size_t)as_much, f.n) : NAN;
            if (!(f.p <= FINDING_CHANCE_MAX))
                continue;
        }
        ret[count++] = f;
    }
    if (count > 0)
        qsort(ret, count, sizeof *ret, by_excess);
    return count;
}

static bool is_slow(const struct finding_climate *c)
{
    const struct run_set *set = &c->runs->sets[c->run->set];
    size_t others = 0;
    size_t slower = 0;
    for (size_t i = set->first; i < set->first + set->count; i++) {
        const struct run *run = &c->runs->runs[i];
        if (run == c->run || run->wanted > 0)
            continue;
        others++;
        slower += run->raw <= c->run->raw;
    }
    return (double)slower < FINDING_SLOW_SHARE * (double)others;
}

static int by_chance(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

/* What the class has a measure of, with its p.  Returns how many; *ret_is_able: at
 * least one could be rare enough to be told. */
static size_t around_ask(const struct finding_climate *c, struct finding *ret,
                         bool *ret_is_able)
{
    size_t count = 0;
    bool is_able = false;
    for (size_t i = 0; i < COUNT_OF(around_rules); i++) {
        size_t measure = measure_find(c->mapping, around_rules[i].evidence);
        if (measure == c->mapping->measures.count || isnan(c->run->measures[measure]))
            continue;
        ret[count] = finding_of(&around_rules[i], c->run->measures[measure]);
        ret[count].threshold = NAN;
        ret[count].p = chance_of(c, measure, &ret[count].others);
        count++;
    }
    for (size_t i = 0; i < count; i++)
        is_able |= (double)count <= FINDING_CHANCE_MAX * (1 + (double)ret[i].others);
    *ret_is_able = is_able;
    return count;
}

/* What it is made of, where the row knows it. */
static void n_fill(const struct job_context *context, struct finding *f)
{
    for (size_t i = 0; i < COUNT_OF(around_rules); i++)
        if (around_rules[i].name == f->name) {
            f->n = n_of(context, &around_rules[i]);
            f->who = text_of(context, around_rules[i].who_column);
        }
}

size_t findings_make_around(const struct job_context *context,
                            const struct finding_climate *climate, struct finding *ret)
{
    struct finding asked[COUNT_OF(around_rules)];
    bool is_able = false;
    size_t asked_count = climate ? around_ask(climate, asked, &is_able) : 0;
    size_t count = 0;
    if (!is_able)
        return around_by_threshold(context, ret);
    if (!is_slow(climate))
        return 0;
    for (size_t i = 0; i < asked_count; i++)
        if (asked[i].p * (double)asked_count <= FINDING_CHANCE_MAX) {
            ret[count] = asked[i];
            n_fill(context, &ret[count++]);
        }
    if (count > 0)
        qsort(ret, count, sizeof *ret, by_chance);
    return count;
}

/* ---- crowded targets ---- */

/* An MDT's crowd is felt in metadata, and an OST's in the files there: at most all of
 * that time, unless it is the target that was slow. */
static struct cost crowd_cost(const struct server_target *t, const struct profile *p)
{
    struct cost meta = p->costs[PROFILE_META_SHARE];
    if (t->is_mdt)
        return cost_is_known(&meta) ? cost_between(0, meta.high_s, COST_ALONE) : meta;
    if (t->index >= 0 && t->index == p->target.ost && p->target.ratio > 1)
        return p->costs[PROFILE_SLOW_TARGET];
    for (size_t i = 0; i < p->target_count; i++)
        if (p->targets[i].ost == t->index)
            return cost_between(0, fmin(p->targets[i].most_s, p->io.high_s),
                                COST_ALONE);
    return cost_unknown;
}

size_t findings_make_crowded(const struct job_servers *servers, const struct profile *p,
                             struct finding *ret)
{
    const struct server_target *t = servers->targets;
    if (servers->target_count == 0 || !t->is_crowded)
        return 0;
    *ret = (struct finding){
        .name = "crowded-target",
        .words = "others crowded one of its targets",
        .value = t->crowd,
        .threshold = JOB_SERVERS_CROWDED_MIN,
        .n = servers->kind_count[t->is_mdt],
        .kind = FINDING_CROWDED,
        .evidence = "times_median",
        .unit = "",
        .n_word = t->is_mdt ? "MDTs" : "OSTs",
        .p = NAN,
        .cost = crowd_cost(t, p),
        .which = t->is_mdt ? -1 : t->index,
        .crowded = t,
    };
    return 1;
}

/* ---- what the class says of costs ---- */

/* The fractions of the others of its class, sorted; NULL: too few. */
static double *fractions_of(const struct finding_climate *c, size_t *ret_count)
{
    const struct run_set *set = &c->runs->sets[c->run->set];
    double *fractions = calloc(set->count + 1, sizeof *fractions);
    size_t count = 0;
    for (size_t i = set->first; fractions && i < set->first + set->count; i++)
        if (&c->runs->runs[i] != c->run && c->runs->runs[i].wanted == 0)
            fractions[count++] = c->runs->runs[i].fraction;
    *ret_count = numbers_sort(fractions, count);
    if (*ret_count >= STANDING_OTHERS_MIN)
        return fractions;
    free(fractions);
    return NULL;
}

struct cost finding_excess(const struct finding_climate *climate,
                           const struct profile *p)
{
    size_t count = 0;
    if (!cost_is_known(&p->io) || !(climate->run->fraction > 0))
        return cost_unknown;
    AUTO_FREE double *fractions = fractions_of(climate, &count);
    if (!fractions)
        return cost_unknown;
    double slow = quantile(fractions, count, 0.25);
    double quick = quantile(fractions, count, 0.75);
    return cost_between(p->io.high_s * (1 - climate->run->fraction / slow),
                        p->io.high_s * (1 - climate->run->fraction / quick),
                        COST_CLASS);
}

void findings_weigh(const struct finding_climate *climate, const struct profile *p,
                    struct finding *findings, size_t count)
{
    struct cost excess = finding_excess(climate, p);
    double lack = p->io.high_s * (1 - climate->run->fraction);
    for (size_t i = 0; i < count; i++) {
        struct finding *f = &findings[i];
        bool is_access =
            f->kind == FINDING_OF_LOG && cost_is_known(&f->cost) &&
            (f->cost.reason == COST_OTHERWISE || f->cost.reason == COST_MIXED);
        if (f->kind == FINDING_AROUND && cost_is_known(&excess))
            f->cost = cost_between(0, excess.high_s, COST_EXCESS);
        else if (is_access && lack < f->cost.high_s)
            f->cost = cost_between(0, lack, COST_BEST);
    }
}

/* ---- order ---- */

static struct finding *finding_find(struct finding *findings, size_t count,
                                    const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].name, name) == 0)
            return &findings[i];
    return NULL;
}

/* Small accesses end inside blocks; a slow target makes its processes slow; a crowd
 * makes its target slow. */
static void because_find(struct finding *findings, size_t count)
{
    struct finding *small = finding_find(findings, count, "small");
    struct finding *unaligned = finding_find(findings, count, "unaligned");
    struct finding *slow = finding_find(findings, count, "slow-target");
    struct finding *imbalanced = finding_find(findings, count, "imbalanced");
    struct finding *crowded = finding_find(findings, count, "crowded-target");
    if (small && unaligned)
        unaligned->because = small->name;
    if (slow && imbalanced &&
        cost_middle(&slow->cost) >= cost_middle(&imbalanced->cost) / 2)
        imbalanced->because = slow->name;
    if (slow && crowded && crowded->which >= 0 && crowded->which == slow->which)
        slow->because = crowded->name;
}

/* Where the data say as much of both, what others did comes first: that is told only
 * where it is rare, while accesses are as they are in every run of a program. */
static bool is_behind(const struct finding *a, const struct finding *b)
{
    double left = cost_middle(&a->cost);
    double right = cost_middle(&b->cost);
    bool is_tie = fabs(left - right) <= 0.05 * fmax(left, right);
    if (is_tie && a->kind != b->kind && left > 0)
        return a->kind == FINDING_OF_LOG;
    return left < right;
}

/* Those that follow from another one come after it, and after what else does. */
static size_t followers_move(struct finding *ret, size_t count,
                             const struct finding *sorted, size_t sorted_count,
                             const char *because)
{
    for (size_t i = 0; i < sorted_count; i++) {
        bool is_here =
            because ? sorted[i].because && strcmp(sorted[i].because, because) == 0
                    : !sorted[i].because;
        if (!is_here)
            continue;
        ret[count++] = sorted[i];
        count = followers_move(ret, count, sorted, sorted_count, sorted[i].name);
    }
    return count;
}

void findings_order(struct finding *findings, size_t count)
{
    struct finding sorted[FINDINGS_ALL_MAX];
    because_find(findings, count);
    for (size_t i = 0; i < count; i++) { /* few: by insertion, so that ties stay */
        size_t at = i;
        for (; at > 0 && is_behind(&sorted[at - 1], &findings[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = findings[i];
    }
    (void)followers_move(findings, 0, sorted, count, NULL);
}
