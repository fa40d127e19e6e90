/* SPDX-License-Identifier: Apache-2.0 */
/* entry_format - what a client's jobid_name makes, undone.
 *
 *     "%j:%u:%H"  ──▶  [%j] [":"] [%u] [":"] [%H]        items, matched with going back
 *
 * Each field takes as much as it can and gives back what the rest of the format needs.
 * A pair (item, place) that has failed is remembered, so that no identifier, however it
 * was made, costs more than items x bytes x bytes steps.
 *
 * Rules that Lustre does not state, because it only prints:
 * - %j does not hold the character that follows it in the format: a site divides with a
 *   character that its job ids do not have.
 * - %h and %H are made of letters, digits, '.', '-', '_'.
 * - Only %j may be empty; in "%j?%H" no part but the last.  A text
 *   that fits several parts is the first one's: doc/decisions/0222.
 */
#include "model/entry_id.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

#define FORMAT_BYTES_MAX 255
#define ITEMS_MAX (2 * ENTRY_FORMAT_FIELDS_MAX + 1)
#define ALTERNATIVES_MAX 4

enum field_class {
    CLASS_ANY, /* executable: anything */
    CLASS_HOST,
    CLASS_SHORT_HOST,
    CLASS_JOB,
    CLASS_DIGITS,
};

struct field {
    enum entry_field field;
    enum field_class class;
    size_t size_max;
};

struct item {
    struct span literal; /* size 0: a field */
    size_t count;        /* of alternatives */
    struct field alternatives[ALTERNATIVES_MAX];
};

struct entry_format {
    char text[FORMAT_BYTES_MAX + 1];
    char literals[FORMAT_BYTES_MAX + 1]; /* the format without its blanks */
    bool matches_nothing;
    size_t item_count;
    size_t field_count;
    struct item items[ITEMS_MAX];
};

/* --- understanding a format -------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool field_of_code(char code, struct field *ret)
{
    static const struct {
        char code;
        struct field field;
    } codes[] = {
        { 'e', { ENTRY_EXECUTABLE, CLASS_ANY, ENTRY_ID_BYTES_MAX } },
        { 'h', { ENTRY_HOST, CLASS_HOST, ENTRY_ID_BYTES_MAX } },
        { 'H', { ENTRY_HOST, CLASS_SHORT_HOST, ENTRY_ID_BYTES_MAX } },
        { 'j', { ENTRY_JOB, CLASS_JOB, ENTRY_ID_BYTES_MAX } },
        { 'u', { ENTRY_USER, CLASS_DIGITS, ENTRY_ID_BYTES_MAX } },
        { 'g', { ENTRY_GROUP, CLASS_DIGITS, ENTRY_ID_BYTES_MAX } },
        { 'p', { ENTRY_PID, CLASS_DIGITS, ENTRY_ID_BYTES_MAX } },
    };
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        if (codes[i].code != code)
            continue;
        *ret = codes[i].field;
        return true;
    }
    return false;
}

/* "%.6h": s stands behind the '%'; the width and the code are taken off it. */
static int take_field(struct span *s, struct field *ret, struct err *err)
{
    uint64_t width = ENTRY_ID_BYTES_MAX;
    struct span at = *s;
    if (at.size > 0 && *at.data == '.') {
        at = span_skip(at, 1);
        size_t n = 0;
        while (n < at.size && at.data[n] >= '0' && at.data[n] <= '9')
            n++;
        if (number_parse_u64((struct span){ at.data, n }, &width) < 0 || width == 0 ||
            width > ENTRY_ID_BYTES_MAX)
            return err_set(err, EINVAL, "'%%." SPAN_FMT "': a width is 1 to %d",
                           SPAN_ARG(at), ENTRY_ID_BYTES_MAX);
        at = span_skip(at, n);
    }
    struct field field;
    if (at.size == 0 || !field_of_code(*at.data, &field))
        return err_set(err, EINVAL,
                       "'%%" SPAN_FMT "': a code is one of %%e %%g %%h %%H %%j %%p %%u",
                       (int)(at.size > 0 ? 1 : 0), at.data);
    field.size_max = (size_t)width;
    *ret = field;
    *s = span_skip(at, 1);
    return 0;
}

