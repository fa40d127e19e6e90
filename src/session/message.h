/* SPDX-License-Identifier: Apache-2.0 */
/* message - what the nodes of a session send each other: bodies of frames.
 *
 *     hello      child -> parent    who I am, what I have seen
 *     welcome    parent -> child    the same of it, and who is online
 *     refuse     parent -> child    why not; the link ends
 *     heartbeat  both               clocks
 *     trigger    down               an epoch and its instant
 *     contribution  up              what a subtree has for an epoch
 *     members    up                 who is online in a subtree
 *     publish    up                 an event without a number
 *     event      down               an event with its number
 *     gap        down               numbers that are not to be had any more
 *     request, response  either     from one rank to another, along the tree
 * doc/formats/session.md has the bytes.
 */
#ifndef SESSION_MESSAGE_H
#define SESSION_MESSAGE_H

#include "session/reduce/reduce.h"

#define SESSION_PROTOCOL 2 /* 1: without token and signature */
/* Bytes of a body before the welcome: a hello with the set of ranks that has the most
 * ranges, each of two bytes for two ranks. */
#define SESSION_HELLO_MAX (RANKS_MAX + 4096)
#define SESSION_BODY_MAX (BUNDLE_BYTES_MAX + 65536)
/* The least of queue_bytes_max: the largest body still fits where a quarter waits. */
#define SESSION_QUEUE_BYTES_MIN (2 << 20)
#define SESSION_TEXT_MAX 255     /* names of sessions, hosts, events */
#define SESSION_PAYLOAD_MAX 4096 /* of an event */
#define SESSION_TOKEN_MAX 1024
#define SESSION_SIGNATURE_MAX 64
#define SESSION_RESPONSE_MAX 16384

enum session_message {
    SESSION_HELLO = 1,
    SESSION_WELCOME,
    SESSION_REFUSE,
    SESSION_HEARTBEAT,
    SESSION_TRIGGER,
    SESSION_CONTRIBUTION,
    SESSION_MEMBERS,
    SESSION_PUBLISH,
    SESSION_EVENT,
    SESSION_GAP,
    SESSION_REQUEST,
    SESSION_RESPONSE,
};

/* Texts point into what was decoded. */
struct session_hello {
    uint64_t protocol;
    struct span name, host;
    uint64_t hosts_digest, shape_digest;
    int64_t heartbeat_ns;
    uint32_t rank;
    uint64_t boot;                  /* drawn when the program started */
    uint64_t incarnation, sequence; /* of the last event seen; 0: none */
    struct rank_set ranks; /* hello: online below; welcome: online in the session */
    struct span token, signature; /* of the body before the signature; may be empty */
    size_t signed_size;           /* decoded: how many bytes the signature is of */
};

struct session_heartbeat {
    int64_t now_ns;      /* the sender's time of day */
    int64_t peer_now_ns; /* what the last one received had there; 0: none */
    int64_t held_ns;     /* since it was received */
};

struct session_trigger {
    uint64_t incarnation, epoch;
    int64_t instant_ns, period_ns, deadline_ns; /* deadline: after the instant */
    /* Who does not sample; nothing is sent where all do.  The first versions of this
     * protocol do not know it: whose session has any lets only others in. */
    struct rank_set idle;
};

struct session_contribution {
    uint64_t incarnation, epoch;
    uint64_t late; /* contributions that came too late, since the last one sent */
    struct bundle bundle;
};

struct session_event {
    uint64_t incarnation, sequence; /* 0 while it has no number */
    uint32_t origin;                /* rank */
    uint64_t boot, publication;     /* of the origin: 1, 2, 3 ... */
    uint64_t base; /* publish: the first that the origin has not seen with a number */
    int64_t t_ns;
    uint32_t uid;
    struct span name, payload;
    struct span token, signature; /* as of a hello: of origin, or of the control node */
    size_t signed_size;
};

struct session_gap {
    uint64_t incarnation, first, last;
    struct rank_set online;
};

struct session_request {
    uint32_t from, to;
    uint64_t id;
    uint8_t hops;
    struct span text; /* "ping", "stats"; the response */
};

void session_hello_encode(const struct session_hello *hello, struct strbuf *out);
/* The body before the signature. */
void session_hello_encode_signed(const struct session_hello *hello, struct strbuf *out);
void session_event_encode_signed(const struct session_event *event, struct strbuf *out);
void session_heartbeat_encode(const struct session_heartbeat *beat, struct strbuf *out);
void session_trigger_encode(const struct session_trigger *trigger, struct strbuf *out);
void session_contribution_encode(const struct session_contribution *c,
                                 struct strbuf *out);
void session_event_encode(const struct session_event *event, struct strbuf *out);
void session_gap_encode(const struct session_gap *gap, struct strbuf *out);
void session_request_encode(const struct session_request *request, struct strbuf *out);

/* ranks: of the session; what is beyond is refused.  Errors: -EBADMSG, -ENOMEM.  The
 * members are to be freed in any case where there is a set or bundle in them. */
int session_hello_decode(struct span body, struct session_hello *ret);
int session_heartbeat_decode(struct span body, struct session_heartbeat *ret);
int session_trigger_decode(struct span body, uint32_t ranks,
                           struct session_trigger *ret);
int session_contribution_decode(struct span body, uint32_t ranks,
                                struct session_contribution *ret);
int session_members_decode(struct span body, uint32_t ranks, struct rank_set *ret);
int session_event_decode(struct span body, uint32_t ranks, struct session_event *ret);
int session_gap_decode(struct span body, uint32_t ranks, struct session_gap *ret);
int session_request_decode(struct span body, uint32_t ranks,
                           struct session_request *ret);

/* Whether text may be an event's name: letters, digits and "_.:-". */
bool session_event_name_is_valid(struct span name);

#endif
