/* SPDX-License-Identifier: Apache-2.0 */
/* metric_text - names of components and metrics as text of JSON and CSV. */
#ifndef API_METRIC_TEXT_H
#define API_METRIC_TEXT_H

#include "base/strbuf.h"

/* Append a JSON string, quoted. */
void metric_text_json(struct strbuf *out, struct span text);
/* Append a field of CSV, quoted where it has to be. */
void metric_text_csv(struct strbuf *out, struct span text);

#endif
