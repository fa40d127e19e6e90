/* SPDX-License-Identifier: Apache-2.0 */
/* node_samples_json - samples of nodes as JSON: what a barod sends to the command line.
 *
 *     {"cluster":"alex","from_s":1795227930,"to_s":1795231530,"window_s":30,
 *      "peak_flops":9.2e12,"peak_bytes":3.5e11,
 *      "hosts":["a0901","a0902"],
 *      "metrics":[{"name":"cpu_load","unit":"","is_counter":false,"rows":[
 *        {"host":0,"device":"","samples":2,"min":71.5,"max":72,"values":[71.5,null,72]}]}]}
 *
 * Peaks are there where they are configured of all hosts; where of some alone, the
 * others are "peakless", a host set.  A number comes back with the same bits; what was
 * not observed is null.
 */
#ifndef ANALYSIS_FOOTPRINT_NODE_SAMPLES_JSON_H
#define ANALYSIS_FOOTPRINT_NODE_SAMPLES_JSON_H

#include "analysis/footprint/node_samples.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "base/span_type.h"

void node_samples_print(const struct node_samples *samples, struct json_writer *w);

/* All of *ret lies in arena.  Errors: -EBADMSG (not such a text, a row of no host,
 * other than window_count values), -E2BIG (NODE_SAMPLES_*_MAX), -ENOMEM; then *ret is
 * untouched. */
int node_samples_read(struct span text, struct arena *arena, struct node_samples *ret,
                      struct err *err);

#endif
