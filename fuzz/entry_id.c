/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_entry_id - identifiers: text form there and back, and the split.
 *
 * The input is a format, a line end, and an identifier.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "model/model.h"

#include <stdio.h>

static void check_text_form(struct span id)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, id);
    fuzz_check(strbuf_error(&text) == 0);
    AUTO_FREE char *back = malloc(text.size + 1);
    size_t size = 0;
    fuzz_check(back && entry_id_parse(strbuf_span(&text), back, &size) == 0);
    fuzz_check(span_eq((struct span){ back, size }, id));

    /* Text that was not printed by us may be refused, but nothing worse. */
    AUTO_FREE char *other = malloc(id.size + 1);
    fuzz_check(other != NULL);
    if (entry_id_parse(id, other, &size) == 0)
        fuzz_check(size <= id.size);
}

static void check_split(const char *format_text, struct span id)
{
    AUTO(entry_format_free) struct entry_format *format = NULL;
    struct err err = { 0 };
    if (entry_format_new(format_text, &format, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return;
    }
    struct entry_split split;
    entry_id_split(id, false, (const struct entry_format *const[]){ format }, 1,
                   &split);
    fuzz_check(!split.format == !!(split.flags & SPLIT_MALFORMED));
    size_t total = 0;
    for (int i = 0; i < ENTRY_FIELD_COUNT; i++) {
        struct span field = split.fields[i];
        total += field.size;
        fuzz_check(!field.data || split.format);
        if (field.data && id.data)
            fuzz_check(field.data >= id.data &&
                       field.data + field.size <= id.data + id.size);
    }
    fuzz_check(total <= id.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *newline = size > 0 ? memchr(text, '\n', size) : NULL;
    size_t format_size = newline ? (size_t)(newline - text) : 0;
    struct span id = newline ? (struct span){ newline + 1, size - format_size - 1 }
                             : (struct span){ text, size };
    check_text_form(id);
    char format[512];
    if (format_size >= sizeof format)
        return 0;
    (void)snprintf(format, sizeof format, SPAN_FMT, (int)format_size, text);
    check_split(newline ? format : "%j:%u:%H", id);
    return 0;
}
