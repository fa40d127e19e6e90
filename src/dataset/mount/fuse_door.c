/* SPDX-License-Identifier: Apache-2.0 */
/* fuse_door - images as files of a FUSE file system: requests of the kernel, and their
 * chunks. */
#include "dataset/mount/fuse_door.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/mount/fuse_op.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIECES_MAX (FUSE_READ_MAX / CHUNK_SIZE_MIN + 2)
#define ACTIVE_MAX \
    128U /* reads that have chunks under way: so many megabytes at most */
#define TURN_REQUESTS 64
#define ATTR_S 60U
#define SECONDS_NONE 0U
/* Of an image that nothing has open any more, before its lease is given back: the next
 * command of a job opens it again. */
#define IDLE_MS 1000U

struct fuse_op;

/* ---- lists ---- */

static void ops_append(struct fuse_ops *ops, struct fuse_op *op)
{
    op->previous = ops->last;
    op->next = NULL;
    *(ops->last ? &ops->last->next : &ops->first) = op;
    ops->last = op;
}

static void ops_remove(struct fuse_ops *ops, struct fuse_op *op)
{
    *(op->previous ? &op->previous->next : &ops->first) = op->next;
    *(op->next ? &op->next->previous : &ops->last) = op->previous;
}

/* ---- the end of a request ---- */

static void waiting_start(struct fuse_door *door);
static void opening_end(struct fuse_op *op);

static void op_pieces_clear(struct fuse_op *op)
{
    for (uint32_t i = 0; i < op->piece_count; i++) {
        flights_leave(&op->pieces[i].waiter);
        payload_unref(TAKE(op->pieces[i].payload));
    }
    op->piece_count = op->missing = 0;
    op->door->active -= op->pieces != NULL;
    free(TAKE(op->pieces));
}

/* Without a response. */
static void op_free(struct fuse_op *op, struct fuse_ops *ops)
{
    datasets_leave(&op->lookup);
    lease_leave(&op->lease);
    opening_end(op);
    if (op->dataset)
        dataset_unref(op->door->parts.datasets, op->dataset);
    op_pieces_clear(op);
    free(op->view);
    ops_remove(ops, op);
    op->door->opts.table->slots[op->slot].requests -= op->has_slot;
    if (op->is_in_hand)
        image_table_request_remove(op->door->opts.table, op->in_hand);
    free(op);
}

static void op_end(struct fuse_op *op, int error, const void *data, size_t size)
{
    struct fuse_door *door = op->door;
    (void)fuse_reply(door->opts.fd, op->unique, error, data, size);
    op_free(op, &door->ops);
    waiting_start(door);
}

/* ---- datasets ---- */

static void slot_set(struct fuse_door *door, unsigned slot, struct dataset *dataset)
{
    if (door->datasets[slot])
        dataset_unref(door->parts.datasets, dataset);
    else
        door->datasets[slot] = dataset;
}

/* The index of an image that is not open is the cache's to retain, or not. */
static void slot_leave(struct fuse_door *door, unsigned slot)
{
    if (door->opts.table->slots[slot].opens || !door->datasets[slot])
        return;
    prefetch_close(TAKE(door->readers[slot]));
    door->is_started[slot] = false;
    dataset_unref(door->parts.datasets, door->datasets[slot]);
    door->datasets[slot] = NULL;
}

/* ---- lookup ---- */

static void entry_fill(const struct fuse_op *op, unsigned slot, bool is_link,
                       struct fuse_entry_out *out)
{
    const struct image_slot *s = &op->door->opts.table->slots[slot];
    uint64_t inode = image_table_inode(op->door->opts.table, slot) + is_link;
    *out = (struct fuse_entry_out){
        .nodeid = inode,
        .entry_valid = is_link ? SECONDS_NONE : ATTR_S,
        .attr_valid = ATTR_S,
    };
    fuse_attr_fill(inode, is_link ? DIGEST_TEXT_SIZE - 1 : s->size,
                   is_link ? S_IFLNK | 0777 : S_IFREG | 0444, &out->attr);
}

