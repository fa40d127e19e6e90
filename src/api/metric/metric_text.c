/* SPDX-License-Identifier: Apache-2.0 */
/* metric_text - names of components and metrics as text of JSON and CSV. */
#include "api/metric/metric_text.h"

#include "base/json_writer.h"

#include <string.h>

void metric_text_json(struct strbuf *out, struct span text)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_span(&w, text);
}

void metric_text_csv(struct strbuf *out, struct span text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.size; i++)
        is_quoted |= strchr(",\"\r\n", text.data[i]) != NULL;
    if (!is_quoted) {
        strbuf_add_span(out, text);
        return;
    }
    strbuf_addc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, text.data[i]);
    }
    strbuf_addc(out, '"');
}
