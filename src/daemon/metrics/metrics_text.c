/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text - the text format of Prometheus: heads, values, labels. */
#include "daemon/metrics/metrics_text.h"

#include "base/decimal_text.h"

void metrics_add_head(struct strbuf *out, const char *name, const char *kind,
                      const char *help)
{
    strbuf_addf(out, "# HELP baro_%s %s\n# TYPE baro_%s %s\n", name, help, name, kind);
}

static void add_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            strbuf_addc(out, '\\');
        if (*text == '\n')
            strbuf_adds(out, "\\n");
        else
            strbuf_addc(out, *text);
    }
}

void metrics_add_labelled(struct strbuf *out, const char *name, const char *label,
                          const char *text, uint64_t value)
{
    strbuf_addf(out, "baro_%s{%s=\"", name, label);
    add_escaped(out, text);
    strbuf_adds(out, "\"} ");
    strbuf_add_u64(out, value);
    strbuf_addc(out, '\n');
}

void metrics_add_count(struct strbuf *out, const char *name, const char *kind,
                       const char *help, uint64_t value)
{
    metrics_add_head(out, name, kind, help);
    strbuf_addf(out, "baro_%s ", name);
    strbuf_add_u64(out, value);
    strbuf_addc(out, '\n');
}

void metrics_add_double(struct strbuf *out, const char *name, const char *kind,
                        const char *help, double value)
{
    metrics_add_head(out, name, kind, help);
    strbuf_addf(out, "baro_%s ", name);
    decimal_add_shortest(out, value);
    strbuf_addc(out, '\n');
}
