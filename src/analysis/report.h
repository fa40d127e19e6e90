/* SPDX-License-Identifier: Apache-2.0 */
/* report - a study as pages that a person reads: an HTML file with its pictures.
 *
 *     DIR/index.html          words, tables, and the pictures inside: one file to hand
 * on DIR/quantiles.svg, correlations.svg, contributors.svg, timeline-1.svg ... the same
 * pictures, for other documents
 */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include "analysis/study.h"

/* dir is made where it is not there; files of these names in it are replaced.
 * Errors: -ENOMEM, what the file system says. */
int report_write(const struct study *study, const char *dir, struct err *err);

#endif
