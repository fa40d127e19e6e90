/* SPDX-License-Identifier: Apache-2.0 */
/* component_labels - how the language sees a series of the metric store.
 *
 *     alex/a0903/hwthread:7, cpu_load
 *         ─▶ {__name__="cpu_load", cluster="alex", hostname="a0903", type="hwthread",
 *             type_id="7"}
 *
 * What stands escaped in a path stands as it is in a label; other labels than those of
 * components are read from the path's tags (model/label_path.h).  A metric whose name
 * the language cannot spell is selected by {__name__="..."}. Threads  none inside.
 */
#ifndef API_PROMETHEUS_COMPONENT_LABELS_H
#define API_PROMETHEUS_COMPONENT_LABELS_H

#include "model/model.h"
#include "promql/promql.h"
#include "store/store.h"

/* The texts point into it, and to the metric: it does not move. */
struct component_labels {
    struct labels labels;
    struct label *name; /* that of the metric, among pairs */
    struct label pairs[LABEL_PAIRS_MAX + 1];
    char text[LABEL_TEXT_MAX];
};

/* Of a level's path; the metric's name is empty. */
void component_labels_init(struct component_labels *ret, struct span path);
void component_labels_set_metric(struct component_labels *c, struct span metric);

#endif
