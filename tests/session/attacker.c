/* SPDX-License-Identifier: Apache-2.0 */
/* attacker - a program that has a session's key, and the identity of one of its hosts.
 *
 *     session-attacker CONF impostor RANK       states to be RANK, with its own token
 *     session-attacker CONF borrowed RANK FILE  likewise, with the token in FILE
 *     session-attacker CONF replay              sends a hello again on another
 * connection session-attacker CONF interior ORIGIN KEY TOKEN an interior node that
 * invents and alters
 *
 * CONF has [session], with an identity of its own.  What the parent answers is printed.
 * interior: has the key of ORIGIN too, to make events such as that one would send; the
 * second is altered on its way, the third is invented with ORIGIN's token, the fourth
 * is of an origin that is not below it.
 */
#include "base/clock.h"
#include "base/config.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "net/token/token.h"
#include "session/config.h"
#include "session/identity.h"
#include "session/key.h"
#include "session/link.h"
#include "session/message.h"

#include <stdio.h>

struct attack {
    struct session_opts opts;
    struct session_plan plan;
    struct session_identity *own, *other; /* other: of the origin, or borrowed */
    struct session_tls *tls;
    uv_loop_t loop;
    uv_timer_t timer;
    struct session_link *link;
    const char *kind;
    uint32_t rank, origin;
    struct strbuf hello; /* the first one */
    int connections;
    uint64_t incarnation, boot;
};

static int attack_connect(struct attack *a);

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "session-attacker: %s: %s\n", what, err->text);
    exit(2);
}

/* ---- hello ---- */

static void make_hello(struct attack *a, struct strbuf *out)
{
    AUTO(rank_set_done) struct rank_set ranks = { 0 };
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT, signature = STRBUF_INIT;
    uint8_t exporter[IDENTITY_EXPORTER_BYTES];
    bool is_borrowed = strcmp(a->kind, "borrowed") == 0;
    (void)rank_set_add(&ranks, a->rank, a->rank);
    if (strcmp(a->kind, "interior") == 0)
        (void)rank_set_add(&ranks, a->origin, a->origin);
    struct session_hello hello = {
        .protocol = SESSION_PROTOCOL,
        .name = span_of(a->opts.name),
        .host = span_of(hostset_at(a->plan.hosts, a->rank)),
        .hosts_digest = a->plan.hosts_digest,
        .shape_digest = a->plan.topology->digest,
        .heartbeat_ns = a->opts.heartbeat_ns,
        .rank = a->rank,
        .boot = (uint64_t)clock_now_ns(),
        .ranks = ranks,
        .token = identity_token(is_borrowed ? a->other : a->own),
    };
    session_hello_encode_signed(&hello, &body);
    if (link_exporter(a->link, exporter) < 0 ||
        identity_sign(a->own, IDENTITY_HELLO,
                      (struct span){ (char *)exporter, sizeof exporter },
                      strbuf_span(&body), &signature) < 0)
        exit(2);
    hello.signature = strbuf_span(&signature);
    session_hello_encode(&hello, out);
}

static void send_hello(struct attack *a)
{
    if (a->hello.size == 0)
        make_hello(a, &a->hello);
    (void)link_send(a->link, SESSION_HELLO, strbuf_span(&a->hello));
}

/* ---- events of an interior node ---- */

static void send_event(struct attack *a, uint32_t origin, uint64_t publication,
                       const char *name, const struct session_identity *signer,
                       bool is_altered)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT, signature = STRBUF_INIT;
    struct session_event event = {
        .incarnation = a->incarnation,
        .origin = origin,
        .boot = a->boot,
        .publication = publication,
        .base = 1,
        .t_ns = clock_now_ns(),
        .name = span_of(name),
        .payload = SPAN("all is well"),
        .token = identity_token(a->other),
    };
    session_event_encode_signed(&event, &body);
    if (identity_sign(signer, IDENTITY_PUBLISH, SPAN(""), strbuf_span(&body),
                      &signature) < 0)
        exit(2);
    event.signature = strbuf_span(&signature);
    if (is_altered)
        event.payload = SPAN("all is lost");
    strbuf_clear(&body);
    session_event_encode(&event, &body);
    (void)link_send(a->link, SESSION_PUBLISH, strbuf_span(&body));
}

