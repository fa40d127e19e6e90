/* SPDX-License-Identifier: Apache-2.0 */
/* database_copy - one database of records into another; a part of the door. */
#ifndef RECORDS_DATABASE_COPY_H
#define RECORDS_DATABASE_COPY_H

#include "records/copy/copy.h"

/* Engines are found by the names in from and to.  Errors: as database_copy(), and
 * -EINVAL (an unknown engine). */
int records_copy(struct copy_request *request, struct copy_result *ret,
                 struct err *err);

#endif
