/* SPDX-License-Identifier: Apache-2.0 */
/* send - from the spool to barod; the folder's door. */
#ifndef AGENT_SEND_SEND_H
#define AGENT_SEND_SEND_H

#include "agent/send/delivery.h"
#include "agent/send/post_queue.h"
#include "agent/send/sender.h"
#include "agent/send/submission_response.h"

#endif
