/* SPDX-License-Identifier: Apache-2.0 */
/* statement_source - whose statement about a resource it is that a client sends.
 *
 *     admin     admin, or system:WORD where the line has a source
 *     agent     system:WORD, else system:agent; about its own host alone, or those of
 *               its token's cluster where that carries many.  Not under the names of
 *               barod and of the site's programs (reserved_names), nor of another
 * host's checks (NAME@HOST) a person  user:NAME: an opinion, as of now, whatever the
 * line names as its source
 */
#ifndef INGEST_STATEMENT_SOURCE_H
#define INGEST_STATEMENT_SOURCE_H

#include "model/model.h"
#include "net/net.h"

/* Sets source and by.  origin: where the client is.  Errors: -EACCES, -EBADMSG (each
 * with its reason), -ENOMEM. */
int statement_source_set(const struct net_identity *identity, const char *origin,
                         struct arena *arena, struct resource_statement *statement,
                         struct err *err);

#endif