static void lookup_reply(struct fuse_op *op, struct dataset *dataset)
{
    struct fuse_door *door = op->door;
    struct fuse_entry_out out;
    int slot = image_table_assign(door->opts.table, &dataset->name,
                                  dataset->index.image_bytes);
    dataset_unref(door->parts.datasets, dataset);
    if (slot < 0) {
        op_end(op, -ENFILE, NULL, 0);
        return;
    }
    slot_leave(door, (unsigned)slot);
    entry_fill(op, (unsigned)slot, op->is_link, &out);
    op_end(op, 0, &out, sizeof out);
}

static void on_permitted(void *arg, int rc)
{
    struct fuse_op *op = arg;
    if (rc < 0)
        op_end(op, fuse_error_of(rc), NULL, 0);
    else
        lookup_reply(op, TAKE(op->dataset));
}

static void on_looked_up(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct fuse_op *op =
        (struct fuse_op *)((char *)waiter - offsetof(struct fuse_op, lookup));
    if (rc < 0) {
        op_end(op, fuse_error_of(rc), NULL, 0);
        return;
    }
    if (!op->is_link) {
        lookup_reply(op, dataset);
        return;
    }
    op->dataset = dataset;
    permit_begin(op->door->parts.leases, &dataset->name, &op->reader, on_permitted, op,
                 &op->lease);
}

/* "NAME,USER,GROUPS": a link to the image, where that user may have it.  '%' stands for
 * a '/' of a tag. */
static bool link_name_parse(struct fuse_op *op, struct span *name,
                            char text[static DATASET_TAG_MAX])
{
    struct span tag, user, rest = *name;
    uint64_t uid = 0;
    (void)span_cut(&rest, ',', &tag);
    (void)span_cut(&rest, ',', &user);
    if (tag.size == 0 || tag.size > DATASET_TAG_MAX ||
        number_parse_u64(user, &uid) < 0 || reader_parse(uid, rest, &op->reader) < 0)
        return false;
    for (size_t i = 0; i < tag.size; i++)
        text[i] = tag.data[i] == '%' ? '/' : tag.data[i];
    *name = (struct span){ text, tag.size };
    return true;
}

/* ---- references of jobs ---- */

static void on_job_ref(void *arg, int rc)
{
    op_end(arg, rc < 0 ? fuse_error_of(rc) : -FUSE_DOOR_DONE, NULL, 0);
}

/* What is removed already, or its dataset, need not be. */
static void on_job_ref_removed(void *arg, int rc)
{
    on_job_ref(arg, rc == -ENOENT ? 0 : rc);
}

/* The node is the holder of the job's reference as it is of leases. */
static void job_ref_start(struct fuse_op *op, struct span name)
{
    char holder[DATASET_TAG_MAX + 1];
    bool is_held = name.data[0] == FUSE_DOOR_HOLD;
    struct lease_terms terms = { .lasts_s = is_held ? LEASE_NO_END : 0 };
    struct span job, user, rest = { name.data + 1, name.size - 1 };
    uint64_t uid = 0, number = 0;
    (void)span_cut(&rest, ',', &job);
    (void)span_cut(&rest, ',', &user);
    if (number_parse_u64(job, &number) < 0 || number_parse_u64(user, &uid) < 0 ||
        digest_parse(rest, &terms.name) < 0) {
        op_end(op, -ENOENT, NULL, 0);
        return;
    }
    (void)snprintf(holder, sizeof holder, LEASE_OF_JOB "%" PRIu64 ":%" PRIu64 ":%s",
                   number, uid, op->door->opts.holder);
    terms.holder = span_of(holder);
    lease_begin(op->door->parts.leases, &terms,
                is_held ? on_job_ref : on_job_ref_removed, op, &op->lease);
}

