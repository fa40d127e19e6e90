/* SPDX-License-Identifier: Apache-2.0 */
/* credential - a MUNGE credential of this process's user, for one connection. */
#ifndef DATASET_FORWARDER_CHUNK_CREDENTIAL_H
#define DATASET_FORWARDER_CHUNK_CREDENTIAL_H

#include "base/err.h"
#include "base/span_type.h"
#include "dataset/forwarder/readers.h"

/* "no"; "yes", the default of who names nothing is "auto": where munged listens on
 * this host; or the path of munged's socket.  Errors: -EINVAL with a line. */
enum credential_use {
    CREDENTIAL_NO,
    CREDENTIAL_AUTO,
    CREDENTIAL_YES,
};
struct credential_opts {
    enum credential_use use;
    const char *socket; /* NULL: where libmunge has it */
};
int credential_opts_parse(const char *text, struct credential_opts *ret,
                          struct err *err);

/* With payload in it, as text.  Waits for munged.  Errors: -ENOTSUP (built without
 * MUNGE), -EHOSTUNREACH (no munged responds), -EPERM, with a line. */
int credential_make(const struct credential_opts *opts, struct span payload,
                    char out[static CREDENTIAL_MAX + 1], struct err *err);

#endif
