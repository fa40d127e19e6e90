/* SPDX-License-Identifier: Apache-2.0 */
/* session_tree - trees of many ranks in one process: from the trigger to the result.
 *
 *     bench_session_tree played RANKS FANOUT HOP_US EPOCHS
 *     bench_session_tree sockets RANKS FANOUT PORT EPOCHS
 *
 * played: the nodes of src/session, whose links are queues, in a play of events. Each
 * node has a clock of its own that goes on by the CPU time of what it does, and a frame
 * needs HOP_US to the next node: what a tree costs whose every rank has a processor,
 * without what TLS and sockets cost.  sockets: whole sessions, a thread each, over TLS
 * on 127.0.0.1: PORT and the ports after it.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "session/session.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define TYPES 16
#define EPOCHS_MAX 1000
#define JOIN_NS (120 * NS_PER_S)

struct play;

struct actor {
    struct play *play;
    struct session_node *node;
    struct session_plan plan;
    int64_t clock_ns; /* its own */
    uint64_t frames, bytes;
    int64_t cpu_ns;
};

struct wire {
    struct wire *other;
    struct actor *owner;
    struct session_peer *peer; /* NULL: closed here */
};

enum act { ACT_ACCEPT, ACT_CONNECTED, ACT_FRAME, ACT_END };

struct happening {
    int64_t t_ns;
    uint64_t order;
    struct wire *to;
    enum act act;
    uint8_t type;
    size_t size;
    char *bytes;
};

struct play {
    struct session_opts opts;
    struct session_plan plan;
    struct actor *actors;
    uint32_t count;
    struct happening *heap;
    size_t heap_count, heap_capacity;
    uint64_t order;
    int64_t hop_ns;
    struct actor *acting;
    int64_t began_ns; /* CPU time when it began */
    uint64_t frames_of[TYPES], bytes_of[TYPES];
    int64_t trigger_ns; /* when the last rank had the trigger */
    unsigned epochs;
    int64_t result_ns[EPOCHS_MAX];
    uint64_t contributed;
};

/* ---- what happens when ---- */

static bool is_before(const struct happening *a, const struct happening *b)
{
    return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->order < b->order;
}

static void heap_put(struct play *p, struct happening h)
{
    if (p->heap_count == p->heap_capacity) {
        p->heap_capacity = p->heap_capacity ? p->heap_capacity * 2 : 1024;
        void *grown = realloc(p->heap, p->heap_capacity * sizeof *p->heap);
        if (!grown)
            abort();
        p->heap = grown;
    }
    size_t at = p->heap_count++;
    h.order = p->order++;
    for (; at > 0 && is_before(&h, &p->heap[(at - 1) / 2]); at = (at - 1) / 2)
        p->heap[at] = p->heap[(at - 1) / 2];
    p->heap[at] = h;
}

static struct happening heap_take(struct play *p)
{
    struct happening first = p->heap[0], last = p->heap[--p->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= p->heap_count)
            break;
        if (child + 1 < p->heap_count &&
            is_before(&p->heap[child + 1], &p->heap[child]))
            child++;
        if (!is_before(&p->heap[child], &last))
            break;
        p->heap[at] = p->heap[child];
        at = child;
    }
    p->heap[at] = last;
    return first;
}

/* ---- the transport ---- */

static int64_t own_now_ns(const struct play *p)
{
    return p->acting ? p->acting->clock_ns + clock_cpu_ns() - p->began_ns : 0;
}

static void play_put(struct wire *to, enum act act, uint8_t type, struct span body)
{
    struct play *p = to->owner->play;
    struct happening h = { .t_ns = own_now_ns(p) + p->hop_ns,
                           .to = to,
                           .act = act,
                           .type = type,
                           .size = body.size };
    if (body.size) {
        h.bytes = malloc(body.size);
        if (!h.bytes)
            abort();
        memcpy(h.bytes, body.data, body.size);
    }
    heap_put(p, h);
}

static int play_connect(void *arg, uint32_t rank, struct session_peer *peer,
                        void **ret_link)
{
    struct actor *actor = arg;
    struct wire *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (!a || !b)
        abort();
    *a = (struct wire){ b, actor, peer };
    *b = (struct wire){ a, &actor->play->actors[rank], NULL };
    *ret_link = a;
    play_put(b, ACT_ACCEPT, 0, SPAN(""));
    return 0;
}

