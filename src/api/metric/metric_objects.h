/* SPDX-License-Identifier: Apache-2.0 */
/* metric_objects - rows of samples as the array of objects that 'baro metric query
 * --output json' prints, byte for byte; private to api.
 *
 *     [\n {"component","metric","time","value"},\n ...\n]\n
 *     [\n {"component","metric","unit","count","avg","min","max","sum"}...
 */
#ifndef API_METRIC_OBJECTS_H
#define API_METRIC_OBJECTS_H

#include "api/metric/metric_v1.h"

void metric_objects_begin(struct strbuf *out);
/* The samples of a series, an object each. */
void metric_objects_samples(struct v1_writer *w, const struct v1_item *item,
                            struct strbuf *out);
/* unit: of the values; sum: NaN: it has none. */
void metric_objects_statistics(struct v1_writer *w, const struct v1_item *item,
                               struct span unit, double sum, struct strbuf *out);
void metric_objects_end(struct strbuf *out);

#endif
