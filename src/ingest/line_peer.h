/* SPDX-License-Identifier: Apache-2.0 */
/* line_peer - what cc-metric-store says of a bad line, in its words.
 *
 * It reads a line in order and says what it meets first; a line of a metric that it
 * does not have it never reads to its end, and a time that it cannot read is the
 * present to it.  So some lines are bad here and not there.
 *
 * Source   InfluxDB's decoder of line protocol, version 2, as cc-metric-store 1.5.4 has
 * it. Threads  none inside.
 */
#ifndef INGEST_LINE_PEER_H
#define INGEST_LINE_PEER_H

#include "base/strbuf.h"

#include <stdint.h>

/* text: a line from its first byte on, with its line end if it has one.  Appends what
 * is said of it to out.  0: nothing, it is taken.  Errors: -EBADMSG (out has the
 * words). */
int line_peer_check(struct span text, uint64_t line, struct strbuf *out);

/* The measurement as it stands there, escapes and all; empty: there is none. */
struct span line_peer_measurement(struct span text);

#endif
