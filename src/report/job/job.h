/* SPDX-License-Identifier: Apache-2.0 */
/* job - one job as a page, a line and a document; the room's door. */
#ifndef REPORT_JOB_JOB_H
#define REPORT_JOB_JOB_H

#include "report/job/finding_json.h"
#include "report/job/finding_text.h"
#include "report/job/job_around_text.h"
#include "report/job/job_comparison_json.h"
#include "report/job/job_context_json.h"
#include "report/job/job_html.h"
#include "report/job/job_js1.h"
#include "report/job/job_known.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_page.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_stored_page.h"
#include "report/job/provenance/datasets_page.h"
#include "report/job/provenance/ran_with_page.h"
#include "report/job/run_line.h"
#include "report/job/site_text.h"
#include "report/job/trial_page.h"

#endif
