/* SPDX-License-Identifier: Apache-2.0 */
/* hostset - sets of host names: "oss[01-08],mds1".
 *
 * Brackets hold comma-separated numbers and ranges; leading zeros set the width.  One
 * bracket pair may stand anywhere in a name, further ones multiply.
 */
#ifndef MODEL_HOSTSET_H
#define MODEL_HOSTSET_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#define HOSTSET_HOSTS_MAX 100000

struct hostset;

/* Errors: -EINVAL (err says where), -E2BIG (over HOSTSET_HOSTS_MAX), -ENOMEM. */
int hostset_parse(struct span text, struct hostset **ret, struct err *err);
void hostset_free(struct hostset *set);
DEFINE_AUTO(struct hostset, hostset_free);
size_t hostset_count(const struct hostset *set);
const char *hostset_at(const struct hostset *set, size_t index); /* in given order */
bool hostset_has(const struct hostset *set, struct span host);
/* The short form: "oss[01-08]". */
void hostset_print(const struct hostset *set, struct strbuf *out);

#endif