static int play_send(void *link, uint8_t type, struct span body)
{
    struct wire *from = link;
    struct play *p = from->owner->play;
    uint64_t bytes = body.size + 24; /* the frame's head */
    from->owner->frames++;
    from->owner->bytes += bytes;
    if (type < TYPES) {
        p->frames_of[type]++;
        p->bytes_of[type] += bytes;
    }
    play_put(from->other, ACT_FRAME, type, body);
    return 0;
}

static void play_close(void *link)
{
    struct wire *wire = link;
    wire->peer = NULL;
    play_put(wire->other, ACT_END, 0, SPAN(""));
}

static void play_admit(void *link)
{
    (void)link;
}

static bool play_is_ready(void *link)
{
    (void)link;
    return true;
}

/* ---- what a node does ---- */

static void act_begin(struct actor *actor, int64_t t_ns)
{
    struct play *p = actor->play;
    if (actor->clock_ns < t_ns)
        actor->clock_ns = t_ns;
    p->acting = actor;
    p->began_ns = clock_cpu_ns();
}

static void act_end(struct actor *actor)
{
    struct play *p = actor->play;
    int64_t spent_ns = clock_cpu_ns() - p->began_ns;
    actor->clock_ns += spent_ns;
    actor->cpu_ns += spent_ns;
    p->acting = NULL;
}

static void play_act(struct play *p, struct happening *h)
{
    struct wire *to = h->to;
    act_begin(to->owner, h->t_ns);
    if (h->act == ACT_ACCEPT) {
        to->peer = node_accepted(to->owner->node, to);
        play_put(to->other, ACT_CONNECTED, 0, SPAN(""));
    } else if (to->peer && h->act == ACT_CONNECTED) {
        node_connected(to->peer);
    } else if (to->peer && h->act == ACT_FRAME) {
        node_frame(to->peer, h->type, (struct span){ h->bytes, h->size });
    } else if (to->peer) {
        struct session_peer *peer = to->peer;
        to->peer = NULL;
        node_closed(peer, "the link ended");
    }
    act_end(to->owner);
    if (h->act == ACT_FRAME && h->type == SESSION_TRIGGER)
        p->trigger_ns = to->owner->clock_ns;
    free(h->bytes);
}

/* All nodes that are due begin at 0 of their clocks, what follows follows. */
static void play_step(struct play *p)
{
    int64_t wait_ns = 100 * NS_PER_MS;
    for (uint32_t r = 0; r < p->count; r++) {
        struct session_node *node = p->actors[r].node;
        int64_t due_ns = node_due_ns(node), now_ns = clock_now_ns();
        int64_t left_ns = node_due_steady_ns(node) - clock_steady_ns();
        p->actors[r].clock_ns = 0;
        if (due_ns && due_ns - now_ns < left_ns)
            left_ns = due_ns - now_ns;
        if (left_ns <= 0) {
            act_begin(&p->actors[r], 0);
            node_run(node);
            act_end(&p->actors[r]);
            left_ns = 0;
        }
        wait_ns = left_ns < wait_ns ? left_ns : wait_ns;
    }
    if (p->heap_count == 0 && wait_ns > 0) {
        const struct timespec pause = { .tv_nsec = wait_ns };
        (void)nanosleep(&pause, NULL);
    }
    while (p->heap_count) {
        struct happening h = heap_take(p);
        play_act(p, &h);
    }
}

/* ---- what a node contributes: as an agent does of load and memory, and a state ----
 */

static void put_numbers(struct bundle *bundle, const char *name, uint32_t rank,
                        double value)
{
    static const enum reduce_kind kinds[] = { REDUCE_SUM, REDUCE_MIN, REDUCE_MAX,
                                              REDUCE_MOMENTS, REDUCE_QUANTILES };
    struct reduce_input input = { .value = value, .rank = rank };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        (void)bundle_put(bundle, span_of(name), kinds[i], &input);
    input.text = span_of("node");
    input.limit = 5;
    (void)bundle_put(bundle, span_of(name), REDUCE_TOP, &input);
}

