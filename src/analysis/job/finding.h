/* SPDX-License-Identifier: Apache-2.0 */
/* finding - what may have cost a run its speed, in plain words, with its evidence.
 *
 *     profile ──▶ how it did its I/O: beyond a threshold
 *     context ──▶ what was around it: neighbours, servers, targets
 *     climate ──▶ how unusual that is for a run of its class: p
 *
 * The thresholds are rules of thumb: a share of accesses counts only where there are
 * FINDING_ACCESSES_MIN of them, anything timed only where the run did FINDING_IO_S_MIN
 * seconds of I/O.  With a climate there is no threshold for what was around a run: it
 * is reported of a run slower than three quarters of its class when so few of the
 * others had as much of it that chance gives any such finding to FINDING_CHANCE_MAX of
 * the slow runs at most (Bonferroni over what was asked).  doc/measured/findings.md has
 * how often that is false.
 *
 * Each has what it cost the run, in seconds, as far as the data tell (cost); they are
 * ordered by the middle of that, those of unknown cost last.  One that another explains
 * stands behind it and says so.
 */
#ifndef ANALYSIS_JOB_FINDING_H
#define ANALYSIS_JOB_FINDING_H

#include "analysis/climate/climate.h"
#include "analysis/job/cost.h"
#include "analysis/job/finding_rule.h"
#include "analysis/job/job_context.h"
#include "analysis/job/job_servers.h"
#include "analysis/job/profile.h"

#define FINDING_ACCESSES_MIN 1000
#define FINDING_IO_S_MIN 1.0
#define FINDING_CHANCE_MAX 0.10
#define FINDING_SLOW_SHARE 0.25
#define FINDING_UNEVEN_MIN 1.5 /* times the mean of bytes: a process with more work */
#define FINDING_TARGET_CHANCE_MAX 0.10 /* p of a slow target */
/* Of accesses that are longer in the mean the blocks at their ends are few. */
#define FINDING_UNALIGNED_ACCESS_MAX 1048576.0
/* Striping costs so many files, of which a call for metadata takes longer. */
#define FINDING_WIDE_FILES_MIN 500
#define FINDING_WIDE_CALL_S_MIN 0.002
/* A job that had so little of what the file system did, its share being the rest, met
 * no contention that could be measured: it hardly did I/O. */
#define FINDING_CONTENTION_MAX 0.99
/* A run that spent less of its time in I/O was not slow for its I/O. */
#define FINDING_IO_SHARE_MIN 0.05
#define FINDINGS_MAX 32 /* of one run: as many as there are rules, at most */

/* As measured; a test holds it against doc/measured/findings.md. */
#define FINDING_RATES                                                               \
    "The false-positive rate, measured (doc/measured/findings.md): of 3003 slow\n"  \
    "runs of the SC18 study, each with the weather of another run of its class,\n"  \
    "5.8 % (5.0 to 6.5 %) had a finding against the climate, 15.2 % (14.2 to\n"     \
    "16.2 %) one by thresholds; of 500 generated logs without a fault 0.0 % (0.0\n" \
    "to 0.8 %) had a finding of the log."

struct finding {
    const struct finding_rule *rule; /* which it is of; all texts below are its */
    const char *name;                /* "small": for programs */
    const char *text;
    enum profile_measure measure; /* the evidence, of the log's */
    double value;
    double threshold; /* NaN: reported by its p */
    uint64_t n;       /* accesses, processes, steps, targets: what value is made of */
    enum finding_kind kind;
    const char *evidence; /* its name: a measure of profiles or of mappings */
    const char *unit;     /* "%" of percent, "" of a share and of a count */
    const char *n_word;   /* what n counts: "accesses" */
    const char *who;      /* whose doing it is, of the context; NULL: not reported */
    double p;             /* one-sided, of as much or more among others; NaN: unknown */
    uint64_t others;      /* that p is made of; 0: deals of the files to targets */
    struct cost cost;
    int64_t which; /* the OST of slow-target, the rank of imbalanced; -1: unknown */
    const struct server_target *contended; /* of contended-target; NULL: another one */
    const char *because; /* the finding that explains this one; NULL: none */
};

/* One of this rule with this value: its cost, p and who are not known. */
struct finding finding_of(const struct finding_rule *rule, double value);

/* A job among alike runs: one of runs, never held against itself. */
struct finding_climate {
    const struct mapping *mapping;
    const struct runs *runs;
    const struct run *run;
};

/* Those of the log, but for modules of which records are missing or not read.  Returns
 * how many. */
size_t findings_make(const struct profile *p, struct finding *ret);
/* The p of those whose evidence the climate has as a measure of this name. */
void findings_compare(const struct finding_climate *climate, struct finding *findings,
                      size_t count);

/* What was around a run: by its climate where one is given and the class has so many
 * others that anything could be reported, else by thresholds out of its context (NULL:
 * none). The least p, or the worst, first. */
size_t findings_make_around(const struct job_context *context,
                            const struct finding_climate *climate, struct finding *ret);

/* By how much longer its I/O took than in the middle half of its class; unknown where
 * the class has fewer than PERCENTILE_OTHERS_MIN others, COST_EXACT 0 where it was not
 * slower. */
struct cost finding_excess(const struct finding_climate *climate,
                           const struct profile *p);
/* What the class says of costs: of what was around at most the excess, of accesses at
 * most what the run lacks of the best of its class. */
void findings_weigh(const struct finding_climate *climate, const struct profile *p,
                    struct finding *findings, size_t count);

/* It was found by its p among the runs of a class, not by a threshold. */
bool finding_is_by_climate(const struct finding *finding);

/* True of most runs, of unknown cost, and not rare in a class: no first sentence. */
bool finding_is_usual(const struct finding *finding);

/* All of a run's findings: which explains which, and in order. */
void findings_order(struct finding *findings, size_t count);

#endif
