/* SPDX-License-Identifier: Apache-2.0 */
/* sample_text - samples as line protocol or CSV, handed on in whole lines. */
#include "migrate/sample_text.h"

#include "base/decimal_text.h"
#include "base/number.h"
#include "base/table/csv_field.h"
#include "base/timetext.h"
#include "model/model.h"

#include <math.h>

#define FLUSH_BYTES ((size_t)256 << 10)

void sample_text_begin(struct sample_text *text)
{
    if (text->form == SAMPLE_TEXT_CSV)
        strbuf_adds(&text->out, "component,metric,time,value\n");
}

void sample_text_done(struct sample_text *text)
{
    strbuf_done(&text->out);
    strbuf_done(&text->head);
}

/* A control byte within a name, or a backslash at its end, cannot be written. */
static int add_escaped(struct strbuf *out, struct span s, const char *reserved)
{
    if (s.size == 0 || s.data[s.size - 1] == '\\')
        return -EINVAL;
    for (size_t i = 0; i < s.size; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c < ' ' || c == 0x7F)
            return -EINVAL;
        if (strchr(reserved, c))
            strbuf_addc(out, '\\');
        strbuf_addc(out, (char)c);
    }
    return 0;
}

static int add_tag(struct strbuf *out, const char *key, struct span part)
{
    AUTO_FREE char *plain = malloc(part.size + 1);
    if (!plain)
        return -ENOMEM;
    struct span value = { plain, component_unescape(part, plain) };
    strbuf_addf(out, ",%s=", key);
    return add_escaped(out, value, ",= ");
}

static int add_line_head(struct strbuf *out, struct span path, struct span metric)
{
    struct component c;
    component_parse(path, &c);
    const struct {
        const char *key;
        struct span value;
        bool is_wanted;
    } tags[] = {
        { "cluster", c.cluster, true },
        { "hostname", c.host, true },
        { "type", c.type, c.type.size > 0 },
        { "type-id", c.id, c.id.size > 0 },
        { "stype", c.subtype, c.subtype.size > 0 },
        { "stype-id", c.sub_id, c.sub_id.size > 0 },
    };
    int rc = metric.size > 0 && metric.data[0] == '#' ? -EINVAL
                                                      : add_escaped(out, metric, ", ");
    for (size_t i = 0; rc == 0 && i < COUNT_OF(tags); i++)
        rc = tags[i].is_wanted ? add_tag(out, tags[i].key, tags[i].value) : 0;
    strbuf_adds(out, " value=");
    return rc;
}

int sample_text_series(struct sample_text *text, struct span path, struct span metric)
{
    int rc = 0;
    strbuf_clear(&text->head);
    if (text->form == SAMPLE_TEXT_CSV) {
        csv_field_add(&text->head, path);
        strbuf_addc(&text->head, ',');
        csv_field_add(&text->head, metric);
        strbuf_addc(&text->head, ',');
    } else {
        rc = add_line_head(&text->head, path, metric);
    }
    text->skipped_series += rc == -EINVAL;
    text->series += rc == 0;
    return rc < 0 ? rc : strbuf_error(&text->head);
}

static void add_number(struct strbuf *out, double value)
{
    char digits[DECIMAL_TEXT_MAX];
    if (isinf(value))
        strbuf_adds(out, value < 0 ? "-Inf" : "Inf");
    else
        strbuf_add(out, digits, decimal_print_shortest(digits, value));
}

static void add_line_time(struct sample_text *text, int64_t t_ns)
{
    bool is_whole = t_ns % NS_PER_S == 0;
    if (text->times == SAMPLE_TEXT_TIMES_S ||
        (text->times == SAMPLE_TEXT_TIMES_AUTO && is_whole))
        strbuf_add_i64(&text->out, t_ns / NS_PER_S);
    else
        strbuf_add_i64(&text->out, t_ns);
}

static int flush_lines(struct sample_text *text, struct err *err)
{
    if (strbuf_error(&text->out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (text->out.size == 0)
        return 0;
    int rc = text->write(text->write_arg, strbuf_span(&text->out), err);
    strbuf_clear(&text->out);
    return rc;
}

int sample_text_add(struct sample_text *text, int64_t t_ns, double value,
                    struct err *err)
{
    char time[TIMETEXT_SIZE];
    if (isnan(value))
        return 0;
    if (isinf(value) && text->form == SAMPLE_TEXT_LINE) {
        text->skipped_values++;
        return 0;
    }
    strbuf_add_span(&text->out, strbuf_span(&text->head));
    if (text->form == SAMPLE_TEXT_CSV) {
        strbuf_add(&text->out, time, timetext_print(time, t_ns));
        strbuf_addc(&text->out, ',');
        add_number(&text->out, value);
    } else {
        add_number(&text->out, value);
        strbuf_addc(&text->out, ' ');
        add_line_time(text, t_ns);
    }
    strbuf_addc(&text->out, '\n');
    text->samples++;
    return text->out.size >= FLUSH_BYTES ? flush_lines(text, err) : 0;
}

int sample_text_end(struct sample_text *text, struct err *err)
{
    return flush_lines(text, err);
}
