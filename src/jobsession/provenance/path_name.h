/* SPDX-License-Identifier: Apache-2.0 */
/* path_name - what is recorded of a path: the path itself, or a hash.
 *
 *     /usr/lib/libx.so        below a directory of the system      as it is
 *     /home/eva/run/in.nc     below her home, or a prefix          as it is
 *     /project/secret/in.nc   anything else                        #HMAC
 *
 * The key is its owner's: two runs of hers have the same hash of a path, and who has
 * not the key cannot try whether a path is one of them (doc/decisions/0580).
 *
 * Threads  any.
 */
#ifndef JOBSESSION_PROVENANCE_PATH_NAME_H
#define JOBSESSION_PROVENANCE_PATH_NAME_H

#include "base/strbuf.h"

#include <stdbool.h>

#define PATH_KEY_BYTES 32

struct path_names {
    const char *home;     /* NULL, "" and "/": none */
    const char *prefixes; /* with colons between; NULL: none */
    unsigned char key[PATH_KEY_BYTES];
};

bool path_is_shown(const struct path_names *names, struct span path);
/* Append it in the text form of entry_id.h. */
void path_name_print(const struct path_names *names, struct span path,
                     struct strbuf *out);

/* Which file that was, of a path that is a hash: by its build-id, else by size and time
 * of change.  Equal where those are; nothing is printed where they are not known. */
struct path_version {
    struct span path;
    const char *build_id; /* "": none */
    int64_t size;         /* -1: not known */
    int64_t mtime_s;      /* 0: not known */
};
void path_version_print(const struct path_names *names,
                        const struct path_version *version, struct strbuf *out);

#endif
