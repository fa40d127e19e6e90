/* SPDX-License-Identifier: Apache-2.0 */
/* submission_response - what barod made of lines that were posted: its counts.
 *
 *     {"accepted":1,"changed":0,"duplicate":2,"refused":0,"refusals":[]}
 */
#ifndef AGENT_SEND_SUBMISSION_RESPONSE_H
#define AGENT_SEND_SUBMISSION_RESPONSE_H

#include "agent/send/post_queue.h"

/* Of POST /v1/health and /v1/resources, as post_judge_fn. */
enum post_verdict submission_judge(const struct net_response *response, uint32_t count,
                                   struct post_accepted *ret);

#endif
