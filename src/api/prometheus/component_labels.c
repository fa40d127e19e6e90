/* SPDX-License-Identifier: Apache-2.0 */
/* component_labels - how the language sees a series of the metric store. */
#include "api/prometheus/component_labels.h"

#include "base/number.h"
#include "base/span.h"

const struct span component_label_names[COMPONENT_LABELS_MAX] = {
    { LABEL_METRIC_NAME, sizeof LABEL_METRIC_NAME - 1 },
    { "cluster", 7 },
    { "hostname", 8 },
    { "subtype", 7 },
    { "subtype_id", 10 },
    { "type", 4 },
    { "type_id", 7 },
};

void component_labels_init(struct component_labels *ret, struct span path)
{
    struct component c;
    component_parse(path, &c);
    const struct span parts[COMPONENT_LABELS_MAX] = {
        { NULL, 0 }, c.cluster, c.host, c.subtype, c.sub_id, c.type, c.id,
    };
    char *end = ret->text;
    ret->pairs[0] = (struct label){ component_label_names[0], { NULL, 0 } };
    ret->labels = (struct labels){ 1, ret->pairs };
    for (size_t i = 1; i < COMPONENT_LABELS_MAX; i++) {
        if (parts[i].size == 0) /* no label, as an empty one is */
            continue;
        size_t size = component_unescape(parts[i], end);
        ret->pairs[ret->labels.count++] =
            (struct label){ component_label_names[i], { end, size } };
        end += size;
    }
}

void component_labels_set_metric(struct component_labels *c, struct span metric)
{
    c->pairs[0].value = metric;
}