static void contribute(uint32_t rank, struct bundle *bundle)
{
    struct reduce_input input = { .rank = rank };
    input.text = rank % 97 == 0 ? SPAN("degraded") : SPAN("ok");
    put_numbers(bundle, "load_one", rank, 1 + rank % 640 * 0.1);
    put_numbers(bundle, "mem_used", rank, 1e9 * (1 + rank % 251));
    (void)bundle_put(bundle, SPAN("state"), REDUCE_STATES, &input);
}

static void on_play_sample(void *arg, const struct session_instant *at,
                           struct bundle *bundle)
{
    (void)arg;
    contribute(at->rank, bundle);
}

static void on_play_result(void *arg, const struct session_result *result)
{
    struct play *p = ((struct actor *)arg)->play;
    p->contributed = rank_set_size(&result->bundle->ranks);
    if (p->epochs < EPOCHS_MAX)
        p->result_ns[p->epochs] = own_now_ns(p);
    p->epochs++;
}

/* ---- a play ---- */

static void set_opts(struct session_opts *opts, uint32_t count, uint32_t fanout)
{
    *opts = (struct session_opts){ .name = "bench",
                                   .size = count,
                                   .rank = "0",
                                   .address = "unix:%r",
                                   .fanout = fanout,
                                   .heartbeat_ns = 10 * NS_PER_S,
                                   .period_ns = 4 * NS_PER_S,
                                   .lead_ns = 2 * NS_PER_S,
                                   .deadline_ns = 4 * NS_PER_S,
                                   .queue_bytes_max = 4 << 20,
                                   .event_rate = 10,
                                   .event_burst = 100,
                                   .cluster = "bench",
                                   .state = "." };
}

static void actor_start(struct play *p, uint32_t rank)
{
    struct actor *actor = &p->actors[rank];
    actor->play = p;
    actor->plan = p->plan;
    actor->plan.rank = rank;
    const struct session_node_opts opts = {
        .opts = &p->opts,
        .plan = &actor->plan,
        .transport = { actor, play_connect, play_send, play_close, play_admit,
                       play_is_ready },
        .callbacks = { .arg = actor,
                       .sample = on_play_sample,
                       .result = on_play_result },
        .boot = rank + 1,
        .incarnation = rank == 0,
    };
    if (node_new(&opts, &actor->node) < 0)
        abort();
}

static uint64_t online(const struct play *p)
{
    return rank_set_size(node_online(p->actors[0].node));
}

static void play_clear_counts(struct play *p)
{
    memset(p->frames_of, 0, sizeof p->frames_of);
    memset(p->bytes_of, 0, sizeof p->bytes_of);
    for (uint32_t r = 0; r < p->count; r++)
        p->actors[r].frames = p->actors[r].bytes = 0, p->actors[r].cpu_ns = 0;
}

static size_t resident_bytes(void)
{
    char line[128];
    uint64_t pages = 0;
    AUTO_FCLOSE FILE *f = fopen("/proc/self/statm", "re");
    if (!f || !fgets(line, sizeof line, f))
        return 0;
    struct span rest = span_of(line), word;
    (void)span_cut(&rest, ' ', &word);
    (void)span_cut(&rest, ' ', &word);
    return number_parse_u64(word, &pages) == 0
               ? (size_t)pages * (size_t)sysconf(_SC_PAGESIZE)
               : 0;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median_ns(int64_t *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    return count ? times[count / 2] : 0;
}

static double kb(uint64_t bytes)
{
    return (double)bytes / 1000;
}

static uint64_t frames_sum(const struct play *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TYPES; i++)
        sum += p->frames_of[i];
    return sum;
}

static void print_joins(const struct play *p, int64_t wall_ns)
{
    uint64_t bytes = 0;
    int64_t all_ns = 0;
    for (size_t i = 0; i < TYPES; i++)
        bytes += p->bytes_of[i];
    for (uint32_t r = 0; r < p->count; r++)
        all_ns += p->actors[r].cpu_ns;
    printf("%u ranks join: %.1f frames and %.1f kB a rank (members %.1f, events %.1f); "
           "CPU %.3f s, of rank 0 %.3f s; %.2f s\n",
           p->count, (double)frames_sum(p) / p->count, kb(bytes) / p->count,
           (double)p->frames_of[SESSION_MEMBERS] / p->count,
           (double)p->frames_of[SESSION_EVENT] / p->count, (double)all_ns / 1e9,
           (double)p->actors[0].cpu_ns / 1e9, (double)wall_ns / 1e9);
}

