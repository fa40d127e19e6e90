/* SPDX-License-Identifier: Apache-2.0 */
/* diff_text - a text that names pairs of datasets, and which files of these differ. */
#include "dataset/repository/diff_text.h"

#include "base/span.h"
#include "dataset/repository/repository.h"

#include <string.h>

static bool digests_parse(struct span line, const char *before, struct digest *a,
                          struct digest *b)
{
    struct span first;
    line = span_trim(line);
    if (!span_starts(line, before))
        return false;
    line.data += strlen(before);
    line.size -= strlen(before);
    (void)span_cut(&line, ' ', &first);
    return digest_parse(first, a) == 0 && digest_parse(line, b) == 0;
}

static void files_print(const struct table *table, struct strbuf *out)
{
    size_t count =
        table->row_count < DIFF_TEXT_FILES_MAX ? table->row_count : DIFF_TEXT_FILES_MAX;
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out, "    %s %s\n", table_at(table, i, 0)->text,
                    table_at(table, i, 1)->text);
    if (count < table->row_count)
        strbuf_addf(out, "    and %zu more\n", table->row_count - count);
}

static int files_find(struct repository *repository, const struct digest *a,
                      const struct digest *b, struct strbuf *out, struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = repository_diff(repository, a, b, &table, err);
    if (rc >= 0)
        files_print(&table, out);
    return rc < 0 ? rc : 0;
}

int diff_text_complete(const char *directory, const char *before, struct strbuf *text,
                       struct err *err)
{
    AUTO(repository_free) struct repository *repository = NULL;
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    struct span line, rest = strbuf_span(text);
    struct digest a, b;
    int rc = repository_open(directory, false, &repository, err);
    while (rc == 0 && span_cut(&rest, '\n', &line)) {
        strbuf_add_span(&whole, line);
        strbuf_addc(&whole, '\n');
        if (digests_parse(line, before, &a, &b))
            rc = files_find(repository, &a, &b, &whole, err);
    }
    if (rc == 0)
        rc = strbuf_error(&whole);
    if (rc < 0)
        return rc;
    strbuf_clear(text);
    strbuf_add_span(text, strbuf_span(&whole));
    return strbuf_error(text);
}
