/* SPDX-License-Identifier: Apache-2.0 */
/* result_json - results and errors as /api/v1/query and query_range return them. */
#ifndef PROMQL_RESULT_JSON_H
#define PROMQL_RESULT_JSON_H

#include "promql/engine.h"

/* {"status":"success","data":{...}}, with the warnings where there are any. */
void result_json_add(struct strbuf *out, const struct promql_result *result,
                     const struct span *warnings, size_t warning_count);

/* {"status":"error","errorType":"bad_data","error":"..."}; rc of promql_query(). */
void result_json_add_error(struct strbuf *out, int rc, const char *text);

/* bad_data, execution, canceled, timeout, internal. */
const char *result_json_error_type(int rc);

#endif
