/* SPDX-License-Identifier: Apache-2.0 */
/* model - the door of the nouns: every other room includes this. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/cell.h"
#include "model/component.h"
#include "model/component_pattern.h"
#include "model/counter.h"
#include "model/entry.h"
#include "model/entry_id.h"
#include "model/hostset.h"
#include "model/id_name.h"
#include "model/inventory.h"
#include "model/job.h"
#include "model/job_dataset.h"
#include "model/job_file.h"
#include "model/job_line.h"
#include "model/job_metric.h"
#include "model/jobrow.h"
#include "model/label_path.h"
#include "model/observation.h"
#include "model/op.h"
#include "model/resource.h"
#include "model/sample.h"
#include "model/scalar.h"
#include "model/series.h"
#include "model/session_report.h"
#include "model/site.h"
#include "model/summary.h"
#include "model/target.h"
#include "model/target_reading.h"

#endif
