/* SPDX-License-Identifier: Apache-2.0 */
/* study_page - a study as pages that a person reads: an HTML file with its pictures.
 *
 *     DIR/index.html          words, tables, and the pictures inside: one file to hand
 * on DIR/quantiles.svg, correlations.svg, contributors.svg, timeline-1.svg ... the same
 * pictures, for other documents
 */
#ifndef REPORT_STUDY_PAGE_H
#define REPORT_STUDY_PAGE_H

#include "analysis/climate/climate.h"

/* dir is made where it is not there; files of these names in it are replaced.
 * Errors: -ENOMEM, what the file system says. */
int study_page_write(const struct study *study, const char *dir, struct err *err);

#endif
