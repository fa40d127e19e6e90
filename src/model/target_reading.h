/* SPDX-License-Identifier: Apache-2.0 */
/* target_reading - what one reading reported of a target: how full it was, which server
 * had it.
 *
 *     {"cluster":"alex","target":"scratch-OST0001","t":1669014000,"mount":"/scratch",
 *      "total_kib":1000,"used_kib":420,"available_kib":580}
 *     {"cluster":"alex","target":"scratch-OST0001","t":1669014002,
 *      "server":"10.1.1.2@o2ib2","active":true,"source":"login1"}
 *
 * One of both may be missing: lfs df reports the space, lctl dl -t the server.
 */
#ifndef MODEL_TARGET_READING_H
#define MODEL_TARGET_READING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "model/target.h"

#define TARGET_READING_LINE_BYTES_MAX ((size_t)4096)
#define TARGET_READING_KIB_MAX (INT64_MAX / 1024) /* so that bytes fit 63 bits */

struct target_reading {
    struct span cluster; /* empty: none was named */
    struct span target;  /* "scratch-OST0001" */
    int64_t t_ns;
    struct span mount; /* "/scratch"; empty: not known */
    bool has_space;    /* the three are known */
    int64_t total_kib, used_kib, available_kib;
    struct span server; /* "10.1.1.2@o2ib2"; empty: not known */
    bool is_inactive;   /* its space was not reported, or its connection is not up */
    struct span source; /* the host that read it; empty: not known */
};

/* The target's file system; of a reading that target_reading_check() passes. */
struct span target_reading_fs(const struct target_reading *reading);

/* Why it cannot be stored, or NULL: its target is no target of Lustre, it has neither
 * space, server nor that it is inactive, more is used than there is, a text of it is
 * too long, or has blanks or control bytes.  Static text. */
const char *target_reading_check(const struct target_reading *reading);

void target_reading_print_line(const struct target_reading *reading,
                               struct strbuf *out);
/* Read what target_reading_print_line() prints, with or without the line's end; its
 * keys may come in any order.  Texts of *ret lie in arena.  Errors: -EBADMSG (err has
 * the reason), -ENOMEM. */
int target_reading_read_line(struct span line, struct arena *arena,
                             struct target_reading *ret, struct err *err);

#endif
