/* SPDX-License-Identifier: Apache-2.0 */
/* rules - findings and applications that a site writes itself; the room's door. */
#ifndef ANALYSIS_RULES_RULES_H
#define ANALYSIS_RULES_RULES_H

#include "analysis/rules/application.h"
#include "analysis/rules/job_values.h"
#include "analysis/rules/rule_trial.h"
#include "analysis/rules/site_rules.h"

#endif
