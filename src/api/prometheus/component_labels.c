/* SPDX-License-Identifier: Apache-2.0 */
/* component_labels - how the language sees a series of the metric store. */
#include "api/prometheus/component_labels.h"

#include "base/span.h"

_Static_assert(LABEL_TEXT_MAX >= LEVEL_PATH_MAX, "the labels of any path");

void component_labels_init(struct component_labels *ret, struct span path)
{
    struct label_set set;
    const struct span name = SPAN(LABEL_METRIC_NAME);
    size_t count = 0;
    ret->name = NULL;
    label_path_read(path, ret->text, &set);
    for (size_t i = 0; i < set.count; i++) {
        if (!ret->name && span_compare(name, set.pairs[i].name) < 0)
            ret->name = &ret->pairs[count++];
        ret->pairs[count++] = (struct label){ set.pairs[i].name, set.pairs[i].value };
    }
    if (!ret->name)
        ret->name = &ret->pairs[count++];
    *ret->name = (struct label){ name, { NULL, 0 } };
    ret->labels = (struct labels){ count, ret->pairs };
}

void component_labels_set_metric(struct component_labels *c, struct span metric)
{
    c->name->value = metric;
}
