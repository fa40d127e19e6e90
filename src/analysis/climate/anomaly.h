/* SPDX-License-Identifier: Apache-2.0 */
/* anomaly - the slowest run of a region, and which measures were at their worst in it.
 *
 * A measure is asked about an anomaly where as few values equal the worst one of the
 * region as p_contributor of the mapping allows, if the anomaly has a value of it (or
 * missing_counts allows it to be missing); it is a contributor when the anomaly
 * has that worst value.
 *
 * Source: Lockwood et al., SC18; doc/formats/study.md.
 */
#ifndef ANALYSIS_CLIMATE_ANOMALY_H
#define ANALYSIS_CLIMATE_ANOMALY_H

#include "analysis/climate/run_series.h"

struct contributor {
    double worst; /* of the region; NaN: the measure is missing there */
    double p;     /* share of the values that equal it; NaN likewise */
    bool is_asked;
    bool is_contributor;
};

struct anomaly {
    size_t slowest; /* in the series */
    bool is_asked;  /* at least one measure can be */
    bool is_explained;
    struct contributor measures[MAPPING_ITEMS_MAX];
};

/* How often each measure of many anomalies. */
struct anomaly_counts {
    uint64_t all;       /* regions */
    uint64_t asked;     /* about which at least one measure could be asked */
    uint64_t explained; /* that have a contributor */
    uint64_t measure_asked[MAPPING_ITEMS_MAX];
    uint64_t measure_worst[MAPPING_ITEMS_MAX];
};

/* One measure over many anomalies. */
struct anomaly_measure {
    const char *name, *label;
    uint64_t asked, contributed;
    double fraction; /* of those asked; NaN: none is */
    double p;        /* the chance of as many contributions; NaN likewise */
};

void anomaly_find(const struct mapping *mapping, const struct run_series *series,
                  const struct region *region, struct anomaly *ret);
void anomaly_count(struct anomaly_counts *counts, const struct mapping *mapping,
                   const struct anomaly *anomaly);

/* Those measures of the mapping that may contribute, in its order; their count.  ret
 * has MAPPING_ITEMS_MAX items; names are the mapping's. */
size_t anomaly_measures(const struct anomaly_counts *counts,
                        const struct mapping *mapping, struct anomaly_measure *ret);

#endif
