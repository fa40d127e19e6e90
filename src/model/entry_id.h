/* SPDX-License-Identifier: Apache-2.0 */
/* entry_id - a job identifier: bytes, their text form, and the split into fields.
 *
 * Lustre clients make identifiers out of a format (jobid_name, "%j:%u:%H"); servers
 * only see the result, at most 31 bytes, sometimes broken (LU-16251).  The split undoes
 * the format; it tries the site's formats in order and the first full match wins.
 *
 *     %e executable   greedy; the rest of the format still has to match behind it
 *     %h host name, whole     %H host name without a dot     (two names, never one)
 *     %j job id, no blank     %u %g %p  digits only
 *     %.6h at most six bytes  %j?%H the first, or where it is empty the second
 *
 * "disable" makes identifiers empty (the server keeps none); "nodelocal" uses the
 * format only; "procname_uid" is %e.%u; "session" is whatever the site wrote.
 */
#ifndef MODEL_ENTRY_ID_H
#define MODEL_ENTRY_ID_H

#include "base/err.h"
#include "base/strbuf.h"
#include "model/entry.h"

#define ENTRY_ID_LUSTRE_BYTES_MAX 31
#define ENTRY_FORMAT_FIELDS_MAX 16

/* The text form used everywhere: printable ASCII and valid UTF-8 as is; every other
 * byte and the backslash as \xHH. */
void entry_id_print(struct strbuf *out, struct span id);
/* Back to bytes; out must have room for text.size.  Errors: -EINVAL (a backslash that
 * does not begin \xHH). */
int entry_id_parse(struct span text, char *out, size_t *ret_size);

enum entry_field {
    ENTRY_EXECUTABLE,
    ENTRY_HOST, /* %h and %H: the node's name as it stands */
    ENTRY_JOB,
    ENTRY_USER,
    ENTRY_GROUP,
    ENTRY_PID,
    ENTRY_FIELD_COUNT,
};

enum {
    SPLIT_MALFORMED = 1 << 0,      /* no configured format matches */
    SPLIT_MISSING_JOB = 1 << 1,    /* it matches with an empty job id */
    SPLIT_MAYBE_CUT = 1 << 2,      /* 31 bytes: Lustre may have cut it */
    SPLIT_MAYBE_REPLACED = 1 << 3, /* '?' (2.8-2.15.1 print it for odd bytes) */
};

struct entry_split {
    const struct entry_format *format; /* NULL: none matched */
    unsigned flags;
    struct span fields[ENTRY_FIELD_COUNT]; /* data NULL: not in the identifier */
};

struct entry_format;

/* Understand a jobid_name, or one of the words procname_uid, nodelocal, disable,
 * session. Errors: -EINVAL (unknown code, two %e, too long: err says which), -ENOMEM.
 */
int entry_format_new(const char *jobid_name, struct entry_format **ret,
                     struct err *err);
void entry_format_free(struct entry_format *format);
DEFINE_AUTO(struct entry_format, entry_format_free);
const char *entry_format_text(const struct entry_format *format);

/* id may hold any bytes.  exact: the text the id came from cannot have replaced bytes
 * by
 * '?' (it was quoted), so that SPLIT_MAYBE_REPLACED is not set. */
void entry_id_split(struct span id, bool exact,
                    const struct entry_format *const *formats, size_t count,
                    struct entry_split *ret);

/* "malformed", "missing_job", ... of one flag. */
const char *entry_split_flag_name(unsigned flag);

#endif
