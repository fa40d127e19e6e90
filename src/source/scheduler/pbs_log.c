/* SPDX-License-Identifier: Apache-2.0 */
/* pbs_log - the accounting log of PBS and Torque, and of Cobalt, which writes the same.
 */
#include "source/scheduler/pbs_log.h"

#include "base/span.h"

#include <ctype.h>

/* Kinds of Cobalt have two letters: of tasks, holds, changes. */
bool pbs_log_is_record(struct span line)
{
    static const char shape[] = "99/99/9999 99:99:99;A";
    const size_t kind_end = sizeof shape - 1;
    if (line.size <= kind_end + 1)
        return false;
    bool has_two = isalpha((unsigned char)line.data[kind_end]);
    if (line.data[kind_end + has_two] != ';')
        return false;
    for (size_t i = 0; i < sizeof shape - 1; i++) {
        bool fits = shape[i] == '9'   ? isdigit((unsigned char)line.data[i])
                    : shape[i] == 'A' ? isalpha((unsigned char)line.data[i])
                                      : line.data[i] == shape[i];
        if (!fits)
            return false;
    }
    return true;
}

/* The quote that ends a value, behind which it begins; one behind a backslash is of the
 * value: what a job was called with is the user's.  NULL: it has no end. */
static const char *quote_end(struct span text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] == '"')
            return text.data + i;
        i += text.data[i] == '\\';
    }
    return NULL;
}

/* Cut "key=value" off rest; a value may stand in quotes, and hold blanks then. */
static bool cut_pair(struct span *rest, struct span *key, struct span *value)
{
    *rest = span_trim(*rest);
    if (rest->size == 0 || !memchr(rest->data, '=', rest->size))
        return false;
    (void)span_cut(rest, '=', key);
    const char *blank = memchr(key->data, ' ', key->size);
    if (blank) /* a word without value before it */
        *key = span_skip(*key, (size_t)(blank - key->data) + 1);
    const char *end = rest->size > 1 && rest->data[0] == '"' ? quote_end(*rest) : NULL;
    if (end) {
        size_t size = (size_t)(end - rest->data) - 1;
        *value = (struct span){ rest->data + 1, size };
        *rest = span_skip(*rest, size + 2);
    } else {
        (void)span_cut(rest, ' ', value);
    }
    return true;
}

static int read_pairs(struct span rest, struct job_fields *fields)
{
    struct span key, value;
    int rc = 0;
    while (rc == 0 && cut_pair(&rest, &key, &value)) {
        enum job_field field;
        unsigned rank;
        if (job_field_of(NULL, key, &field, &rank) && field != JOB_FIELD_ID)
            rc = job_fields_set(fields, field, rank, value);
    }
    return rc;
}

int pbs_log_line(struct span line, uint64_t number, const struct job_text_opts *opts,
                 struct job_fields *fields, struct job_list *list)
{
    struct span rest = line, time, kind, id;
    const char *reason = "it is not a record of an accounting log";
    int rc = 0;
    if (line.size == 0)
        return 0;
    job_fields_clear(fields);
    if (!pbs_log_is_record(line))
        rc = -EINVAL;
    (void)span_cut(&rest, ';', &time);
    (void)span_cut(&rest, ';', &kind);
    (void)span_cut(&rest, ';', &id);
    bool is_begun = span_is(kind, "S");
    if (rc == 0 && !is_begun && !span_is(kind, "E") && !span_is(kind, "R") &&
        !span_is(kind, "A"))
        return 0;
    if (rc == 0)
        rc = job_fields_set(fields, JOB_FIELD_ID, 0, id);
    if (rc == 0)
        rc = read_pairs(rest, fields);
    if (rc == 0 && !is_begun && !(fields->present & UINT64_C(1) << JOB_FIELD_START))
        return 0; /* it was aborted before it ran */
    if (rc == 0)
        rc = job_fields_set(fields, JOB_FIELD_STATE, 0,
                            is_begun ? SPAN("RUNNING") : SPAN("FINISHED"));
    if (rc == 0)
        rc = job_fields_add(fields, &opts->clock, list, &reason);
    if (rc != -EINVAL && rc != -EMSGSIZE)
        return rc;
    job_text_fault(opts, list, number, line, reason);
    return 0;
}
