/* SPDX-License-Identifier: Apache-2.0 */
/* scope - what of the database a client may see; the room's door. */
#ifndef ACCESS_SCOPE_SCOPE_H
#define ACCESS_SCOPE_SCOPE_H

#include "access/scope/job_scope.h"
#include "access/scope/row_scope.h"

#endif