static int add_literal(struct entry_format *f, const char *at, struct err *err)
{
    struct item *last = f->item_count > 0 ? &f->items[f->item_count - 1] : NULL;
    if (last && last->literal.size > 0) {
        last->literal.size++;
        return 0;
    }
    if (f->item_count == ITEMS_MAX)
        return err_set(err, EINVAL, "'%s': too long", f->text);
    f->items[f->item_count++] = (struct item){ .literal = { at, 1 } };
    return 0;
}

/* has_mark: the format said "?" before it, so that it stands in for the field before.
 */
static int add_field(struct entry_format *f, const struct field *field, bool has_mark,
                     struct err *err)
{
    if (field->class == CLASS_ANY)
        for (size_t i = 0; i < f->item_count; i++)
            for (size_t k = 0; k < f->items[i].count; k++)
                if (f->items[i].alternatives[k].class == CLASS_ANY)
                    return err_set(err, EINVAL, "'%s': two %%e cannot be distinguished",
                                   f->text);
    if (has_mark) {
        struct item *item = &f->items[f->item_count - 1];
        if (item->count == ALTERNATIVES_MAX)
            return err_set(err, EINVAL, "'%s': too many '?'", f->text);
        item->alternatives[item->count++] = *field;
        return 0;
    }
    if (f->item_count == ITEMS_MAX || f->field_count == ENTRY_FORMAT_FIELDS_MAX)
        return err_set(err, EINVAL, "'%s': more than %d fields", f->text,
                       ENTRY_FORMAT_FIELDS_MAX);
    f->field_count++;
    f->items[f->item_count++] = (struct item){ .count = 1, .alternatives = { *field } };
    return 0;
}

