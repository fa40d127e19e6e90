/* SPDX-License-Identifier: Apache-2.0 */
/* source/table - measures out of anybody's table; the room's door.
 *
 * A mapping says what the columns mean; rows come from CSV by the caller, or from
 * SQLite, PostgreSQL and MySQL by this room.
 */
#ifndef SOURCE_TABLE_TABLE_H
#define SOURCE_TABLE_TABLE_H

#include "source/table/table_mapping.h"
#include "source/table/table_query.h"
#include "source/table/table_row.h"

#endif