static void lookup_start(struct fuse_op *op, struct span rest)
{
    char text[DATASET_TAG_MAX];
    struct span name;
    struct digest digest;
    bool is_name = op->inode == FUSE_ROOT_ID && fuse_name_read(rest, &name);
    if (is_name && name.size &&
        (name.data[0] == FUSE_DOOR_HOLD || name.data[0] == FUSE_DOOR_GIVE_BACK)) {
        job_ref_start(op, name);
        return;
    }
    op->is_link = is_name && digest_parse(name, &digest) < 0;
    if (!is_name || (op->is_link && !link_name_parse(op, &name, text))) {
        op_end(op, -ENOENT, NULL, 0);
        return;
    }
    op->lookup.done = on_looked_up;
    datasets_find(op->door->parts.datasets, name, &op->lookup);
}

/* ---- leases ---- */

static struct lease_terms terms_of(const struct fuse_door *door, unsigned slot,
                                   uint64_t lasts_s)
{
    return (struct lease_terms){ .name = door->opts.table->slots[slot].name,
                                 .holder = span_of(door->opts.holder),
                                 .lasts_s = lasts_s };
}

static unsigned leased_slot(const struct door_lease *lease)
{
    return (unsigned)(lease - lease->door->leases);
}

/* Something has it open, or is about to. */
static bool slot_is_wanted(const struct fuse_door *door, unsigned slot)
{
    return door->opts.table->slots[slot].opens || door->leases[slot].opening;
}

/* The next renewal tries again. */
static void on_renewed(void *arg, int rc)
{
    (void)arg;
    (void)rc;
}

static void on_renewal(uv_timer_t *timer)
{
    struct fuse_door *door = timer->data;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        struct door_lease *lease = &door->leases[i];
        if (!door->opts.table->slots[i].opens || lease->is_ending)
            continue;
        const struct lease_terms terms = terms_of(door, i, door->opts.lease_s);
        lease_leave(&lease->lease);
        lease_begin(door->parts.leases, &terms, on_renewed, lease, &lease->lease);
    }
}

static void renewal_set(struct fuse_door *door)
{
    uint64_t every_ms = door->opts.lease_s * 1000 / 3;
    if (!image_table_is_busy(door->opts.table))
        (void)uv_timer_stop(&door->timer);
    else if (!uv_is_active((uv_handle_t *)&door->timer))
        (void)uv_timer_start(&door->timer, on_renewal, every_ms, every_ms);
}

/* ---- the end of a lease ---- */

static void open_lease(struct fuse_op *op);

static struct fuse_op *opening_find(const struct fuse_door *door, unsigned slot)
{
    struct fuse_op *op = door->ops.first;
    while (op && (!op->is_opening || op->slot != slot || op->lease))
        op = op->next;
    return op;
}

/* Those who opened it meanwhile have waited: the end and the lease of one holder must
 * not be under way together, whichever came last would be what is in the repository.
 * One that was not given back ends by itself. */
static void on_ended(void *arg, int rc)
{
    struct door_lease *lease = arg;
    struct fuse_door *door = lease->door;
    unsigned slot = leased_slot(lease);
    struct fuse_op *op;
    (void)rc;
    lease->is_ending = false;
    door->opts.table->slots[slot].is_returning = false;
    while ((op = opening_find(door, slot)) != NULL)
        open_lease(op);
    renewal_set(door);
}

static void idle_end(struct fuse_door *door, unsigned slot)
{
    const struct lease_terms terms = terms_of(door, slot, 0);
    struct door_lease *lease = &door->leases[slot];
    lease_leave(&lease->lease); /* a renewal */
    lease->is_ending = true;
    lease_begin(door->parts.leases, &terms, on_ended, lease, &lease->lease);
}

static void on_idle(uv_timer_t *timer)
{
    struct fuse_door *door = timer->data;
    int64_t since_ns = clock_steady_ns() - IDLE_MS * NS_PER_MS;
    unsigned left = 0;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        if (!door->opts.table->slots[i].is_returning || door->leases[i].is_ending)
            continue;
        if (door->leases[i].idle_ns > since_ns)
            left++;
        else
            idle_end(door, i);
    }
    if (!left)
        (void)uv_timer_stop(timer);
}

