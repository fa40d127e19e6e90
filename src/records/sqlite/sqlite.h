/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite - the embedded engine: one file, one writer's connection, WAL, synced; the
 * room's door. */
#ifndef RECORDS_SQLITE_SQLITE_H
#define RECORDS_SQLITE_SQLITE_H

#include "records/engine/engine.h"

extern const struct records_engine records_sqlite;

#endif
