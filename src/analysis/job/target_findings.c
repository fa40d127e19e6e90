/* SPDX-License-Identifier: Apache-2.0 */
/* target_findings - what the state of targets means for a job that used them. */
#include "analysis/job/target_findings.h"

#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <string.h>

/* ---- which targets it used, and what its files there cost ---- */

enum target_use {
    USE_UNKNOWN = -1,
    USE_NONE,
    USE_SOME,
};

/* By its log; of a log without layouts that is not known. */
static enum target_use use_of_log(const struct profile *run, int64_t ost)
{
    if (!run)
        return USE_UNKNOWN;
    for (size_t i = 0; i < run->target_count; i++)
        if (run->targets[i].ost == ost)
            return USE_SOME;
    if (ost < SLOW_TARGET_OSTS_MAX && profile_has_ost(run, (size_t)ost))
        return USE_SOME;
    bool is_lacking = log_gaps_lacking(&run->gaps) & LOG_BIT(DARSHAN_LUSTRE);
    return run->has_osts && !is_lacking ? USE_NONE : USE_UNKNOWN;
}

static enum target_use use_of_servers(const struct job_servers *servers, int64_t ost)
{
    enum target_use use = USE_UNKNOWN;
    for (size_t i = 0; servers && i < servers->target_count; i++) {
        const struct server_target *t = &servers->targets[i];
        if (t->is_mdt || t->index < 0)
            continue;
        use = USE_NONE;
        if (t->index == ost && t->own.written_bytes + t->own.read_bytes > 0)
            return USE_SOME;
    }
    return use;
}

/* A log has the files of one program, rows all that the job moved. */
static enum target_use use_of(const struct target_evidence *e, int64_t ost)
{
    enum target_use by_rows = ost < 0 ? USE_UNKNOWN : use_of_servers(e->servers, ost);
    enum target_use by_log = ost < 0 ? USE_UNKNOWN : use_of_log(e->run, ost);
    if (by_rows == USE_SOME || by_log == USE_SOME)
        return USE_SOME;
    return by_rows == USE_UNKNOWN ? by_log : by_rows;
}

struct cost target_cost(const struct profile *run, int64_t ost)
{
    if (ost >= 0 && ost == run->target.ost && run->target.ratio > 1)
        return run->costs[PROFILE_SLOW_TARGET];
    double most_s = run->io.high_s;
    bool is_there = !run->has_osts || (ost >= 0 && ost < SLOW_TARGET_OSTS_MAX &&
                                       profile_has_ost(run, (size_t)ost));
    for (size_t i = 0; i < run->target_count; i++) {
        if (run->targets[i].ost != ost)
            continue;
        most_s = fmin(run->targets[i].most_s, most_s);
        is_there = true;
    }
    if (!is_there)
        return cost_unknown;
    return cost_between(0, most_s, COST_ALONE);
}

/* ---- full ---- */

struct fullest {
    int64_t index; /* below 0: none is known */
    double pct;
};

static void fullest_note(const struct target_evidence *e, int64_t index, double pct,
                         struct fullest *best)
{
    if (!isnan(pct) && use_of(e, index) == USE_SOME &&
        (best->index < 0 || pct > best->pct))
        *best = (struct fullest){ index, pct };
}

/* "OST000d:99.0 OST000f:97.5" */
static void fullest_of_health(const struct target_evidence *e, struct fullest *best)
{
    const char *list = e->context ? e->context->health.full_targets : NULL;
    struct span rest = span_of(list ? list : ""), word, name;
    while (rest.size > 0) {
        struct target_name parts;
        double pct = 0;
        (void)span_cut(&rest, ' ', &word);
        if (span_cut(&word, ':', &name) && target_parse(name, &parts) == 0 &&
            number_parse_double(word, &pct) == 0)
            fullest_note(e, parts.index, pct, best);
    }
}

/* The fullest of those that it used: by the servers' totals, else by health. */
static struct fullest own_fullest(const struct target_evidence *e)
{
    struct fullest best = { -1, NAN };
    for (size_t i = 0; e->targets && i < e->targets->count; i++)
        if (!e->targets->items[i].is_mdt)
            fullest_note(e, e->targets->items[i].index, e->targets->items[i].used_pct,
                         &best);
    if (best.index < 0)
        fullest_of_health(e, &best);
    return best;
}

