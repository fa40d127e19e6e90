/* SPDX-License-Identifier: Apache-2.0 */
/* request - what is requested of a database and what it reports: the room's door.
 *
 * Types alone, which the door of records hands on to other rooms.
 */
#ifndef RECORDS_REQUEST_REQUEST_H
#define RECORDS_REQUEST_REQUEST_H

#include "records/request/hour.h"
#include "records/request/opts.h"
#include "records/request/range.h"
#include "records/request/report.h"

#endif