static void slot_return(struct fuse_door *door, unsigned slot)
{
    door->opts.table->slots[slot].is_returning = true;
    door->leases[slot].idle_ns = clock_steady_ns();
    if (!uv_is_active((uv_handle_t *)&door->idle))
        (void)uv_timer_start(&door->idle, on_idle, IDLE_MS / 4, IDLE_MS / 4);
}

/* ---- open, release ---- */

/* Whether or not it has become one that is open. */
static void opening_end(struct fuse_op *op)
{
    struct fuse_door *door = op->door;
    if (!op->is_opening)
        return;
    op->is_opening = false;
    door->leases[op->slot].opening--;
    if (!door->is_closing && !slot_is_wanted(door, op->slot) &&
        !door->leases[op->slot].is_ending)
        slot_return(door, op->slot); /* it may have come to be all the same */
}

/* Where leases are refused the repository's server has logged why. */
static void on_opened(void *arg, int rc)
{
    struct fuse_op *op = arg;
    struct fuse_door *door = op->door;
    const struct fuse_open_out out = { .open_flags = FUSE_OPEN_CACHED };
    if (rc == -EFBIG) {
        forwarder_report(door->parts.report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "a dataset is mounted without a lease: the repository refused "
                         "it, and gc may remove the dataset");
        rc = 0;
    }
    if (rc == 0 && door->opts.table->slots[op->slot].opens++ == 0)
        door->is_started[op->slot] = true;
    opening_end(op);
    renewal_set(door);
    op_end(op, rc < 0 ? fuse_error_of(rc) : 0, rc < 0 ? NULL : &out,
           rc < 0 ? 0 : sizeof out);
}

static void open_lease(struct fuse_op *op)
{
    struct fuse_door *door = op->door;
    const struct lease_terms terms = terms_of(door, op->slot, door->opts.lease_s);
    lease_leave(&door->leases[op->slot].lease); /* a renewal */
    door->opts.table->slots[op->slot].is_returning = false;
    lease_begin(door->parts.leases, &terms, on_opened, op, &op->lease);
}

/* What is open has its lease, which renewals retain: no one else waits for a repository
 * that may be far, or away. */
static void open_start(struct fuse_op *op)
{
    struct door_lease *lease = &op->door->leases[op->slot];
    if (op->door->opts.table->slots[op->slot].opens) {
        on_opened(op, 0);
        return;
    }
    op->is_opening = true;
    lease->opening++;
    if (!lease->is_ending)
        open_lease(op);
}

static void release(struct fuse_op *op)
{
    struct fuse_door *door = op->door;
    struct image_slot *slot = &door->opts.table->slots[op->slot];
    slot->opens -= slot->opens > 0;
    if (!slot_is_wanted(door, op->slot))
        slot_return(door, op->slot);
    renewal_set(door);
    slot_leave(door, op->slot);
    op_end(op, 0, NULL, 0);
}

/* ---- read ---- */

static void read_reply(struct fuse_op *op)
{
    struct fuse_out_header head = { .unique = op->unique, .len = sizeof head };
    struct iovec parts[PIECES_MAX + 1] = { { &head, sizeof head } };
    for (uint32_t i = 0; i < op->piece_count; i++) {
        const struct op_piece *piece = &op->pieces[i];
        parts[i + 1] =
            (struct iovec){ piece->payload->data + piece->skip, piece->size };
        head.len += piece->size;
    }
    (void)!writev(op->door->opts.fd, parts, (int)op->piece_count + 1);
    struct fuse_door *door = op->door;
    op_free(op, &door->ops);
    waiting_start(door);
}