/* Without any of its own the fullest of all, which it may have used. */
static void full_target_fill(const struct target_evidence *e, struct fullest own,
                             struct finding *f)
{
    f->which = own.index >= 0 ? own.index
               : e->context   ? e->context->health.fullest.index
                              : -1;
    if (own.index >= 0)
        f->value = own.pct;
}

static bool full_target_stays(const struct target_evidence *e, struct finding *f)
{
    if (!(f->value > f->threshold) || use_of(e, f->which) == USE_NONE)
        return false;
    if (f->which >= 0 && e->run && cost_is_known(&e->run->io))
        f->cost = target_cost(e->run, f->which);
    return true;
}

static uint64_t osts_count(const struct job_targets *targets)
{
    uint64_t count = 0;
    for (size_t i = 0; i < targets->count; i++)
        count += !targets->items[i].is_mdt && !isnan(targets->items[i].used_pct);
    return count;
}

size_t findings_locate(const struct target_evidence *evidence, struct finding *findings,
                       size_t count)
{
    const struct finding_rule *rule = finding_rule_find("full-target");
    const struct fullest own = own_fullest(evidence);
    bool is_there = false;
    size_t stay = 0;
    for (size_t i = 0; i < count; i++) {
        struct finding *f = &findings[i];
        if (f->rule == rule) {
            is_there = true;
            full_target_fill(evidence, own, f);
            if (!full_target_stays(evidence, f))
                continue;
        }
        findings[stay++] = *f;
    }
    if (is_there || own.index < 0 || stay == FINDINGS_MAX)
        return stay;
    struct finding f = finding_of(rule, own.pct);
    full_target_fill(evidence, own, &f);
    f.n = evidence->targets ? osts_count(evidence->targets) : 0;
    if (full_target_stays(evidence, &f))
        findings[stay++] = f;
    return stay;
}

/* ---- moved to another server ---- */

struct failover {
    const char *names[FAILOVER_NAMED]; /* the first of them */
    size_t count;
    const char *from, *to;
    int64_t last_s, first_s; /* JOB_I64_NONE: not known */
    int64_t which;           /* its first OST */
    bool is_used;            /* the job is known to have used one */
    double files_s;          /* at most so long it was in I/O there; NaN: not known */
};

/* Those that moved as the first one did are one failover. */
static void failover_add(const struct target_evidence *e, const struct job_target *t,
                         struct failover *f)
{
    bool is_first = f->count == 0 || t->last_s < f->last_s;
    bool is_used = use_of(e, t->index) == USE_SOME;
    const struct profile *run = e->run;
    if (f->count < FAILOVER_NAMED)
        f->names[f->count] = t->name;
    f->which = f->count == 0 ? t->index : f->which;
    f->count++;
    f->is_used = f->is_used || is_used;
    if (is_first) {
        f->from = t->from;
        f->to = t->to;
        f->last_s = t->last_s;
    }
    f->first_s = f->count == 1 || t->first_s > f->first_s ? t->first_s : f->first_s;
    if (run && cost_is_known(&run->io))
        f->files_s = fmax(f->files_s, target_cost(run, t->index).high_s);
}

static bool failover_of_totals(const struct target_evidence *e, struct failover *ret)
{
    const struct job_target *first = NULL;
    for (size_t i = 0; e->targets && i < e->targets->count; i++) {
        const struct job_target *t = &e->targets->items[i];
        bool is_its = !t->is_mdt && t->from && use_of(e, t->index) != USE_NONE;
        if (is_its && (!first || t->last_s < first->last_s))
            first = t;
    }
    for (size_t i = 0; first && i < e->targets->count; i++) {
        const struct job_target *t = &e->targets->items[i];
        bool is_with_first = !t->is_mdt && t->from &&
                             strcmp(t->from, first->from) == 0 &&
                             strcmp(t->to, first->to) == 0;
        if (is_with_first && use_of(e, t->index) != USE_NONE)
            failover_add(e, t, ret);
    }
    return first != NULL;
}

