/* SPDX-License-Identifier: Apache-2.0 */
/* finding - what may have cost a run its speed, with its evidence. */
#include "analysis/job/finding.h"

#include "analysis/stats/stats.h"
#include "analysis/weather/weather.h"
#include "base/cleanup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 1e15 /* a larger one is no count of anything */

static int by_excess(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    double left = x->value / x->threshold;
    double right = y->value / y->threshold;
    return (left < right) - (left > right);
}

struct finding finding_of(const struct finding_rule *rule, double value)
{
    return (struct finding){ .rule = rule,
                             .name = rule->name,
                             .text = rule->text,
                             .measure = rule->measure,
                             .value = value,
                             .threshold = rule->threshold,
                             .kind = rule->kind,
                             .evidence = rule->evidence,
                             .unit = rule->unit,
                             .n_word = rule->n_word,
                             .p = NAN,
                             .cost = cost_unknown,
                             .which = -1 };
}

/* ---- of the log ---- */

/* Whether there is enough of what the measure is made of; *ret_n says how much. */
static bool is_enough(const struct profile *p, enum profile_measure measure,
                      uint64_t *ret_n)
{
    if (profile_term(measure)->is_timed) {
        double processes = p->values[PROFILE_PROCESSES];
        *ret_n = processes > 0 ? (uint64_t)processes : 0;
        if (measure == PROFILE_META_RANK && p->slowest_rank < 0)
            return false;
        return p->io.reason != COST_THREADS &&
               p->read_s + p->write_s + p->meta_s >= FINDING_IO_S_MIN;
    }
    if (measure == PROFILE_UNALIGNED_SHARE &&
        p->values[PROFILE_ACCESS] > FINDING_UNALIGNED_ACCESS_MAX)
        return false;
    *ret_n = p->accesses;
    return p->accesses >= FINDING_ACCESSES_MIN;
}

/* The modules without which the measure would be of a part of the run. */
static uint32_t modules_of(enum profile_measure measure)
{
    switch (measure) {
    case PROFILE_SMALL_SHARE:
    case PROFILE_UNALIGNED_SHARE:
    case PROFILE_RANDOM_SHARE:
        return LOG_BIT(DARSHAN_POSIX);
    case PROFILE_STRIPES:
    case PROFILE_SLOW_TARGET:
        return LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_LUSTRE);
    case PROFILE_ONE_STRIPE:
        return LOG_BIT(DARSHAN_MPIIO) | LOG_BIT(DARSHAN_LUSTRE);
    default:
        return LOG_BITS_IO;
    }
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

/* Whether its files are many, and calls for each so slow that the layout is why. */
static bool stripes_fill(const struct profile *p, struct finding *f)
{
    double files = p->values[PROFILE_FILES];
    double call_s = p->meta_s / (files * p->values[PROFILE_META_CALLS]);
    f->n = files > 0 && files < COUNT_MAX ? (uint64_t)files : 0;
    f->n_word = "files";
    return files >= FINDING_WIDE_FILES_MIN && call_s >= FINDING_WIDE_CALL_S_MIN &&
           p->values[PROFILE_META_SHARE] > 0.1 &&
           p->read_s + p->write_s + p->meta_s >= FINDING_IO_S_MIN;
}

/* It moved no more than the others: then its files, or where it ran, were slow. */
static bool is_even_work(const struct profile *p)
{
    return p->slowest_bytes > 0 && p->slowest_bytes < FINDING_UNEVEN_MIN &&
           !(p->values[PROFILE_META_RANK] > 0.5);
}

static struct finding of_log(const struct finding_rule *rule, const struct profile *p)
{
    const struct profile_term *term = profile_term(rule->measure);
    struct finding f = finding_of(rule, p->values[rule->measure]);
    f.evidence = term->name;
    f.unit = "";
    f.n_word = term->is_timed ? "processes" : "accesses";
    f.cost = p->costs[rule->measure];
    bool is_of_slowest =
        rule->measure == PROFILE_IMBALANCE || rule->measure == PROFILE_META_RANK;
    f.which = is_of_slowest ? p->slowest_rank : -1;
    return f;
}

