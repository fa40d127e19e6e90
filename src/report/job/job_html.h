/* SPDX-License-Identifier: Apache-2.0 */
/* job_html - one job as one HTML page that needs nothing else: no script, no other
 * file, no font.
 *
 *     who, and the sentence
 *     findings: evidence, cost, advice
 *     what it did; its nodes, with a picture of each metric; its servers
 *     what was around it; which evidence there is
 *
 * Legible on a phone (tables and pictures scroll within themselves), in the dark and on
 * paper.  All words from outside are escaped, and the page's policy lets a browser run
 * and load nothing.
 */
#ifndef REPORT_JOB_JOB_HTML_H
#define REPORT_JOB_JOB_HTML_H

#include "analysis/job/job.h"
#include "base/strbuf.h"

/* Of the page itself; a server sends it as a header, too. */
#define JOB_HTML_POLICY                                                            \
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action " \
    "'none'"
#define JOB_HTML_MAPS_MAX 12

/* Of the log, the stored summary or whatever else is known. */
void job_html_print(const struct job_assessment *a, struct strbuf *out);

#endif
