/* SPDX-License-Identifier: Apache-2.0 */
/* study - the climate of many runs: what is normal, when it changed, what went with it.
 *
 *     runs ─┬▶ sets            quantiles of the fraction of peak, regions
 *           ├▶ correlations    each measure with the fraction, by group and over all
 *           ├▶ regions         of a group's runs together; correlations inside of each
 *           ├▶ contributors    worst run of each region of each set: which measure is
 * at │                  its worst there too, and how unlikely that is └▶ expected
 * published figures beside ours
 *
 * An anomaly is the slowest run of a region of a set.  A measure is asked about it
 * where as few values equal the worst one of the region as p_contributor allows; it is
 * a contributor when the anomaly has that worst value.  How often that happens by
 * chance is the binomial tail at p_contributor.
 *
 * Source: Lockwood et al., SC18; reference to each rule in doc/formats/study.md.
 */
#ifndef ANALYSIS_CLIMATE_STUDY_H
#define ANALYSIS_CLIMATE_STUDY_H

#include "analysis/climate/anomaly.h"
#include "analysis/stats/stats.h"

struct study_set {
    const struct run_set *set;
    double q05, q25, q50, q75, q95; /* of the fraction of peak */
    size_t regions;
};

struct study_correlation { /* of a measure with the fraction of peak */
    const char *group;     /* "all": all runs together */
    const char *measure;
    struct correlation found;
};

struct study_region { /* of a group, in which a measure goes with the fraction */
    const char *group;
    int64_t from_ns, to_ns; /* UTC: the first run, the last */
    size_t runs;
    const char *measure;
    struct correlation found;
};

struct study_count { /* what became of rows, and how many regions there are */
    const char *what;
    uint64_t count;
};

struct study_expected { /* a published figure beside ours */
    struct span figure; /* in the mapping */
    const char *published;
    char ours[64]; /* with as many digits */
    bool is_equal;
};

struct figure_known { /* one number of the study, by name */
    const char *name;
    double value;
};

struct study {
    const struct mapping *mapping;
    const struct runs *runs;
    struct arena arena;
    struct study_count *summary;
    size_t summary_count;
    struct study_set *sets;                 /* one for each of runs->sets */
    struct study_correlation *correlations; /* for each group, all measures */
    size_t correlation_count, correlation_capacity;
    struct study_region *regions;
    size_t region_count, region_capacity;
    struct anomaly_measure contributors[MAPPING_ITEMS_MAX];
    size_t contributor_count;
    struct study_expected *expected; /* one for each 'expect' of the mapping */
    size_t expected_count;
    size_t expected_unlike; /* published figures that differ from ours */
    struct figure_known *figures;
    size_t figure_count, figure_capacity;
};

/* mapping and runs must outlive *ret.  Errors: -ENOMEM, -EINVAL (an expected figure
 * that is unknown, or that is no number). */
int study_make(const struct mapping *mapping, const struct runs *runs,
               struct study *ret, struct err *err);
void study_done(struct study *study);
DEFINE_AUTO_DONE(struct study, study_done);

#endif
