/* SPDX-License-Identifier: Apache-2.0 */
/* line - what a run prints: a line for a person, or an object of JSON. */
#include "act/line.h"

#include "base/json_writer.h"
#include "base/number.h"

static void line_json(const struct act_line *line, struct strbuf *out)
{
    const struct {
        const char *key, *value;
    } texts[] = {
        { "node", line->who },      { "what", line->what },
        { "reason", line->reason }, { "result", line->result },
        { "action", line->action }, { "component", line->component },
        { "check", line->check },
    };
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].value) {
            json_key(&w, texts[i].key);
            json_text(&w, texts[i].value);
        }
    json_object_end(&w);
}

static void line_text(const struct act_line *line, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%s%s%s%s%s", line->who, *line->who ? ": " : "", line->what,
                *line->reason ? ": " : "", line->reason, *line->result ? ": " : "",
                line->result);
    for (size_t i = 0; i < out->size; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = '?';
}

void act_line_print(const struct act_line_opts *opts, const struct act_line *line)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (opts->is_json)
        line_json(line, &out);
    else
        line_text(line, &out);
    if (strbuf_error(&out) == 0)
        opts->print(opts->arg, strbuf_text(&out));
}
