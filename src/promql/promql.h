/* SPDX-License-Identifier: Apache-2.0 */
/* promql - the Prometheus language; the room's door.
 *
 *     text ──▶ lexer ──▶ parser, check ──▶ expr          the tree
 *                                           │
 *     source (callback) ──▶ select ──▶ evaluate ──▶ result ──▶ result_json
 *
 * Nothing here knows where series come from, or how a query arrives: a caller fills a
 * struct promql_source and hands over the request.
 */
#ifndef PROMQL_PROMQL_H
#define PROMQL_PROMQL_H

#include "promql/engine.h"
#include "promql/regex/regex.h"
#include "promql/result_json.h"
#include "promql/source.h"

#endif
