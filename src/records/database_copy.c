/* SPDX-License-Identifier: Apache-2.0 */
/* database_copy - one database of records into another. */
#include "records/database_copy.h"

#include "records/engines.h"

int records_copy(struct copy_request *request, struct copy_result *ret, struct err *err)
{
    request->from_engine = engine_find(request->from->engine);
    request->to_engine = engine_find(request->to->engine);
    if (!request->from_engine || !request->to_engine)
        return err_set(err, EINVAL, "records: an engine is not known");
    return database_copy(request, ret, err);
}
