/* SPDX-License-Identifier: Apache-2.0 */
/* report - pages in words out of typed results; the room's door. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/finding_text.h"
#include "report/study_page.h"

#endif
