/* SPDX-License-Identifier: Apache-2.0 */
/* wrap - lines that are too long for a page, broken at blanks. */
#include "base/terminal/wrap.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <sys/ioctl.h>

static size_t blanks_at(struct span line, size_t at)
{
    size_t end = at;
    while (end < line.size && line.data[end] == ' ')
        end++;
    return end - at;
}

/* Where the text of a line begins; *ret_gaps: how many gaps of two blanks or more it
 * has behind its first word. */
static size_t text_start(struct span line, size_t *ret_gaps)
{
    size_t start = blanks_at(line, 0);
    *ret_gaps = 0;
    for (size_t i = start; i < line.size; i++) {
        size_t blanks = blanks_at(line, i);
        if (blanks >= 2 && (*ret_gaps)++ == 0)
            start = i + blanks;
        i += blanks;
    }
    return start;
}

/* How many bytes of the rest go on this line: up to the last blank that is not beyond
 * columns, else up to the first one. */
static size_t piece_size(struct span rest, size_t columns)
{
    size_t size = 0;
    for (size_t i = 0; i < rest.size; i++) {
        if (rest.data[i] != ' ')
            continue;
        if (size > 0 && utf8_width((struct span){ rest.data, i }) > columns)
            return size;
        size = i;
    }
    return size > 0 && utf8_width(rest) > columns ? size : rest.size;
}

static void line_wrap(struct span line, size_t columns, struct strbuf *out)
{
    size_t gaps;
    size_t start = text_start(line, &gaps);
    if (utf8_width(line) <= columns || gaps > 1 || start > columns / 2) {
        strbuf_add_span(out, line);
        return;
    }
    struct span rest = span_skip(line, start);
    strbuf_add(out, line.data, start);
    for (;;) {
        size_t size = piece_size(rest, columns - start);
        strbuf_add(out, rest.data, size);
        rest = span_skip(rest, size);
        rest = span_skip(rest, blanks_at(rest, 0));
        if (rest.size == 0)
            return;
        strbuf_addf(out, "\n%*s", (int)start, "");
    }
}

void wrap_lines(struct span text, size_t columns, struct strbuf *out)
{
    while (text.size > 0) {
        struct span line;
        bool has_end = span_cut(&text, '\n', &line);
        line_wrap(line, columns, out);
        if (has_end)
            strbuf_addc(out, '\n');
    }
}

size_t wrap_columns(int fd)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    uint64_t columns = WRAP_COLUMNS_DEFAULT;
    bool is_said = said && number_parse_u64(span_of(said), &columns) == 0;
    if (!is_said && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col;
    return columns < WRAP_COLUMNS_MIN ? WRAP_COLUMNS_MIN : (size_t)columns;
}