static void read_failure_report(const struct fuse_op *op)
{
    const struct forwarder_parts *parts = &op->door->parts;
    char text[DIGEST_TEXT_SIZE];
    digest_print(&op->door->opts.table->slots[op->slot].name, text);
    forwarder_report(
        parts->report, LOG_LEVEL_ERROR, FORWARDER_FAILED_READ,
        "dataset %s: a read of %u bytes at byte %" PRIu64
        " ended with an I/O error%s: %s",
        text, op->size, op->offset, op->rc == -ETIMEDOUT ? " after the patience" : "",
        op->rc == -EPROTO  ? "a chunk is not as long as the index states"
        : parts->upstreams ? upstreams_reason(parts->upstreams)
                           : "the repository has it damaged, or not at all");
}

static void read_finish(struct fuse_op *op)
{
    if (op->rc == 0) {
        read_reply(op);
        return;
    }
    read_failure_report(op);
    op_end(op, -EIO, NULL, 0);
}

static void op_piece_set(struct op_piece *piece, int rc, struct payload *payload)
{
    struct fuse_op *op = piece->op;
    op->missing--;
    if (rc == 0 && payload->size != piece->chunk_size)
        rc = -EPROTO;
    if (rc < 0)
        op->rc = op->rc ? op->rc : rc;
    else
        piece->payload = payload_ref(payload);
}

static void on_op_piece(struct flight_waiter *waiter, int rc, struct payload *payload)
{
    struct op_piece *piece = (struct op_piece *)waiter;
    struct fuse_op *op = piece->op;
    op_piece_set(piece, rc, payload);
    if (!op->is_filling && (op->missing == 0 || op->rc))
        read_finish(op);
}

static void op_piece_begin(struct fuse_op *op, const struct index_chunk *chunk,
                           uint64_t offset, uint64_t rest)
{
    struct op_piece *piece = &op->pieces[op->piece_count++];
    piece->op = op;
    piece->chunk_size = chunk->size;
    piece->skip = (uint32_t)(offset - chunk->offset);
    piece->size = chunk->size - piece->skip;
    if (piece->size > rest)
        piece->size = (uint32_t)rest;
    piece->waiter.form = FORM_PLAIN;
    piece->waiter.has_dataset = true;
    piece->waiter.dataset = op->door->datasets[op->slot]->name;
    piece->waiter.done = on_op_piece;
    op->missing++;
    struct payload *payload =
        flights_get(op->door->parts.flights, &chunk->digest, &piece->waiter);
    if (payload)
        op_piece_set(piece, 0, payload);
}

/* A process that has what was opened before it replays no profile of it. */
static void read_announce(struct fuse_op *op, uint64_t end)
{
    struct fuse_door *door = op->door;
    struct dataset *dataset = door->datasets[op->slot];
    const struct dataset_index *index = &dataset->index;
    size_t first = dataset_index_find(index, op->offset), count = 0;
    while (first + count < index->count && index->chunks[first + count].offset < end)
        count++;
    recorder_note(&door->recorder, &dataset->name, first, count);
    if (door->parts.prefetch && !door->readers[op->slot])
        (void)prefetch_open(door->parts.prefetch, dataset, door->is_started[op->slot],
                            &door->readers[op->slot]);
    prefetch_read(door->readers[op->slot], first, count);
}

static void read_fill(struct fuse_op *op)
{
    const struct dataset_index *index = &op->door->datasets[op->slot]->index;
    uint64_t offset = op->offset, end = op->offset + op->size;
    end = end < index->image_bytes ? end : index->image_bytes;
    op->is_filling = true;
    read_announce(op, end);
    for (size_t i = dataset_index_find(index, offset);
         offset < end && i < index->count && op->piece_count < PIECES_MAX && !op->rc;
         i++) {
        op_piece_begin(op, &index->chunks[i], offset, end - offset);
        offset = index->chunks[i].offset + index->chunks[i].size;
    }
    if (offset < end && !op->rc)
        op->rc = -EPROTO; /* a short response would be zeros to the kernel */
    op->is_filling = false;
    if (op->missing == 0 || op->rc)
        read_finish(op);
}