static void print_epochs(struct play *p, unsigned epochs, size_t before_bytes)
{
    int64_t all_ns = 0, busiest_ns = 0;
    uint64_t most = 0;
    for (uint32_t r = 0; r < p->count; r++) {
        const struct actor *a = &p->actors[r];
        all_ns += a->cpu_ns;
        busiest_ns = a->cpu_ns > busiest_ns ? a->cpu_ns : busiest_ns;
        most = r > 0 && a->bytes > most ? a->bytes : most;
    }
    uint64_t up = p->bytes_of[SESSION_CONTRIBUTION],
             down = p->bytes_of[SESSION_TRIGGER];
    uint64_t frames =
        p->frames_of[SESSION_CONTRIBUTION] + p->frames_of[SESSION_TRIGGER];
    int64_t result_ns = median_ns(p->result_ns, epochs);
    printf(
        "%u ranks, height %u: result after %.0f us, trigger down %.0f us; %.2f frames, "
        "%.0f bytes a rank and epoch (%.0f of the busiest); CPU %.1f us a rank, %.0f "
        "us "
        "of the busiest; %.1f kB resident a rank; %llu contributed\n",
        p->count, p->plan.topology->height, (double)result_ns / 1e3,
        (double)p->trigger_ns / 1e3, (double)frames / epochs / p->count,
        (double)(up + down) / epochs / p->count, (double)most / epochs,
        (double)all_ns / 1e3 / epochs / p->count, (double)busiest_ns / 1e3 / epochs,
        kb(resident_bytes() - before_bytes) / p->count,
        (unsigned long long)p->contributed);
}

static int run_played(uint32_t count, uint32_t fanout, uint64_t hop_us, unsigned epochs)
{
    struct play p = { .count = count, .hop_ns = (int64_t)hop_us * 1000 };
    struct err err = { "" };
    set_opts(&p.opts, count, fanout);
    p.actors = calloc(count, sizeof *p.actors);
    if (!p.actors || session_plan_make(&p.opts, &p.plan, &err) < 0) {
        fprintf(stderr, "bench_session_tree: %s\n", err.text);
        return 1;
    }
    size_t before_bytes = resident_bytes();
    int64_t began_ns = clock_monotonic_ns();
    for (uint32_t r = 0; r < count; r++)
        actor_start(&p, r);
    while (online(&p) < count && clock_monotonic_ns() - began_ns < JOIN_NS)
        play_step(&p);
    print_joins(&p, clock_monotonic_ns() - began_ns);
    if (online(&p) < count)
        return 1;
    for (unsigned first = p.epochs; p.epochs < first + 2;)
        play_step(&p); /* the first are other ones: all is allocated there */
    p.epochs = 0;
    play_clear_counts(&p);
    while (p.epochs < epochs)
        play_step(&p);
    print_epochs(&p, epochs, before_bytes);
    return p.contributed == count ? 0 : 1;
}

/* ---- with sockets ---- */

struct socket_rank {
    struct session_opts opts;
    struct session *session;
};

struct socket_results {
    unsigned epochs;
    uint32_t count;
    int64_t result_ns[EPOCHS_MAX];
};

static void on_socket_sample(void *arg, const struct session_instant *at,
                             struct bundle *bundle)
{
    (void)arg;
    contribute(at->rank, bundle);
}

/* On the thread of rank 0, and read after it ended. */
static void on_socket_result(void *arg, const struct session_result *result)
{
    struct socket_results *r = arg;
    if (rank_set_size(&result->bundle->ranks) < r->count)
        return;
    if (r->epochs < EPOCHS_MAX)
        r->result_ns[r->epochs] = result->closed_ns - result->at.instant_ns;
    __atomic_add_fetch(&r->epochs, 1, __ATOMIC_SEQ_CST);
}

static void on_socket_notice(void *arg, enum session_notice notice, const char *text)
{
    (void)arg;
    if (notice == SESSION_WARNING)
        fprintf(stderr, "%s\n", text);
}

