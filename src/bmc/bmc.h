/* SPDX-License-Identifier: Apache-2.0 */
/* bmc - hosts and storage boxes seen from outside; the room's door. */
#ifndef BMC_BMC_H
#define BMC_BMC_H

#include "bmc/box/box_mapping.h"
#include "bmc/box/box_rows.h"
#include "bmc/box/rest_document.h"
#include "bmc/config.h"
#include "bmc/log_cursor.h"
#include "bmc/poller.h"
#include "bmc/program.h"
#include "bmc/redfish_document.h"
#include "bmc/schedule.h"
#include "bmc/sel.h"
#include "bmc/silence.h"

#endif
