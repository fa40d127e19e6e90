/* SPDX-License-Identifier: Apache-2.0 */
/* pair - in what runs differ, as text, tables and rows; the room's door. */
#ifndef REPORT_PAIR_PAIR_H
#define REPORT_PAIR_PAIR_H

#include "report/pair/job_pair_page.h"
#include "report/pair/job_runs_table.h"
#include "report/pair/metric_pair_page.h"

#endif
