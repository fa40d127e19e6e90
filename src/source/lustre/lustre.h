/* SPDX-License-Identifier: Apache-2.0 */
/* source/lustre - what a Lustre server says about itself, read; the room's door.
 *
 * Pure readers: text in, nouns out.  Nothing here opens anything but below a root that
 * the caller names.
 */
#ifndef SOURCE_LUSTRE_LUSTRE_H
#define SOURCE_LUSTRE_LUSTRE_H

#include "source/lustre/accounts.h"
#include "source/lustre/entry_forms.h"
#include "source/lustre/jobstats.h"
#include "source/lustre/param_print.h"
#include "source/lustre/stats.h"
#include "source/lustre/targets.h"
#include "source/lustre/totals.h"
#include "source/lustre/totals_table.h"

#endif