/* Readings name those that moved; by the layouts the job used one of them. */
static bool failover_of_health(const struct target_evidence *e, struct failover *ret)
{
    const struct job_health *h = e->context ? &e->context->health : NULL;
    if (!h || !(h->moved_count > 0) || !h->moved_targets || !h->moved_from ||
        !h->moved_to)
        return false;
    struct span rest = span_of(h->moved_targets), name;
    while (rest.size > 0) {
        struct target_name parts;
        (void)span_cut(&rest, ' ', &name);
        if (target_parse(name, &parts) < 0 || parts.kind != TARGET_OST ||
            use_of(e, parts.index) != USE_SOME)
            continue;
        ret->is_used = true;
        ret->which = parts.index;
        break;
    }
    ret->names[0] = h->moved_targets;
    ret->count = (size_t)h->moved_count;
    ret->from = h->moved_from;
    ret->to = h->moved_to;
    ret->last_s = JOB_I64_NONE;
    ret->first_s = h->moved_s;
    if (e->run && cost_is_known(&e->run->io))
        ret->files_s = e->run->io.high_s;
    return ret->is_used;
}

/* "a b c and 2 more from oss02 to oss01, away between T and T" */
static void failover_print(const struct failover *f, char text[FAILOVER_TEXT_BYTES])
{
    char last[TIMETEXT_SIZE], first[TIMETEXT_SIZE];
    bool is_of_health = f->last_s == JOB_I64_NONE;
    size_t named = is_of_health                ? 1
                   : f->count < FAILOVER_NAMED ? f->count
                                               : FAILOVER_NAMED;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < named; i++)
        strbuf_addf(&out, "%s%.160s", i > 0 ? " " : "", f->names[i]);
    if (!is_of_health && f->count > named)
        strbuf_addf(&out, " and %zu more", f->count - named);
    strbuf_addf(&out, " from %.40s to %.40s", f->from, f->to);
    (void)timetext_print(first, f->first_s * NS_PER_S);
    if (is_of_health) {
        strbuf_addf(&out, " by %s", first);
    } else {
        (void)timetext_print(last, f->last_s * NS_PER_S);
        strbuf_addf(&out, " between %s and %s", last, first);
    }
    (void)snprintf(text, FAILOVER_TEXT_BYTES, "%s",
                   strbuf_error(&out) < 0 ? "" : strbuf_text(&out));
}

/* An access that lasted about as long as no server had the target waited for it. */
static double hang_seconds(const struct target_evidence *e, double away_s)
{
    double longest_s = e->run ? e->run->longest_s : NAN;
    bool is_hang = longest_s >= FAILOVER_HANG_S_MIN &&
                   longest_s >= FAILOVER_HANG_SHARE * away_s &&
                   longest_s <= away_s + FAILOVER_HANG_S_MIN;
    return is_hang ? longest_s : 0;
}

size_t findings_make_failover(const struct target_evidence *evidence,
                              char text[static FAILOVER_TEXT_BYTES],
                              struct finding *ret)
{
    struct failover f = { .which = -1, .last_s = JOB_I64_NONE, .files_s = NAN };
    if (!failover_of_totals(evidence, &f) && !failover_of_health(evidence, &f))
        return 0;
    bool is_timed = f.last_s != JOB_I64_NONE;
    double away_s = is_timed ? (double)(f.first_s - f.last_s) : NAN;
    double hang_s = hang_seconds(evidence, away_s);
    if (!f.is_used && !(hang_s > 0))
        return 0;
    failover_print(&f, text);
    *ret = finding_of(finding_rule_find("failover"), away_s);
    ret->n = f.count;
    ret->which = f.which;
    ret->who = text;
    ret->cost = !isnan(f.files_s)
                    ? cost_between(fmin(hang_s, f.files_s), f.files_s, COST_AWAY)
                : evidence->run ? cost_unknown
                                : cost_between(0, away_s, COST_AWAY);
    return 1;
}