static int compile(struct entry_format *f, struct err *err)
{
    struct span s = span_of(f->literals);
    bool after_field = false;
    if (s.size == 0)
        return err_set(err, EINVAL, "a format of identifiers is empty");
    while (s.size > 0) {
        bool has_mark = after_field && span_starts(s, "?%");
        if (has_mark)
            s = span_skip(s, 1);
        int rc;
        after_field = *s.data == '%';
        if (after_field) {
            struct field field = { 0 };
            s = span_skip(s, 1);
            rc = take_field(&s, &field, err);
            if (rc == 0)
                rc = add_field(f, &field, has_mark, err);
        } else {
            rc = add_literal(f, s.data, err);
            s = span_skip(s, 1);
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The words that jobid_var knows beside the name of a variable.  Returns 1 when the
 * word needs no format, else 0 with the format it stands for. */
static int compile_word(struct entry_format *f, const char **ret_format)
{
    static const struct field whole = { ENTRY_JOB, CLASS_ANY, ENTRY_ID_BYTES_MAX };
    if (strcmp(f->text, "procname_uid") == 0 || strcmp(f->text, "nodelocal") == 0) {
        *ret_format = "%e.%u"; /* Lustre's own jobid_name where none was set */
        return 0;
    }
    if (strcmp(f->text, "disable") == 0) {
        f->matches_nothing = true;
        return 1;
    }
    if (strcmp(f->text, "session") == 0) {
        f->items[0] = (struct item){ .count = 1, .alternatives = { whole } };
        f->item_count = f->field_count = 1;
        return 1;
    }
    return 0;
}

int entry_format_new(const char *jobid_name, struct entry_format **ret, struct err *err)
{
    if (strlen(jobid_name) > FORMAT_BYTES_MAX)
        return err_set(err, EINVAL, "a format of identifiers is over %d bytes",
                       FORMAT_BYTES_MAX);
    AUTO(entry_format_free) struct entry_format *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(err, ENOMEM, "out of memory");
    memcpy(f->text, jobid_name, strlen(jobid_name));
    const char *format = f->text;
    if (compile_word(f, &format) == 0) {
        char *to = f->literals;
        for (const char *at = format; *at; at++)
            if (!is_blank(*at))
                *to++ = *at;
        int rc = compile(f, err);
        if (rc < 0)
            return rc;
    }
    *ret = TAKE(f);
    return 0;
}

void entry_format_free(struct entry_format *format)
{
    free(format);
}

const char *entry_format_text(const struct entry_format *format)
{
    return format->text;
}

/* --- matching ---------------------------------------------------- */

struct match {
    const struct entry_format *format;
    struct span id;
    struct span fields[ENTRY_FIELD_COUNT];
    unsigned char failed[ITEMS_MAX][(ENTRY_ID_BYTES_MAX + 8) / 8];
};

static bool is_host_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_' || c == '.';
}

static bool class_has(enum field_class class, char c)
{
    switch (class) {
    case CLASS_ANY:
        return true;
    case CLASS_HOST:
        return is_host_byte(c);
    case CLASS_SHORT_HOST:
        return is_host_byte(c) && c != '.';
    case CLASS_JOB:
        return !is_blank(c);
    case CLASS_DIGITS:
        return c >= '0' && c <= '9';
    }
    return false;
}

/* How many bytes from place on the field could take. */
static size_t field_reach(const struct match *m, size_t item, const struct field *field,
                          size_t place)
{
    const struct entry_format *f = m->format;
    bool stops = field->class == CLASS_JOB && item + 1 < f->item_count &&
                 f->items[item + 1].literal.size > 0;
    char stop = stops ? *f->items[item + 1].literal.data : '\0';
    size_t n = 0;
    while (place + n < m->id.size && n < field->size_max) {
        char c = m->id.data[place + n];
        if (!class_has(field->class, c) || (stops && c == stop))
            break;
        n++;
    }
    return n;
}

static bool match_from(struct match *m, size_t item, size_t place);

static bool match_field(struct match *m, size_t index, size_t place)
{
    const struct item *item = &m->format->items[index];
    for (size_t k = 0; k < item->count; k++) {
        const struct field *field = &item->alternatives[k];
        bool may_be_empty = field->class == CLASS_JOB && k + 1 == item->count;
        size_t size_min = may_be_empty ? 0 : 1;
        for (size_t n = field_reach(m, index, field, place) + 1; n-- > size_min;) {
            if (!match_from(m, index + 1, place + n))
                continue;
            m->fields[field->field] = (struct span){ m->id.data + place, n };
            return true;
        }
    }
    return false;
}

static bool match_from(struct match *m, size_t index, size_t place)
{
    if (index == m->format->item_count)
        return place == m->id.size;
    unsigned char *failed = &m->failed[index][place / 8];
    unsigned char bit = (unsigned char)(1 << place % 8);
    if (*failed & bit)
        return false;
    const struct item *item = &m->format->items[index];
    struct span rest = span_skip(m->id, place);
    bool matches;
    if (item->literal.size > 0)
        matches = rest.size >= item->literal.size &&
                  memcmp(rest.data, item->literal.data, item->literal.size) == 0 &&
                  match_from(m, index + 1, place + item->literal.size);
    else
        matches = match_field(m, index, place);
    if (!matches)
        *failed |= bit;
    return matches;
}

void entry_id_split(struct span id, bool exact,
                    const struct entry_format *const *formats, size_t count,
                    struct entry_split *ret)
{
    *ret = (struct entry_split){ 0 };
    if (id.size >= ENTRY_ID_LUSTRE_BYTES_MAX)
        ret->flags |= SPLIT_MAYBE_CUT;
    if (!exact && id.size > 0 && memchr(id.data, '?', id.size))
        ret->flags |= SPLIT_MAYBE_REPLACED;
    for (size_t i = 0; i < count && id.size <= ENTRY_ID_BYTES_MAX; i++) {
        struct match m = { .format = formats[i],
                           .id = { id.data ? id.data : "", id.size } };
        if (formats[i]->matches_nothing || !match_from(&m, 0, 0))
            continue;
        ret->format = formats[i];
        memcpy(ret->fields, m.fields, sizeof ret->fields);
        struct span job = ret->fields[ENTRY_JOB];
        if (job.data && job.size == 0)
            ret->flags |= SPLIT_MISSING_JOB;
        return;
    }
    ret->flags |= SPLIT_MALFORMED;
}