static void read_start(struct fuse_op *op)
{
    struct fuse_door *door = op->door;
    if (door->active >= ACTIVE_MAX) {
        ops_remove(&door->ops, op);
        ops_append(&door->waiting, op);
        return;
    }
    op->pieces = calloc(PIECES_MAX, sizeof op->pieces[0]);
    if (!op->pieces) {
        op_end(op, -ENOMEM, NULL, 0);
        return;
    }
    door->active++;
    read_fill(op);
}

static void waiting_start(struct fuse_door *door)
{
    while (door->waiting.first && door->active < ACTIVE_MAX && !door->is_closing) {
        struct fuse_op *op = door->waiting.first;
        ops_remove(&door->waiting, op);
        ops_append(&door->ops, op);
        read_start(op);
    }
}

/* A process before this one had looked it up. */
static void on_found_again(struct dataset_waiter *waiter, int rc,
                           struct dataset *dataset)
{
    struct fuse_op *op =
        (struct fuse_op *)((char *)waiter - offsetof(struct fuse_op, lookup));
    if (rc < 0) {
        op_end(op, -EIO, NULL, 0);
        return;
    }
    slot_set(op->door, op->slot, dataset);
    read_start(op);
}

static void read_begin(struct fuse_op *op, struct span rest)
{
    struct fuse_door *door = op->door;
    char text[DIGEST_TEXT_SIZE];
    struct fuse_read_in in;
    if (!fuse_struct_read(rest, &in, sizeof in) || in.size > FUSE_READ_MAX ||
        in.offset > UINT64_MAX - in.size) {
        op_end(op, -EINVAL, NULL, 0);
        return;
    }
    op->offset = in.offset;
    op->size = in.size;
    if (door->datasets[op->slot]) {
        read_start(op);
        return;
    }
    digest_print(&door->opts.table->slots[op->slot].name, text);
    op->lookup.done = on_found_again;
    datasets_find(door->parts.datasets, span_of(text), &op->lookup);
}

/* ---- what has its response at once ---- */

static void attr_reply(struct fuse_op *op)
{
    struct fuse_attr_out out = { .attr_valid = ATTR_S };
    bool is_root = op->inode == FUSE_ROOT_ID, is_link = inode_is_link(op->inode);
    uint64_t size = is_root   ? 0
                    : is_link ? DIGEST_TEXT_SIZE - 1
                              : op->door->opts.table->slots[op->slot].size;
    fuse_attr_fill(op->inode, size,
                   is_root   ? S_IFDIR | 0500
                   : is_link ? S_IFLNK | 0777
                             : S_IFREG | 0444,
                   &out.attr);
    op_end(op, 0, &out, sizeof out);
}

static void link_reply(struct fuse_op *op)
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(&op->door->opts.table->slots[op->slot].name, text);
    op_end(op, 0, text, DIGEST_TEXT_SIZE - 1);
}

static void statfs_reply(struct fuse_op *op)
{
    const struct fuse_statfs_out out = {
        .st = { .bsize = 4096, .frsize = 4096, .namelen = DATASET_TAG_MAX }
    };
    op_end(op, 0, &out, sizeof out);
}

static void init_reply(struct fuse_op *op, struct span rest)
{
    struct fuse_door *door = op->door;
    struct fuse_init_in in = { 0 };
    struct fuse_init_out out;
    size_t size = rest.size < sizeof in ? rest.size : sizeof in;
    memcpy(&in, rest.data, size);
    int rc = fuse_init_fill(&in, &out);
    if (rc < 0)
        forwarder_report(door->parts.report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                         "this kernel's FUSE has version %u.%u, which is too old",
                         in.major, in.minor);
    door->opts.table->is_greeted = rc == 0;
    op_end(op, rc, rc < 0 ? NULL : &out, rc < 0 ? 0 : sizeof out);
}