static void play_interior(struct attack *a)
{
    send_event(a, a->origin, 1, "attack.genuine", a->other, false);
    send_event(a, a->origin, 2, "attack.altered", a->other, true);
    send_event(a, a->origin, 2, "attack.invented", a->own, false);
    send_event(a, 2, 1, "attack.foreign", a->own, false);
    a->incarnation--;
    send_event(a, a->origin, 2, "attack.stale", a->other, false);
    a->incarnation++;
    send_event(a, a->origin, 2, "attack.second", a->other, false);
    printf("events were sent\n");
}

/* ---- the connection ---- */

static void on_attack_opened(void *owner)
{
    send_hello(owner);
}

static void on_attack_frame(void *owner, uint8_t type, struct span body)
{
    struct attack *a = owner;
    struct session_hello welcome = { 0 };
    if (type == SESSION_REFUSE) {
        printf("refused: " SPAN_FMT "\n", SPAN_ARG(body));
    } else if (type == SESSION_WELCOME && session_hello_decode(body, &welcome) == 0) {
        printf("welcome\n");
        a->incarnation = welcome.incarnation;
        link_set_limit(a->link, SESSION_BODY_MAX);
        if (strcmp(a->kind, "interior") == 0)
            play_interior(a);
        else if (strcmp(a->kind, "replay") == 0 && ++a->connections == 1) {
            link_close(a->link);
            (void)attack_connect(a);
        }
    }
    rank_set_done(&welcome.ranks);
}

static void on_attack_closed(void *owner, const char *reason)
{
    struct attack *a = owner;
    printf("closed: %s\n", reason);
    uv_stop(&a->loop);
}

static void on_nothing(void *owner)
{
    (void)owner;
}

static void on_attack_over(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

static const struct link_events attack_events = { on_attack_opened, on_attack_frame,
                                                  on_attack_closed, on_nothing,
                                                  on_nothing };

static int attack_connect(struct attack *a)
{
    AUTO(strbuf_done) struct strbuf address = STRBUF_INIT;
    const struct link_opts opts = { .loop = &a->loop,
                                    .tls = a->tls,
                                    .events = &attack_events,
                                    .queue_bytes_max = a->opts.queue_bytes_max };
    session_address_print(&a->opts, &a->plan, 0, &address);
    return link_connect(&opts, strbuf_text(&address), a, &a->link);
}

/* ---- the beginning ---- */

static void open_other(struct attack *a, const char *key_path, const char *token_path)
{
    AUTO(strbuf_done) struct strbuf token = STRBUF_INIT;
    struct token_key *key = NULL, *site = NULL;
    struct err err = { "" };
    if (file_read(token_path, IDENTITY_TOKEN_MAX, &token, &err) < 0 ||
        (key_path ? token_key_load(key_path, &key, &err) : token_key_new(&key, &err)) <
            0 ||
        token_key_load(a->opts.site_key, &site, &err) < 0 ||
        identity_of(key, span_trim(strbuf_span(&token)), site, a->opts.name,
                    a->plan.hosts_digest, &a->other) < 0)
        die("identity", &err);
}

static void open_attack(struct attack *a, const char *conf)
{
    static struct config *config;
    AUTO(session_key_done) struct session_key key;
    struct err err = { "" };
    if (config_load(conf, &session_config_section, 1, &config, &err) < 0 ||
        config_fill(config, "session", NULL, &a->opts, &err) < 0 ||
        session_plan_make(&a->opts, &a->plan, &err) < 0 ||
        identity_open(&a->opts, &a->plan, &a->own, &err) < 0 ||
        session_key_read(a->opts.key_file, &key, &err) < 0 ||
        session_tls_new(&key, a->opts.name, &a->tls, &err) < 0)
        die(conf, &err);
    a->rank = a->plan.rank;
    a->boot = (uint64_t)clock_now_ns();
}

int main(int argc, char **argv)
{
    static struct attack a;
    uint64_t rank = 0;
    if (argc < 3 || (argc > 3 && number_parse_u64(span_of(argv[3]), &rank) < 0))
        return 2;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    a.kind = argv[2];
    open_attack(&a, argv[1]);
    if (strcmp(a.kind, "interior") == 0 && argc == 6) {
        a.origin = (uint32_t)rank;
        open_other(&a, argv[4], argv[5]);
    } else if (argc > 3) {
        a.rank = (uint32_t)rank;
    }
    if (argc == 5)
        open_other(&a, NULL, argv[4]);
    (void)uv_loop_init(&a.loop);
    (void)uv_timer_init(&a.loop, &a.timer);
    (void)uv_timer_start(&a.timer, on_attack_over, 3000, 0);
    if (attack_connect(&a) < 0)
        return 2;
    (void)uv_run(&a.loop, UV_RUN_DEFAULT);
    return 0;
}
