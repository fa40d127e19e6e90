/* SPDX-License-Identifier: Apache-2.0 */
/* line - what the process that reads GPUs prints, and how the agent reads it. */
#include "source/gpu/gpu.h"

#include "base/number.h"
#include "base/span.h"
#include "source/gpu/metric.h"

#include <errno.h>
#include <math.h>

void gpu_value_print(const struct gpu_value *value, struct strbuf *out)
{
    strbuf_addf(out, "%s %s ", value->metric, value->pci);
    if (value->slice < 0)
        strbuf_addc(out, '-');
    else
        strbuf_addf(out, "%d", value->slice);
    strbuf_addf(out, " %.17g\n", value->value);
}

/* A text of the driver's: one line of printable characters. */
void gpu_error_print(const char *text, struct strbuf *out)
{
    size_t left = GPU_LINE_MAX - sizeof "error \n";
    strbuf_adds(out, "error ");
    for (; *text && left > 0; text++, left--)
        strbuf_addc(out, *text >= ' ' && *text <= '~' ? *text : '?');
    strbuf_addc(out, '\n');
}

static bool is_hex(struct span text, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

/* 00000000:49:00.0 */
static bool is_pci(struct span text)
{
    return text.size == 16 && is_hex(text, 0, 8) && text.data[8] == ':' &&
           is_hex(text, 9, 2) && text.data[11] == ':' && is_hex(text, 12, 2) &&
           text.data[14] == '.' && text.data[15] == '0';
}

static bool is_printable(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    return true;
}

static int value_parse(struct span name, struct span line, struct gpu_value *ret)
{
    const struct gpu_metric_name *metric = gpu_metric_find(name);
    struct span pci, slice;
    uint64_t number;
    double value;
    (void)span_cut(&line, ' ', &pci);
    (void)span_cut(&line, ' ', &slice);
    if (!metric || !is_pci(pci) || number_parse_double(line, &value) < 0 ||
        !isfinite(value))
        return -EBADMSG;
    if (span_is(slice, "-"))
        ret->slice = -1;
    else if (number_parse_u64(slice, &number) == 0 && number < GPU_SLICES_MAX)
        ret->slice = (int)number;
    else
        return -EBADMSG;
    ret->metric = metric->name;
    ret->unit = metric->unit;
    ret->value = value;
    memcpy(ret->pci, pci.data, pci.size);
    ret->pci[pci.size] = '\0';
    return 0;
}

int gpu_line_parse(struct span line, struct gpu_line *ret)
{
    struct span word;
    struct gpu_line parsed = { .kind = GPU_LINE_VALUE };
    int rc = 0;
    if (line.size >= GPU_LINE_MAX)
        return -EBADMSG;
    (void)span_cut(&line, ' ', &word);
    if (span_is(word, "end")) {
        parsed.kind = GPU_LINE_END;
        rc = number_parse_u64(line, &parsed.request) < 0 ? -EBADMSG : 0;
    } else if (span_is(word, "error")) {
        parsed.kind = GPU_LINE_ERROR;
        parsed.text = line;
        rc = is_printable(line) ? 0 : -EBADMSG;
    } else {
        rc = value_parse(word, line, &parsed.value);
    }
    if (rc == 0)
        *ret = parsed;
    return rc;
}
