/* SPDX-License-Identifier: Apache-2.0 */
/* table - columns of tables that others wrote, row by row, and what formulas make of
 * them; the room's door. */
#ifndef ANALYSIS_TABLE_TABLE_H
#define ANALYSIS_TABLE_TABLE_H

#include "analysis/table/condition.h"
#include "analysis/table/csv.h"
#include "analysis/table/expression.h"
#include "analysis/table/guess.h"
#include "analysis/table/job_row.h"
#include "analysis/table/long_table.h"
#include "analysis/table/mapping.h"
#include "analysis/table/preview.h"
#include "analysis/table/quantity.h"
#include "analysis/table/rows.h"
#include "analysis/table/sheet.h"
#include "analysis/table/time_form.h"
#include "analysis/table/unit.h"

#endif