/* ---- requests ---- */

static bool interrupt_in(struct fuse_ops *ops, uint64_t unique)
{
    struct fuse_op *op = ops->first;
    while (op && op->unique != unique)
        op = op->next;
    if (!op)
        return false;
    (void)fuse_reply(op->door->opts.fd, op->unique, -EINTR, NULL, 0);
    op_free(op, ops);
    return true;
}

static void interrupt(struct fuse_door *door, struct span rest)
{
    struct fuse_interrupt_in in;
    if (fuse_struct_read(rest, &in, sizeof in) && !interrupt_in(&door->ops, in.unique))
        (void)interrupt_in(&door->waiting, in.unique);
    waiting_start(door);
}

static void op_start(struct fuse_op *op, struct span rest)
{
    bool is_root = op->inode == FUSE_ROOT_ID;
    if (op->opcode == FUSE_INIT) {
        init_reply(op, rest);
    } else if (op->opcode == FUSE_LOOKUP) {
        lookup_start(op, rest);
    } else if (op->opcode == FUSE_STATFS) {
        statfs_reply(op);
    } else if (op->opcode == FUSE_GETATTR) {
        attr_reply(op);
    } else if (op->opcode == FUSE_READLINK && !is_root && inode_is_link(op->inode)) {
        link_reply(op);
    } else if (op->opcode == FUSE_OPEN && !is_root) {
        open_start(op);
    } else if (op->opcode == FUSE_READ && !is_root) {
        read_begin(op, rest);
    } else if (op->opcode == FUSE_RELEASE && !is_root) {
        release(op);
    } else if (op->opcode == FUSE_GETXATTR && is_root) {
        op_end(op, -ENODATA, NULL, 0); /* after ENOSYS no view is requested again */
    } else if (op->opcode == FUSE_GETXATTR) {
        attribute_start(op, rest);
    } else {
        op_end(op, -ENOSYS, NULL, 0);
    }
}

static bool needs_slot(uint32_t opcode)
{
    return opcode != FUSE_INIT && opcode != FUSE_LOOKUP && opcode != FUSE_STATFS;
}

/* The next process knows of it, too.  The kernel begins no others before it has the
 * response to FUSE_INIT. */
static bool op_accept(struct fuse_op *op)
{
    struct image_table *table = op->door->opts.table;
    const struct image_request request = { op->unique, op->slot,
                                           op->opcode == FUSE_RELEASE && op->has_slot };
    if (op->has_slot)
        table->slots[op->slot].requests++;
    op->is_in_hand = op->opcode != FUSE_INIT &&
                     image_table_request_add(table, &request, &op->in_hand);
    return op->is_in_hand || op->opcode == FUSE_INIT;
}

static void request_begin(struct fuse_door *door, const struct fuse_in_header *head,
                          struct span rest)
{
    int slot = image_table_slot(door->opts.table, head->nodeid);
    struct fuse_op *op = calloc(1, sizeof *op);
    if (!op) {
        (void)fuse_reply(door->opts.fd, head->unique, -ENOMEM, NULL, 0);
        return;
    }
    op->door = door;
    op->unique = head->unique;
    op->opcode = head->opcode;
    op->inode = head->nodeid;
    op->slot = slot < 0 ? 0 : (unsigned)slot;
    op->has_slot = slot >= 0;
    ops_append(&door->ops, op);
    if (!op_accept(op) && op->opcode != FUSE_RELEASE)
        op_end(op, -EAGAIN, NULL, 0);
    else if (slot < 0 && head->nodeid != FUSE_ROOT_ID && needs_slot(head->opcode))
        op_end(op, -ESTALE, NULL, 0); /* the kernel looks it up again */
    else
        op_start(op, rest);
}

