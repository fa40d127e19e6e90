/* SPDX-License-Identifier: Apache-2.0 */
/* tables - what the tables of the records are, for both engines: the room's door. */
#ifndef RECORDS_TABLES_TABLES_H
#define RECORDS_TABLES_TABLES_H

#include "records/tables/counter.h"
#include "records/tables/day.h"
#include "records/tables/id_name_ledger.h"
#include "records/tables/identity.h"
#include "records/tables/inventory_ledger.h"
#include "records/tables/job_dataset_ledger.h"
#include "records/tables/job_file_ledger.h"
#include "records/tables/job_ledger.h"
#include "records/tables/job_metric_ledger.h"
#include "records/tables/keyed_row.h"
#include "records/tables/ledger.h"
#include "records/tables/resource_ledger.h"
#include "records/tables/schema.h"
#include "records/tables/session_ledger.h"
#include "records/tables/step_ledger.h"
#include "records/tables/summary_ledger.h"
#include "records/tables/target_reading_ledger.h"

#endif
