/* SPDX-License-Identifier: Apache-2.0 */
/* ccms_config - cc-metric-store's config.json as sections of barod.conf.
 *
 *     config.json ─▶ flat_json ─▶ [net] [store] [nats] [metric NAME] ... and comments
 *
 * Of versions 1.0 to 1.5, whose keys have two layouts.  Keys that barod has no
 * counterpart of become comments, each with the reason; passwords never come along.
 */
#ifndef MIGRATE_CCMS_CONFIG_H
#define MIGRATE_CCMS_CONFIG_H

#include "base/err.h"
#include "base/strbuf.h"

/* Append the sections to *out; *ret_comments is how many keys became comments.
 * Errors: -EBADMSG (no JSON, or none of the keys that these configurations have),
 * -EMSGSIZE (a path of names that is too long), -ENOMEM. */
int ccms_config_convert(struct span json, struct strbuf *out, size_t *ret_comments,
                        struct err *err);

#endif
