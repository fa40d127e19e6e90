/* SPDX-License-Identifier: Apache-2.0 */
/* metric_line - one value as a line of line protocol. */
#include "agent/totals/metric_line.h"

#include "base/decimal_text.h"
#include "base/span.h"
#include "model/model.h"

#include <string.h>

/* Hundreds of lines a second have these: what needs no backslash is copied at once. */
static void add_tag_value(struct strbuf *out, struct span text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c != ',' && c != ' ' && c != '=')
            continue;
        strbuf_add(out, text.data + from, i - from);
        strbuf_addc(out, '\\');
        from = i;
    }
    strbuf_add(out, text.data + from, text.size - from);
}

bool metric_line_is_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c <= 0x20 || c == 0x7F || c == '\\')
            return false;
    }
    return name.size > 0 && name.size <= TARGET_BYTES_MAX;
}

void metric_line_add(const struct metric_line *line, const char *const metric[3],
                     const struct metric_of *of, double value)
{
    struct strbuf *out = line->out;
    char text[DECIMAL_TEXT_MAX];
    for (size_t i = 0; i < 3; i++)
        strbuf_adds(out, metric[i]);
    strbuf_adds(out, ",cluster=");
    add_tag_value(out, span_of(line->cluster));
    strbuf_adds(out, ",hostname=");
    add_tag_value(out, span_of(line->host));
    if (of->target.size > 0) {
        strbuf_adds(out, ",type=");
        add_tag_value(out, of->type);
        strbuf_adds(out, ",type-id=");
        add_tag_value(out, of->target);
    }
    if (of->part.size > 0) {
        strbuf_adds(out, ",stype=");
        add_tag_value(out, of->part_type);
        strbuf_adds(out, ",stype-id=");
        add_tag_value(out, of->part);
    }
    /* As a double: no integer is refused because it is too large for one. */
    strbuf_adds(out, " value=");
    strbuf_add(out, text, decimal_print_shortest(text, value));
    strbuf_addc(out, ' ');
    strbuf_add_i64(out, line->t_ns);
    strbuf_addc(out, '\n');
}
