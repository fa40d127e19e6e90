/* SPDX-License-Identifier: Apache-2.0 */
/* export_text - samples as line protocol or CSV, onto standard output or elsewhere. */
#include "cmd/export_text.h"

#include "base/decimal_text.h"
#include "base/number.h"
#include "base/timetext.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

#define FLUSH_BYTES ((size_t)256 << 10)

void export_text_begin(struct export_text *text)
{
    if (text->form == EXPORT_CSV)
        strbuf_adds(&text->out, "component,metric,time,value\n");
}

void export_text_done(struct export_text *text)
{
    strbuf_done(&text->out);
    strbuf_done(&text->head);
}

static void add_csv(struct strbuf *out, struct span s)
{
    bool is_quoted = false;
    for (size_t i = 0; i < s.size; i++)
        is_quoted |= strchr(",\"\r\n", s.data[i]) != NULL;
    if (is_quoted)
        strbuf_addc(out, '"');
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, s.data[i]);
    }
    if (is_quoted)
        strbuf_addc(out, '"');
}

/* A line's end within a name, or a backslash before what ends it, cannot be written. */
static int add_word(struct strbuf *out, struct span s, const char *reserved)
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
    return add_word(out, value, ",= ");
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
                                                      : add_word(out, metric, ", ");
    for (size_t i = 0; rc == 0 && i < COUNT_OF(tags); i++)
        rc = tags[i].is_wanted ? add_tag(out, tags[i].key, tags[i].value) : 0;
    strbuf_adds(out, " value=");
    return rc;
}

int export_text_series(struct export_text *text, struct span path, struct span metric)
{
    int rc = 0;
    strbuf_clear(&text->head);
    if (text->form == EXPORT_CSV) {
        add_csv(&text->head, path);
        strbuf_addc(&text->head, ',');
        add_csv(&text->head, metric);
        strbuf_addc(&text->head, ',');
    } else {
        rc = add_line_head(&text->head, path, metric);
    }
    text->unsaid_series += rc == -EINVAL;
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

static void add_line_time(struct export_text *text, int64_t t_ns)
{
    bool is_whole = t_ns % NS_PER_S == 0;
    if (text->times == EXPORT_TIMES_S || (text->times == EXPORT_TIMES_AUTO && is_whole))
        strbuf_add_i64(&text->out, t_ns / NS_PER_S);
    else
        strbuf_add_i64(&text->out, t_ns);
}

static int flush(struct export_text *text)
{
    if (strbuf_error(&text->out) < 0)
        return strbuf_error(&text->out);
    if (text->write) {
        int rc = text->out.size > 0
                     ? text->write(text->write_arg, strbuf_span(&text->out))
                     : 0;
        strbuf_clear(&text->out);
        return rc;
    }
    errno = EIO;
    if (fwrite(strbuf_text(&text->out), 1, text->out.size, stdout) != text->out.size)
        return -errno;
    strbuf_clear(&text->out);
    return 0;
}

int export_text_sample(struct export_text *text, int64_t t_ns, double value)
{
    char time[TIMETEXT_SIZE];
    if (isnan(value))
        return 0;
    if (isinf(value) && text->form == EXPORT_LINE) {
        text->unsaid_values++;
        return 0;
    }
    strbuf_add_span(&text->out, strbuf_span(&text->head));
    if (text->form == EXPORT_CSV) {
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
    return text->out.size >= FLUSH_BYTES ? flush(text) : 0;
}

int export_text_end(struct export_text *text, struct err *err)
{
    int rc = flush(text);
    if (text->write)
        return rc;
    if (rc == 0 && fflush(stdout) != 0)
        rc = -errno;
    return rc < 0 ? err_set(err, -rc, "standard output: %s", strerror(-rc)) : 0;
}
