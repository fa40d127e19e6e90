/* SPDX-License-Identifier: Apache-2.0 */
/* local_request - one line that a program on this node sends to its agent.
 *
 *     metric NAME VALUE        a number of the program's job
 *     event NAME [PAYLOAD]     an event in the session
 *     session JSON             a report of the user's own session
 *     files FILE[\tFILE]...     what the program's job ran with (model/job_file.h)
 *     watch node [NUMBER]      what the site has of this node is sent from now on,
 * events that come after the one with this number watch session ID         what
 * sessions that were started in this one report
 *
 * Source: doc/formats/agent-socket.md.  Threads: any.
 */
#ifndef AGENT_LOCAL_LOCAL_REQUEST_H
#define AGENT_LOCAL_LOCAL_REQUEST_H

#include "base/span_type.h"

#include <stdint.h>

/* How the reason begins of what may be accepted if it is sent again. */
#define LOCAL_LATER "later: "

#define LOCAL_NAME_BYTES_MAX 48      /* of a metric */
#define LOCAL_PAYLOAD_BYTES_MAX 4096 /* of an event */
#define LOCAL_LINE_BYTES_MAX (LOCAL_PAYLOAD_BYTES_MAX + 256)

/* Of an event in the site's session: "17.4711". */
struct local_number {
    uint64_t incarnation, sequence;
};

struct local_request {
    enum local_request_kind {
        LOCAL_METRIC,
        LOCAL_EVENT,
        LOCAL_SESSION,
        LOCAL_FILES,
        LOCAL_WATCH_NODE,
        LOCAL_WATCH_SESSION
    } kind;
    struct span name;    /* in the line */
    struct span payload; /* of an event; the report; the files; the session's id */
    double value;
    struct local_number after; /* of a watch; zeros: none */
};

/* line: without its newline.  *ret_why states what is wrong.  Errors: -EINVAL. */
int local_request_parse(struct span line, struct local_request *ret,
                        const char **ret_why);
/* Errors: -EINVAL. */
int local_number_parse(struct span text, struct local_number *ret);

#endif