static double cpu_of_process_s(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static bool wait_epochs(struct socket_results *r, unsigned epochs)
{
    int64_t end_ns = clock_monotonic_ns() + JOIN_NS;
    const struct timespec pause = { .tv_nsec = 50 * NS_PER_MS };
    while (__atomic_load_n(&r->epochs, __ATOMIC_SEQ_CST) < epochs) {
        if (clock_monotonic_ns() > end_ns)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

static int start_sockets(struct socket_rank *ranks, uint32_t count,
                         struct socket_results *results)
{
    const struct session_callbacks callbacks = { .arg = results,
                                                 .sample = on_socket_sample,
                                                 .result = on_socket_result,
                                                 .notice = on_socket_notice };
    for (uint32_t r = 0; r < count; r++) {
        struct err err = { "" };
        char *rank = NULL;
        ranks[r].opts = ranks[0].opts;
        if (asprintf(&rank, "%u", r) < 0)
            abort();
        ranks[r].opts.rank = rank;
        if (session_start(&ranks[r].opts, &callbacks, &ranks[r].session, &err) < 0) {
            fprintf(stderr, "bench_session_tree: rank %u: %s\n", r, err.text);
            return 1;
        }
    }
    return 0;
}

static int run_sockets(uint32_t count, uint32_t fanout, uint64_t port, unsigned epochs)
{
    struct socket_results results = { .count = count };
    struct err err = { "" };
    struct socket_rank *ranks = calloc(count, sizeof *ranks);
    if (!ranks || session_key_create("session.key", &err) < 0) {
        fprintf(stderr, "bench_session_tree: %s\n", err.text);
        return 1;
    }
    set_opts(&ranks[0].opts, count, fanout);
    ranks[0].opts.address = "127.0.0.1:%p";
    ranks[0].opts.port = port;
    ranks[0].opts.key_file = "session.key";
    ranks[0].opts.identities = "none"; /* what it costs is at the hello alone */
    ranks[0].opts.period_ns = ranks[0].opts.deadline_ns = NS_PER_S;
    ranks[0].opts.lead_ns = NS_PER_S / 2;
    size_t before_bytes = resident_bytes();
    int rc = start_sockets(ranks, count, &results);
    bool is_complete = rc == 0 && wait_epochs(&results, 3);
    double cpu_s = cpu_of_process_s();
    unsigned first = results.epochs;
    is_complete = is_complete && wait_epochs(&results, first + epochs);
    cpu_s = cpu_of_process_s() - cpu_s;
    double resident_kb = kb(resident_bytes() - before_bytes) / count;
    for (uint32_t r = count; r-- > 0;)
        session_stop(ranks[r].session);
    if (!is_complete)
        return 1;
    int64_t middle_ns = median_ns(results.result_ns + first, epochs);
    printf("%u ranks over TLS: result after %.0f us (median of %u; least %.0f, most "
           "%.0f); CPU %.0f us a rank and epoch; %.0f kB resident a rank\n",
           count, (double)middle_ns / 1e3, epochs,
           (double)results.result_ns[first] / 1e3,
           (double)results.result_ns[first + epochs - 1] / 1e3,
           cpu_s * 1e6 / epochs / count, resident_kb);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t numbers[4];
    bool is_ok = argc == 6;
    for (int i = 0; is_ok && i < 4; i++)
        is_ok = number_parse_u64(span_of(argv[i + 2]), &numbers[i]) == 0;
    if (!is_ok || numbers[0] == 0 || numbers[0] > RANKS_MAX ||
        numbers[1] > TOPOLOGY_FANOUT_MAX || numbers[3] == 0 ||
        numbers[3] > EPOCHS_MAX / 2) {
        fprintf(stderr, "usage: bench_session_tree played|sockets RANKS FANOUT "
                        "HOP_US|PORT EPOCHS\n");
        return 2;
    }
    return strcmp(argv[1], "sockets") == 0
               ? run_sockets((uint32_t)numbers[0], (uint32_t)numbers[1], numbers[2],
                             (unsigned)numbers[3])
               : run_played((uint32_t)numbers[0], (uint32_t)numbers[1], numbers[2],
                            (unsigned)numbers[3]);
}
