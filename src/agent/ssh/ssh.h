/* SPDX-License-Identifier: Apache-2.0 */
/* ssh - servers that are read through ssh, without an agent; the folder's door. */
#ifndef AGENT_SSH_SSH_H
#define AGENT_SSH_SSH_H

#include "agent/ssh/ssh_group.h"

#endif
