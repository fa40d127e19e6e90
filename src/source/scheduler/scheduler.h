/* SPDX-License-Identifier: Apache-2.0 */
/* source/scheduler - which jobs ran when and where; the room's door.
 *
 * Pure readers of what batch systems tell, into one list that is asked by id, by window
 * and by node, whatever the batch system.
 */
#ifndef SOURCE_SCHEDULER_SCHEDULER_H
#define SOURCE_SCHEDULER_SCHEDULER_H

#include "source/scheduler/job_list.h"
#include "source/scheduler/job_text.h"
#include "source/scheduler/job_time.h"
#include "source/scheduler/sacct_comment.h"

#endif
