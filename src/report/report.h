/* SPDX-License-Identifier: Apache-2.0 */
/* report - pages in words out of typed results; the room's door. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/climate_table.h"
#include "report/clock_table.h"
#include "report/divergence_table.h"
#include "report/grid_table.h"
#include "report/job/job.h"
#include "report/job_list_table.h"
#include "report/job_sheet.h"
#include "report/job_summary_form.h"
#include "report/job_summary_writer.h"
#include "report/metric_plot.h"
#include "report/pair/pair.h"
#include "report/reliability/reliability.h"
#include "report/result_follow.h"
#include "report/result_print.h"
#include "report/result_screen.h"
#include "report/runs_notes.h"
#include "report/space/space.h"
#include "report/study_page.h"
#include "report/study_table.h"
#include "report/table_parts.h"
#include "report/umami_table.h"
#include "report/unusual/unusual.h"
#include "report/usage/usage.h"
#include "report/weather_report.h"

#endif
