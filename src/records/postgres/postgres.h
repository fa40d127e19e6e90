/* SPDX-License-Identifier: Apache-2.0 */
/* postgres - the engine for more than one machine: libpq, a partition a day; the room's
 * door. */
#ifndef RECORDS_POSTGRES_POSTGRES_H
#define RECORDS_POSTGRES_POSTGRES_H

#include "records/engine/engine.h"

extern const struct records_engine records_postgres;

#endif
