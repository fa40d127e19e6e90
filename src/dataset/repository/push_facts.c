/* SPDX-License-Identifier: Apache-2.0 */
/* push_facts - what a sender states of an image beside its bytes, as text. */
#include "dataset/repository/push_facts.h"

#include "base/span.h"
#include "dataset/repository/facts.h"

#include <string.h>

/* ---- of the receiver ---- */

static bool fact_is_printable(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static int fact_label_add(struct push_facts *facts, struct span value, struct err *err)
{
    if (facts->label_count == DATASET_LABELS_MAX)
        return err_set(err, E2BIG, "more than %d labels", DATASET_LABELS_MAX);
    facts->labels[facts->label_count++] = value;
    return 0;
}

static int fact_view_begin(struct push_facts *facts, struct span name, struct err *err)
{
    if (facts->view_count == VIEWS_OF_DATASET_MAX)
        return err_set(err, E2BIG, "a dataset has at most %u views",
                       VIEWS_OF_DATASET_MAX);
    facts->views[facts->view_count++].name = name;
    return view_name_check(name, err);
}

static int fact_set(struct span *at, struct span value, size_t most, struct err *err)
{
    if (at->size || !value.size || value.size > most)
        return err_set(err, EBADMSG, "a fact of %zu bytes, or a second one",
                       value.size);
    *at = value;
    return 0;
}

static int audience_set(struct push_facts *facts, struct span value, struct err *err)
{
    char text[16];
    if (value.size >= sizeof text)
        return err_set(err, EBADMSG, "an access that is not known");
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    return dataset_audience_parse(text, &facts->audience, err);
}

/* line: with its end, in the text. */
static int view_line_add(struct push_facts *facts, struct span line, struct err *err)
{
    struct push_view *view =
        facts->view_count ? &facts->views[facts->view_count - 1] : NULL;
    if (!view || (view->text.size && view->text.data + view->text.size != line.data))
        return err_set(err, EBADMSG, "a line of no view");
    if (!view->text.size)
        view->text.data = line.data;
    view->text.size += line.size;
    return 0;
}

static int line_parse(struct push_facts *facts, struct span line, struct err *err)
{
    struct span value = { line.data, line.size - 1 }, key;
    if (!fact_is_printable(value))
        return err_set(err, EBADMSG, "a fact with a control character");
    (void)span_cut(&value, ' ', &key);
    if (span_is(key, "label"))
        return fact_label_add(facts, value, err);
    if (span_is(key, "view"))
        return fact_view_begin(facts, value, err);
    if (span_is(key, "set") || span_is(key, "prepend"))
        return view_line_add(facts, line, err);
    if (span_is(key, "access"))
        return audience_set(facts, value, err);
    if (span_is(key, "tag"))
        return fact_set(&facts->tag, value, DATASET_TAG_MAX, err);
    if (span_is(key, "source"))
        return fact_set(&facts->source, value, PUSH_SOURCE_MAX, err);
    if (span_is(key, "tool"))
        return fact_set(&facts->tool, value, PUSH_SOURCE_MAX, err);
    if (span_is(key, "arguments"))
        return fact_set(&facts->arguments, value, PUSH_SOURCE_MAX, err);
    return err_set(err, EBADMSG, "a fact that is not known");
}

int push_facts_parse(struct span text, struct push_facts *ret, struct err *err)
{
    struct push_facts facts = { .audience = DATASET_PRIVATE };
    int rc = text.size > PUSH_FACTS_MAX
                 ? err_set(err, E2BIG, "more than %u bytes of facts", PUSH_FACTS_MAX)
                 : 0;
    while (rc == 0 && text.size) {
        const char *end = memchr(text.data, '\n', text.size);
        if (!end)
            return err_set(err, EBADMSG, "a fact without an end");
        size_t size = (size_t)(end - text.data) + 1;
        rc = line_parse(&facts, (struct span){ text.data, size }, err);
        text = span_skip(text, size);
    }
    for (size_t i = 0; rc == 0 && i < facts.view_count; i++)
        rc = view_check(facts.views[i].text, err);
    if (rc == 0)
        *ret = facts;
    return rc;
}

/* ---- of the sender ---- */

static void fact_add(struct strbuf *out, const char *key, struct span value,
                     size_t most)
{
    if (!value.size)
        return;
    if (value.size > most)
        value.size = most;
    strbuf_addf(out, "%s ", key);
    for (size_t i = 0; i < value.size; i++)
        strbuf_addc(out, fact_is_printable((struct span){ value.data + i, 1 })
                             ? value.data[i]
                             : '?');
    strbuf_addc(out, '\n');
}

static int own_facts_add(struct repository *r, int64_t dataset, struct strbuf *out,
                         const struct push_options *options, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *row = NULL;
    int rc = catalogue_prepare(
        r->db, "SELECT access, source, tool, arguments FROM dataset WHERE id = ?", &row,
        err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(row, 1, dataset);
    rc = catalogue_step(row, err);
    if (rc <= 0)
        return rc < 0 ? rc : -ENOENT;
    fact_add(out, "access",
             options->audience ? span_of(options->audience) : catalogue_span(row, 0),
             16);
    fact_add(out, "source", catalogue_span(row, 1), PUSH_SOURCE_MAX);
    fact_add(out, "tool", catalogue_span(row, 2), PUSH_SOURCE_MAX);
    fact_add(out, "arguments", catalogue_span(row, 3), PUSH_SOURCE_MAX);
    return 0;
}

static int own_labels_add(struct repository *r, int64_t dataset, struct strbuf *out,
                          struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = catalogue_prepare(
        r->db, "SELECT key || '=' || value FROM label WHERE dataset = ? ORDER BY key",
        &rows, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(rows, 1, dataset);
    while ((rc = catalogue_step(rows, err)) > 0)
        fact_add(out, "label", catalogue_span(rows, 0), DATASET_TEXT_MAX);
    return rc;
}

static int own_views_add(struct repository *r, const struct digest *name,
                         struct strbuf *out, struct err *err)
{
    AUTO_STATEMENT sqlite3_stmt *rows = NULL;
    int rc = facts_views(r, name, &rows, err);
    while (rc > 0 && (rc = catalogue_step(rows, err)) > 0) {
        fact_add(out, "view", catalogue_span(rows, 0), VIEW_NAME_MAX);
        strbuf_add_span(out, catalogue_span(rows, 1));
    }
    return rc;
}

int push_facts_of(struct repository *r, const struct digest *name,
                  const struct push_options *options, struct strbuf *out,
                  struct err *err)
{
    const struct dataset_admission given = { .labels = options->labels,
                                             .label_count = options->label_count,
                                             .tag = options->tag };
    struct push_facts facts;
    int64_t dataset = 0;
    int rc = facts_check(&given, err);
    if (rc == 0)
        rc = facts_need(r, name, &dataset, err);
    if (rc == 0)
        rc = own_facts_add(r, dataset, out, options, err);
    if (rc == 0 && options->tag)
        fact_add(out, "tag", span_of(options->tag), DATASET_TAG_MAX);
    if (rc == 0)
        rc = own_labels_add(r, dataset, out, err);
    for (size_t i = 0; rc == 0 && i < options->label_count; i++)
        fact_add(out, "label", span_of(options->labels[i]), DATASET_TEXT_MAX);
    if (rc == 0)
        rc = own_views_add(r, name, out, err);
    if (rc == 0)
        rc = strbuf_error(out);
    return rc < 0 ? rc : push_facts_parse(strbuf_span(out), &facts, err);
}
