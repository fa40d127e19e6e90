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

#include "analysis/climate/runs.h"
#include "base/table/table.h"

enum study_part {
    STUDY_SUMMARY,
    STUDY_SETS,
    STUDY_CORRELATIONS,
    STUDY_REGIONS,
    STUDY_CONTRIBUTORS,
    STUDY_EXPECTED,
    STUDY_PARTS,
};

struct figure_known { /* one number of the study, by name */
    const char *name;
    double value;
};

struct study {
    const struct mapping *mapping;
    const struct runs *runs;
    struct table parts[STUDY_PARTS];
    struct arena arena;
    struct figure_known *figures;
    size_t figure_count, figure_capacity;
    size_t expected_unlike; /* published figures that differ from ours */
};

const char *study_part_name(enum study_part part);

/* mapping and runs must outlive *ret.  Errors: -ENOMEM, -EINVAL (an expected figure
 * that is unknown, or that is no number). */
int study_make(const struct mapping *mapping, const struct runs *runs,
               struct study *ret, struct err *err);
void study_done(struct study *study);
DEFINE_AUTO_DONE(struct study, study_done);

#endif
