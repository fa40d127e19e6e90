/* SPDX-License-Identifier: Apache-2.0 */
/* config - the door of daemon/config: what barod.conf may contain. */
#ifndef DAEMON_CONFIG_CONFIG_H
#define DAEMON_CONFIG_CONFIG_H

#include "daemon/config/config_site.h"
#include "daemon/config/sections.h"
#include "daemon/config/store_section.h"

#endif