static void request_serve(struct fuse_door *door, struct span in)
{
    struct fuse_in_header head;
    struct span rest;
    if (fuse_request_read(in, &head, &rest) < 0)
        return;
    switch (head.opcode) {
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
        break; /* a slot is another image's where that one needs it: see image_table */
    case FUSE_INTERRUPT:
        interrupt(door, rest);
        break;
    default:
        request_begin(door, &head, rest);
        break;
    }
}

static void on_fuse(uv_poll_t *poll, int status, int events)
{
    struct fuse_door *door = poll->data;
    (void)events;
    for (int i = 0; status == 0 && i < TURN_REQUESTS && !door->is_closing; i++) {
        ssize_t size = read(door->opts.fd, door->in, sizeof door->in);
        if (size < 0 && errno != EINTR && errno != ENOENT) {
            if (errno != EAGAIN)
                (void)uv_poll_stop(poll); /* it was unmounted */
            return;
        }
        if (size > 0)
            request_serve(door, (struct span){ (const char *)door->in, (size_t)size });
    }
    if (status < 0)
        (void)uv_poll_stop(poll);
}

/* ---- the door ---- */

unsigned fuse_door_fail_lost(int fd, struct image_table *table)
{
    struct image_request request;
    unsigned count = 0;
    for (; image_table_request_next(table, &request); count++)
        (void)fuse_reply(fd, request.unique, -EIO, NULL, 0);
    return count;
}

/* What a process before this one had, and did not respond to. */
static void requests_resume(struct fuse_door *door)
{
    struct image_table *table = door->opts.table;
    int rc = table->is_greeted ? fuse_resend(door->opts.fd) : 0;
    unsigned count = rc < 0 ? fuse_door_fail_lost(door->opts.fd, table) : 0;
    if (rc < 0)
        forwarder_report(door->parts.report, LOG_LEVEL_WARN, FORWARDER_CHANGE,
                         "%u reads that the process before this one had in hand ended "
                         "with an I/O error: this kernel does not send them again (it "
                         "is before 6.9)",
                         count);
    image_table_requests_clear(table);
    table->is_serving = true;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        if (table->slots[i].is_returning && !slot_is_wanted(door, i))
            slot_return(door, i);
    on_renewal(&door->timer);
    renewal_set(door);
}

int fuse_door_open(const struct fuse_door_opts *opts,
                   const struct forwarder_parts *parts, struct fuse_door **ret,
                   struct err *err)
{
    AUTO(fuse_door_free) struct fuse_door *door = calloc(1, sizeof *door);
    if (!door)
        return -ENOMEM;
    door->opts = *opts;
    door->end = op_end;
    door->parts = *parts;
    door->poll.data = door->timer.data = door->idle.data = door;
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        door->leases[i].door = door;
    int rc = uv_timer_init(parts->loop, &door->timer);
    if (rc == 0)
        rc = uv_timer_init(parts->loop, &door->idle);
    if (rc == 0)
        rc = uv_poll_init(parts->loop, &door->poll, opts->fd);
    if (rc == 0)
        rc = uv_poll_start(&door->poll, UV_READABLE, on_fuse);
    if (rc < 0)
        return err_set(err, -rc, "FUSE: %s", strerror(-rc));
    requests_resume(door);
    *ret = TAKE(door);
    return 0;
}

void fuse_door_close(struct fuse_door *door)
{
    door->is_closing = true;
    while (door->waiting.first)
        op_free(door->waiting.first, &door->waiting);
    while (door->ops.first)
        op_free(door->ops.first, &door->ops);
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        lease_leave(&door->leases[i].lease);
        prefetch_close(TAKE(door->readers[i]));
        if (door->datasets[i])
            dataset_unref(door->parts.datasets, door->datasets[i]);
        door->datasets[i] = NULL;
    }
    uv_close((uv_handle_t *)&door->poll, NULL);
    uv_close((uv_handle_t *)&door->timer, NULL);
    uv_close((uv_handle_t *)&door->idle, NULL);
}

void fuse_door_free(struct fuse_door *door)
{
    if (door)
        recorder_clear(&door->recorder);
    free(door);
}
