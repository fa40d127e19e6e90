/* SPDX-License-Identifier: Apache-2.0 */
/* wire - bytes <-> nouns; the room's door. */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include "wire/batch_parts.h"
#include "wire/batch_response.h"
#include "wire/jobstats_json.h"
#include "wire/line_json.h"
#include "wire/line_protocol.h"
#include "wire/line_value.h"
#include "wire/prometheus_text.h"
#include "wire/protobuf.h"
#include "wire/remote_write.h"
#include "wire/session_frame.h"
#include "wire/snappy_block.h"

#endif
