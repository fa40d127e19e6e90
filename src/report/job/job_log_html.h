/* SPDX-License-Identifier: Apache-2.0 */
/* job_log_html - what a log has of interfaces, sizes of accesses, files, and of bytes
 * over time, as sections of an HTML page.
 */
#ifndef REPORT_JOB_JOB_LOG_HTML_H
#define REPORT_JOB_JOB_LOG_HTML_H

#include "analysis/log/log.h"
#include "base/strbuf.h"

/* Interfaces, accesses by size, and the LOG_WORK_TOP files with most time, and with
 * most bytes where these are others. */
void job_log_work_html(const struct log_work *work, struct strbuf *out);
/* A picture each by process, node and target, as far as the log has times. */
void job_log_heat_html(const struct log_heat *heat, struct strbuf *out);

#endif