size_t findings_make(const struct profile *p, struct finding *ret)
{
    size_t count = 0;
    for (size_t i = 0; !p->doubt && i < finding_rule_count; i++) {
        const struct finding_rule *rule = &finding_rules[i];
        if (rule->kind != FINDING_OF_LOG)
            continue;
        if (log_gaps_lacking(&p->gaps) & modules_of(rule->measure))
            continue;
        struct finding f = of_log(rule, p);
        if (!is_enough(p, f.measure, &f.n) || !(f.value > f.threshold))
            continue;
        if (f.measure == PROFILE_IMBALANCE && is_even_work(p) != rule->is_of_even_work)
            continue;
        if (f.measure == PROFILE_SLOW_TARGET && !target_fill(p, &f))
            continue;
        if (f.measure == PROFILE_STRIPES && !stripes_fill(p, &f))
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

/* ---- what was around ---- */

/* What the value is made of, where the context knows it. */
static void context_fill(const struct job_context *context, struct finding *f)
{
    const struct finding_rule *rule = f->rule;
    double n = context && rule->n ? rule->n(context) : NAN;
    f->n = n > 0 && n < COUNT_MAX ? (uint64_t)n : 0;
    f->who = context && rule->who ? rule->who(context) : NULL;
}

/* Of the n others as_much had as much: whether that is rare. */
static bool is_rare(const struct job_context *context, struct finding *f)
{
    double as_much = f->rule->as_much(context);
    f->others = f->n;
    f->p = as_much >= 0 ? fabric_chance((size_t)as_much, f->n) : NAN;
    return f->p <= FINDING_CHANCE_MAX;
}

/* Others are in the way of a job that does something itself. */
static bool is_felt(const struct finding_rule *rule, double value)
{
    bool is_share = value > 0 && value <= 1;
    return strncmp(rule->evidence, "contention_", strlen("contention_")) != 0 ||
           !is_share || value <= FINDING_CONTENTION_MAX;
}

/* A coverage of more than everything says that the monitoring is broken, not that
 * the job was alone: no finding comes of it. */
static size_t around_by_threshold(const struct job_context *context,
                                  struct finding *ret)
{
    size_t count = 0;
    for (size_t i = 0; context && i < finding_rule_count; i++) {
        const struct finding_rule *rule = &finding_rules[i];
        if (rule->kind != FINDING_AROUND)
            continue;
        struct finding f = finding_of(rule, rule->value(context));
        if (!(f.value > f.threshold) || !is_felt(rule, f.value))
            continue;
        context_fill(context, &f);
        if (!rule->as_much || is_rare(context, &f))
            ret[count++] = f;
    }
    if (count > 0)
        qsort(ret, count, sizeof *ret, by_excess);
    return count;
}

static int by_chance(const void *a, const void *b)
{
    const struct finding *x = a;
    const struct finding *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

/* What the class has a measure of, with its p.  Returns how many; *ret_is_able: at
 * least one could be rare enough to be reported. */
static size_t around_by_class(const struct finding_climate *c, struct finding *ret,
                              bool *ret_is_able)
{
    size_t count = 0;
    bool is_able = false;
    for (size_t i = 0; i < finding_rule_count; i++) {
        const struct finding_rule *rule = &finding_rules[i];
        if (rule->kind != FINDING_AROUND)
            continue;
        size_t measure = measure_find(c->mapping, rule->evidence);
        if (measure == c->mapping->measures.count || isnan(c->run->measures[measure]) ||
            !is_felt(rule, c->run->measures[measure]))
            continue;
        ret[count] = finding_of(rule, c->run->measures[measure]);
        ret[count].threshold = NAN;
        ret[count].p = chance_of(c, measure, &ret[count].others);
        count++;
    }
    for (size_t i = 0; i < count; i++)
        is_able |= (double)count <= FINDING_CHANCE_MAX * (1 + (double)ret[i].others);
    *ret_is_able = is_able;
    return count;
}

size_t findings_make_around(const struct job_context *context,
                            const struct finding_climate *climate, struct finding *ret)
{
    struct finding known[FINDINGS_MAX];
    bool is_able = false;
    size_t known_count = climate ? around_by_class(climate, known, &is_able) : 0;
    size_t count = 0;
    if (!is_able)
        return around_by_threshold(context, ret);
    if (!is_slow(climate))
        return 0;
    for (size_t i = 0; i < known_count; i++)
        if (known[i].p * (double)known_count <= FINDING_CHANCE_MAX) {
            ret[count] = known[i];
            context_fill(context, &ret[count++]);
        }
    if (count > 0)
        qsort(ret, count, sizeof *ret, by_chance);
    return count;
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
    if (*ret_count >= PERCENTILE_OTHERS_MIN)
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

bool finding_is_by_climate(const struct finding *f)
{
    return f->kind == FINDING_AROUND && isnan(f->threshold);
}

bool finding_is_usual(const struct finding *finding)
{
    return finding->rule && finding->rule->is_usual && isnan(finding->p) &&
           !cost_is_known(&finding->cost);
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

static void because_find(struct finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct finding_rule *rule = finding_rule_find(findings[i].name);
        for (size_t c = 0; rule && c < FINDING_CAUSES_MAX && !findings[i].because;
             c++) {
            const char *name = rule->because[c];
            const struct finding *cause =
                name ? finding_find(findings, count, name) : NULL;
            if (cause &&
                (!rule->is_explained || rule->is_explained(cause, &findings[i])))
                findings[i].because = cause->name;
        }
    }
}

/* Where the data say as much of both, what others did comes first: that is reported
 * only where it is rare, while accesses are as they are in every run of a program. */
static bool is_behind(const struct finding *a, const struct finding *b)
{
    double left = cost_middle(&a->cost);
    double right = cost_middle(&b->cost);
    if (finding_is_usual(a) != finding_is_usual(b))
        return finding_is_usual(a);
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
    struct finding sorted[FINDINGS_MAX];
    because_find(findings, count);
    for (size_t i = 0; i < count; i++) { /* few: by insertion, so that ties stay */
        size_t at = i;
        for (; at > 0 && is_behind(&sorted[at - 1], &findings[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = findings[i];
    }
    (void)followers_move(findings, 0, sorted, count, NULL);
}
