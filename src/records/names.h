/* SPDX-License-Identifier: Apache-2.0 */
/* names - the servers and namespaces that the database was seen to hold.
 *
 * In memory up to NAMES_MAX of each; forgotten on every rollback, because the
 * transaction may have been the one that stored them.
 *
 * Threads  the writer's, between begin and commit.
 */
#ifndef RECORDS_NAMES_H
#define RECORDS_NAMES_H

#include "records/records_private.h"

void names_forget(struct records *records);
/* Store every configured namespace, so that none can be given to two file systems, not
 * even by two configurations one after the other.
 * Errors: -EINVAL (it belongs to another file system or format), as records_put. */
int names_note_configured(struct records *records, struct err *err);
/* The namespace of (fs, format): configured, stored, or drawn now and stored.  The
 * texts of *ret are valid until names_forget().  Errors: as records_put. */
int names_namespace(struct records *records, struct span fs, struct span format,
                    struct namespace_known *ret, struct err *err);
/* The number of a server, stored where it is new; 0 for an empty name.
 * Errors: as records_put. */
int names_server(struct records *records, struct span server, int32_t *ret,
                 struct err *err);

#endif
