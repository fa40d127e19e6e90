/* SPDX-License-Identifier: Apache-2.0 */
/* certificate - whether a certificate and its key can serve. */
#ifndef NET_CERTIFICATE_H
#define NET_CERTIFICATE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

struct certificate_warning {
    char text[120]; /* "": none */
};

/* Both in PEM form, the server's own certificate first.  A certificate that has
 * expired, expires within two weeks or is not valid yet is a warning. Errors: -EINVAL
 * (no certificate, no key, not a pair), -ENOMEM. */
int certificate_check(struct span certificate, struct span key,
                      struct certificate_warning *ret, struct err *err);

#endif
