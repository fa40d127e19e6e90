/* SPDX-License-Identifier: Apache-2.0 */
/* reliability - failures and repairs of components, for people; the room's door. */
#ifndef REPORT_RELIABILITY_RELIABILITY_H
#define REPORT_RELIABILITY_RELIABILITY_H

#include "report/reliability/failure_table.h"

#endif
