/* SPDX-License-Identifier: Apache-2.0 */
/* usage_text - what one job was given and what it used, in two sentences. */
#ifndef REPORT_USAGE_USAGE_TEXT_H
#define REPORT_USAGE_USAGE_TEXT_H

#include "base/strbuf.h"
#include "model/model.h"

/* "It was given 2 nodes, 8 CPUs, 16.0 GiB, no GPU and 60 min.\n"
 * "It used 64 % of its CPU time, at most 812 KiB of memory (5 %) and 12 min of 60.\n"
 * Of what is not known there is no word; nothing at all where nothing is.  end_ns
 * JOB_TIME_NONE: it runs. */
void usage_print(const struct job_resources *r, uint64_t nodes, int64_t start_ns,
                 int64_t end_ns, struct strbuf *out);

#endif
