/* SPDX-License-Identifier: Apache-2.0 */
/* site_text - findings and application of a job by rules of the site, in words, as
 * JSON, as HTML: which application it is, and the findings that are active.
 *
 * report may be NULL: then nothing is printed, and JSON has null and no findings.
 */
#ifndef REPORT_JOB_SITE_TEXT_H
#define REPORT_JOB_SITE_TEXT_H

#include "analysis/rules/rules.h"
#include "base/json_writer.h"
#include "base/strbuf.h"

/* "Application: GROMACS, by its executable /sw/bin/gmx_mpi.\n" */
void site_application_print(const struct site_report *report, struct strbuf *out);
/* The most severe one as "big-reader: it read 12.0 TiB"; false: there is none. */
bool site_first_print(const struct site_report *report, struct strbuf *out);
/* Two to four lines each: sentence, advice, link, how often it was made on trial. */
void site_findings_print(const struct site_report *report, struct strbuf *out);
/* "; big-reader, other" */
void site_names_print(const struct site_report *report, struct strbuf *out);

/* "application":{"name":"GROMACS","by":{"executable":{"value":"...","pattern":"gmx_*"}}},
 * "site_findings":[{"name","severity","sentence","advice","link","condition",
 * "false_alarms","tried"},...] */
void site_json(const struct site_report *report, struct json_writer *w);
void site_html(const struct site_report *report, struct strbuf *out);

#endif
