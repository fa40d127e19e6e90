/* SPDX-License-Identifier: Apache-2.0 */
/* own_line - one line of the metrics page, read again. */
#include "daemon/own_line.h"

#include "base/number.h"
#include "base/span.h"

static void split_label(struct span name, struct own_line *ret)
{
    struct span rest = name, head, label, value;
    ret->name = name;
    if (!span_cut(&rest, '{', &head) || !span_cut(&rest, '"', &label) ||
        !span_cut(&rest, '"', &value) || !span_ends(label, "="))
        return;
    ret->name = head;
    ret->label = (struct span){ label.data, label.size - 1 };
    ret->label_value = value;
}

bool own_line_parse(struct span line, enum metric_kind *kind, struct own_line *ret)
{
    struct own_line read = { .value = 0 };
    struct span value = line, name;
    if (span_starts(line, "# TYPE"))
        *kind = span_ends(line, " counter") ? METRIC_COUNTER : METRIC_GAUGE;
    if (line.size == 0 || line.data[0] == '#' || !span_cut(&value, ' ', &name) ||
        number_parse_double(value, &read.value) < 0)
        return false;
    split_label(name, &read);
    *ret = read;
    return true;
}
