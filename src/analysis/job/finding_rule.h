/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rule - the one table of what may be found of a run.
 *
 * A new finding is one entry of it, a test of its threshold, and a line in the man page
 * of baro job show.  Of a log its evidence is a measure of the profile; of what was
 * around a run it is a value of the context, and what mappings of climates call it.
 *
 * The thresholds are rules of thumb (doc/measured/findings.md).
 */
#ifndef ANALYSIS_JOB_FINDING_RULE_H
#define ANALYSIS_JOB_FINDING_RULE_H

#include "analysis/job/job_context.h"
#include "analysis/job/profile.h"

struct finding;

#define FINDING_CAUSES_MAX 4

enum finding_kind {
    FINDING_OF_LOG,    /* measure is what it is of */
    FINDING_AROUND,    /* what was around the run */
    FINDING_CONTENDED, /* others on a target of it */
    FINDING_REQUESTS,  /* what servers counted of it, where no log is read */
    FINDING_FAILOVER,  /* targets of it that moved to another server */
    FINDING_KIND_COUNT,
};

struct finding_rule {
    const char *name; /* "small": for programs */
    const char *text; /* for a person */
    /* What to do, with the command; NULL: nothing that its evidence supports. */
    const char *advice;
    enum finding_kind kind;
    /* Above it the finding is reported; NaN: only by the climate, since what is usual
     * is too different from class to class. */
    double threshold;

    enum profile_measure measure; /* of FINDING_OF_LOG: the evidence */
    bool is_of_even_work; /* of PROFILE_IMBALANCE: the slowest moved no more bytes */

    /* Of FINDING_AROUND.  A value that was not observed is NaN; NULL: there is none. */
    const char *evidence; /* what mappings call the measure */
    const char *unit;     /* "%" of percent, "x" of a ratio, "" of a share or count */
    double (*value)(const struct job_context *context);
    double (*n)(const struct job_context *context); /* what value is made of */
    const char *n_word;                             /* what n counts: "steps" */
    double (*as_much)(
        const struct job_context *context); /* so many of the n: then a p */
    const char *(*who)(const struct job_context *context);
    /* True of most runs on a busy file system: by itself, without a class that it is
     * rare in, it explains nothing. */
    bool is_usual;

    /* The finding that explains this one where both are there; NULL: none does.
     * is_explained, which may be NULL (then always), has the last word.  The first of
     * several that does is it. */
    const char *because[FINDING_CAUSES_MAX];
    bool (*is_explained)(const struct finding *cause, const struct finding *effect);
};

extern const struct finding_rule finding_rules[];
extern const size_t finding_rule_count;

/* NULL: there is no such finding. */
const struct finding_rule *finding_rule_find(const char *name);

#endif
