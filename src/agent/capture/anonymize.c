/* SPDX-License-Identifier: Apache-2.0 */
/* anonymize - identifiers of dumps with other letters and digits. */
#include "agent/capture/anonymize.h"

#include "base/span.h"

#include <stdbool.h>
#include <xxhash.h>

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static char other_of_kind(char c, uint64_t draw)
{
    if (c >= '1' && c <= '9')
        return (char)('1' + (int)(draw % 9));
    if (c >= 'a' && c <= 'z')
        return (char)('a' + (int)(draw % 26));
    if (c >= 'A' && c <= 'Z')
        return (char)('A' + (int)(draw % 26));
    return c == '0' ? '0' : 'u'; /* a zero leads or pads: it shows the form */
}

static void add_other_word(struct span word, uint64_t key, struct strbuf *out)
{
    uint64_t draw = XXH3_64bits_withSeed(word.data, word.size, key);
    for (size_t i = 0; i < word.size; i++) {
        strbuf_addc(out, other_of_kind(word.data[i], draw >> 17));
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    }
}

/* Signs between words stay, and so does \xHH, which stands for a sign. */
static void add_other_id(struct span id, uint64_t key, struct strbuf *out)
{
    while (id.size) {
        size_t size = 0;
        if (span_starts(id, "\\x") && id.size >= 4) {
            strbuf_add(out, id.data, 4);
            id = span_skip(id, 4);
            continue;
        }
        while (size < id.size && is_word(id.data[size]))
            size++;
        if (size)
            add_other_word((struct span){ id.data, size }, key, out);
        else
            strbuf_addc(out, id.data[size++]);
        id = span_skip(id, size);
    }
}

void capture_anonymize(struct span text, uint64_t key, struct strbuf *out)
{
    struct span line;
    while (text.size) {
        bool has_end = span_cut(&text, '\n', &line);
        const char *at = memmem(line.data, line.size, "job_id:", 7);
        size_t head = at ? (size_t)(at - line.data) + 7 : line.size;
        /* A line that is none of the known forms may be a piece of an identifier that
         * holds a line's end. */
        bool is_known = at || memchr(line.data, ':', line.size) || line.size == 0;
        if (!is_known)
            head = 0;
        strbuf_add(out, line.data, head);
        add_other_id(span_skip(line, head), key, out);
        if (has_end)
            strbuf_addc(out, '\n');
    }
}
