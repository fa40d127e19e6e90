/* SPDX-License-Identifier: Apache-2.0 */
/* pushes - images that clients send, into the repository of this server. */
#include "dataset/forwarder/chunk/pushes.h"

#include "base/clock.h"

#include <string.h>

struct push_sender {
    struct pushes *all;
    const struct push_sender_events *events; /* NULL: it was left */
    void *owner;
    struct push_sender *previous, *next;
    struct reader reader;
    struct push_terms terms;
    struct push *push; /* a worker's while is_busy; NULL: none is open */
    uint64_t charged;  /* of its index, in the sum of all */
    bool is_busy;      /* an offer or a commit is in progress */
    bool is_offering;  /* a worker has its offer */
    unsigned tasks;    /* that wait, or that a worker has */
    struct admission_job *job;
    uint64_t commit_id;
    int64_t used_ns;
};

struct push_task {
    struct work work; /* first */
    struct push_sender *sender;
    struct push_task *next;
    enum push_kind kind;
    uint64_t id;
    uint64_t offset;             /* of a part of the index */
    uint32_t number, plain_size; /* of a chunk */
    bool is_new;                 /* the chunk was not there */
    int rc;
    struct err err;
    struct strbuf missing;
    size_t size;
    char bytes[];
};

static void tasks_next(struct pushes *all);

/* ---- what a worker does ---- */

static void offer_run(struct push_task *task, struct worker *worker)
{
    struct push_sender *sender = task->sender;
    const struct span part = { task->bytes, task->size };
    if (!sender->push)
        task->rc =
            push_open(worker->repository, &sender->terms, &sender->push, &task->err);
    if (task->rc == 0 && part.size)
        task->rc = push_index_add(sender->push, task->offset, part, &task->err);
    if (task->rc == 0 && push_has_index(sender->push))
        task->rc =
            push_missing(worker->repository, sender->push, &task->missing, &task->err);
}

static void put_run(struct push_task *task, struct worker *worker)
{
    struct push *push = task->sender->push;
    const struct index_chunk *chunk = push_chunk(push, task->number);
    if (!chunk || chunk->size != task->plain_size)
        task->rc = err_set(&task->err, EUCLEAN, "a chunk that the index has not");
    if (task->rc == 0)
        task->rc =
            worker_expand(worker, (const uint8_t *)task->bytes, (uint32_t)task->size,
                          worker->scratch, task->plain_size);
    if (task->rc == 0 && chunk)
        task->rc = worker_verify(worker->scratch, chunk->size, &chunk->digest);
    if (task->rc == -EUCLEAN && !task->err.text[0])
        (void)err_set(&task->err, EUCLEAN, "a chunk is not what its SHA-256 states");
    task->is_new = task->rc == 0 && !push_has_chunk(push, task->number);
    if (task->is_new)
        task->rc = push_write(push, task->number, worker->scratch, &task->err);
}

static void push_task_run(struct work *work, struct worker *worker)
{
    struct push_task *task = (struct push_task *)work;
    switch (task->kind) {
    case PUSH_OFFER:
        offer_run(task, worker);
        return;
    case PUSH_PUT:
        put_run(task, worker);
        return;
    case PUSH_COMMIT:
        task->rc = push_facts_set(task->sender->push,
                                  (struct span){ task->bytes, task->size }, &task->err);
    }
}

/* ---- senders ---- */

static unsigned senders_of(const struct pushes *all, uint32_t uid)
{
    unsigned count = 0;
    for (struct push_sender *s = all->senders; s; s = s->next)
        count += s->reader.uid == uid;
    return count;
}

/* For a user who pushes nothing yet, where users with several connections have all
 * places: the one that has done nothing for longest has to connect again. */
static bool yield_find(struct pushes *all)
{
    int64_t before_ns = clock_steady_ns() - PUSH_YIELDS_NS;
    struct push_sender *oldest = NULL;
    for (struct push_sender *s = all->senders; s; s = s->next)
        if (s->events && !s->tasks && !s->is_busy && s->used_ns <= before_ns &&
            (!oldest || s->used_ns < oldest->used_ns) &&
            senders_of(all, s->reader.uid) > 1)
            oldest = s;
    if (oldest)
        oldest->events->expired(oldest->owner);
    return all->sender_count < PUSHES_MAX;
}

int push_sender_begin(struct pushes *all, const struct reader *reader,
                      const struct push_sender_events *events, void *owner,
                      struct push_sender **ret)
{
    unsigned of_user = senders_of(all, reader->uid);
    if (of_user >= PUSHES_OF_USER_MAX ||
        (all->sender_count >= PUSHES_MAX && (of_user || !yield_find(all))))
        return -EBUSY;
    struct push_sender *sender = calloc(1, sizeof *sender);
    if (!sender)
        return -ENOMEM;
    sender->all = all;
    sender->reader = *reader;
    sender->events = events;
    sender->owner = owner;
    sender->used_ns = clock_steady_ns();
    sender->next = all->senders;
    if (all->senders)
        all->senders->previous = sender;
    all->senders = sender;
    all->sender_count++;
    *ret = sender;
    return 0;
}

static void charge_set(struct push_sender *sender, uint64_t bytes)
{
    sender->all->index_bytes += bytes - sender->charged;
    sender->charged = bytes;
}

/* A user has a quarter at most. */
static int charge(struct push_sender *sender, uint64_t bytes)
{
    const struct pushes *all = sender->all;
    uint64_t of_user = bytes;
    for (struct push_sender *s = all->senders; s; s = s->next)
        of_user += s != sender && s->reader.uid == sender->reader.uid ? s->charged : 0;
    if (all->index_bytes - sender->charged + bytes > PUSHES_INDEX_BYTES_MAX ||
        of_user > PUSHES_INDEX_BYTES_MAX / 4)
        return -EBUSY;
    charge_set(sender, bytes);
    return 0;
}

static void push_end(struct push_sender *sender)
{
    charge_set(sender, 0);
    push_close(TAKE(sender->push));
}

/* It counts until no worker has anything of it. */
static void sender_release(struct push_sender *sender)
{
    struct pushes *all = sender->all;
    if (sender->events || sender->tasks)
        return;
    push_end(sender);
    *(sender->previous ? &sender->previous->next : &all->senders) = sender->next;
    if (sender->next)
        sender->next->previous = sender->previous;
    all->sender_count--;
    free(sender);
}

static void push_task_free(struct push_task *task)
{
    strbuf_done(&task->missing);
    free(task);
}

static void tasks_drop(struct push_sender *sender)
{
    struct pushes *all = sender->all;
    struct push_task **at = &all->first;
    all->last = NULL;
    while (*at) {
        struct push_task *task = *at;
        if (task->sender != sender) {
            all->last = task;
            at = &task->next;
            continue;
        }
        *at = task->next;
        sender->tasks--;
        push_task_free(task);
    }
}

void push_sender_leave(struct push_sender **at)
{
    struct push_sender *sender = *at;
    if (!sender)
        return;
    *at = NULL;
    sender->events = NULL;
    admission_leave(&sender->job);
    tasks_drop(sender);
    sender_release(sender);
}

/* ---- results ---- */

static void result_report(struct push_sender *sender, const struct push_result *result)
{
    char name[DIGEST_TEXT_SIZE];
    struct pushes *all = sender->all;
    digest_print(&sender->terms.name, name);
    if (result->rc == 0) {
        forwarder_report(all->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                         "user %u pushed dataset %s", sender->reader.uid, name);
        return;
    }
    all->refused++;
    forwarder_report(all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "a push of user %u was refused: dataset %s: %s",
                     sender->reader.uid, name,
                     result->text[0] ? result->text : strerror(-result->rc));
}

static void sender_done(struct push_sender *sender, const struct push_result *result)
{
    bool is_end = result->kind == PUSH_COMMIT || result->rc < 0;
    if (is_end && result->rc != -EAGAIN && result->rc != -EBUSY)
        result_report(sender, result);
    if (sender->events)
        sender->events->done(sender->owner, result);
}

static void on_admitted(void *arg, int rc, const struct push_admitted *admitted,
                        const char *text)
{
    struct push_sender *sender = arg;
    const struct push_result result = { .kind = PUSH_COMMIT,
                                        .id = sender->commit_id,
                                        .rc = rc,
                                        .text = text,
                                        .admitted = *admitted };
    sender->is_busy = false;
    sender->used_ns = clock_steady_ns();
    sender->all->admitted += rc == 0;
    sender_done(sender, &result);
}

/* The process that admits locks it, not this one. */
static void commit_admit(struct push_sender *sender, uint64_t id)
{
    struct push_admission in = { .name = sender->terms.name,
                                 .uid = sender->terms.uid,
                                 .image_bytes = sender->terms.image_bytes,
                                 .index_bytes = sender->terms.index_bytes,
                                 .sets_any_tag = sender->reader.is_trusted };
    memcpy(in.groups, sender->terms.groups, sizeof in.groups);
    push_end(sender);
    sender->commit_id = id;
    admitter_submit(sender->all->admitter, &in, on_admitted, sender, &sender->job);
}

/* What repeats, or is refused, is none. */
static void progress_note(struct push_sender *sender, const struct push_task *task)
{
    if (task->rc == 0 && (task->kind == PUSH_OFFER ? task->size > 0 : task->is_new))
        sender->used_ns = clock_steady_ns();
}

static void task_end(struct push_task *task)
{
    struct push_sender *sender = task->sender;
    struct pushes *all = sender->all;
    const struct push_result result = {
        .kind = task->kind,
        .id = task->id,
        .rc = task->rc,
        .text = task->err.text,
        .index_size = sender->push && task->kind == PUSH_OFFER
                          ? push_index_size(sender->push)
                          : 0,
        .missing = strbuf_span(&task->missing),
    };
    if (task->kind == PUSH_PUT && task->rc == 0) {
        all->chunks++;
        all->bytes += task->size;
    }
    progress_note(sender, task);
    all->damaged += task->kind == PUSH_PUT && task->rc == -EUCLEAN;
    if (task->kind == PUSH_COMMIT && task->rc == 0) {
        commit_admit(sender, task->id);
        return;
    }
    if (task->kind != PUSH_PUT)
        sender->is_busy = false;
    if (task->kind != PUSH_PUT && task->rc < 0)
        push_end(sender); /* it begins anew */
    else if (task->kind == PUSH_OFFER)
        charge_set(sender, push_index_size(sender->push));
    sender_done(sender, &result);
}

static void on_task_worked(struct work *work)
{
    struct push_task *task = (struct push_task *)work;
    struct push_sender *sender = task->sender;
    struct pushes *all = sender->all;
    all->works--;
    sender->tasks--;
    if (task->kind == PUSH_OFFER)
        sender->is_offering = false;
    if (sender->events)
        task_end(task);
    push_task_free(task);
    sender_release(sender);
    tasks_next(all);
}

/* ---- the queue ---- */

/* A user's offers have one worker at a time. */
static bool may_run(const struct pushes *all, const struct push_task *task)
{
    for (struct push_sender *s = all->senders; s && task->kind == PUSH_OFFER;
         s = s->next)
        if (s->is_offering && s->reader.uid == task->sender->reader.uid)
            return false;
    return true;
}

static struct push_task *task_shift(struct pushes *all)
{
    struct push_task *before = NULL, *task = all->first;
    for (; task && !may_run(all, task); task = task->next)
        before = task;
    if (!task)
        return NULL;
    *(before ? &before->next : &all->first) = task->next;
    if (all->last == task)
        all->last = before;
    return task;
}

static void tasks_next(struct pushes *all)
{
    struct push_task *task;
    while (all->works < all->works_max && (task = task_shift(all)) != NULL) {
        all->works++;
        if (task->kind == PUSH_OFFER)
            task->sender->is_offering = true;
        task->work.run = push_task_run;
        task->work.done = on_task_worked;
        work_submit(all->pool, &task->work);
    }
}

static struct push_task *task_new(struct push_sender *sender, enum push_kind kind,
                                  uint64_t id, struct span bytes)
{
    struct push_task *task = calloc(1, sizeof *task + bytes.size);
    if (!task)
        return NULL;
    task->sender = sender;
    task->kind = kind;
    task->id = id;
    task->size = bytes.size;
    memcpy(task->bytes, bytes.data, bytes.size);
    return task;
}

static void task_queue(struct push_task *task)
{
    struct pushes *all = task->sender->all;
    task->sender->tasks++;
    task->next = NULL;
    *(all->last ? &all->last->next : &all->first) = task;
    all->last = task;
    tasks_next(all);
}

/* ---- requests ---- */

/* All of the index may be there, to be loaded: until that is known all of it counts. */
static int terms_set(struct push_sender *sender, const struct chunk_push_head *head)
{
    struct pushes *all = sender->all;
    if (head->index_bytes > PUSH_INDEX_BYTES_MAX)
        return -EFBIG;
    push_end(sender); /* of another image */
    int rc = charge(sender, head->index_bytes);
    if (rc < 0)
        return rc;
    sender->terms = (struct push_terms){ .name = head->name,
                                         .uid = sender->reader.uid,
                                         .image_bytes = head->image_bytes,
                                         .index_bytes = head->index_bytes,
                                         .user_bytes_max = all->user_bytes_max };
    memcpy(sender->terms.groups, sender->reader.groups, sizeof sender->terms.groups);
    all->begun++;
    return 0;
}

_Static_assert(PUSH_GROUPS_SIZE == READER_GROUPS_SIZE, "they are copied");

int push_sender_offer(struct push_sender *sender, uint64_t id,
                      const struct chunk_push_head *head, struct span part)
{
    const struct push_terms *terms = &sender->terms;
    if (sender->tasks || sender->is_busy)
        return -EBADMSG;
    bool is_same = sender->push && digest_eq(&terms->name, &head->name) &&
                   terms->image_bytes == head->image_bytes &&
                   terms->index_bytes == head->index_bytes;
    int rc = is_same     ? charge(sender, push_index_size(sender->push) + part.size)
             : part.size ? -EBADMSG
                         : terms_set(sender, head);
    struct push_task *task = rc == 0 ? task_new(sender, PUSH_OFFER, id, part) : NULL;
    if (!task) {
        push_end(sender);
        return rc < 0 ? rc : -ENOMEM;
    }
    task->offset = head->offset;
    sender->is_busy = true;
    task_queue(task);
    return 0;
}

int push_sender_put(struct push_sender *sender, uint64_t id, uint32_t number,
                    uint32_t plain_size, struct span stored)
{
    if (sender->is_busy || !sender->push || !push_has_index(sender->push))
        return -EBADMSG;
    if (sender->tasks == CHUNK_FRAME_PUTS_MAX)
        return -EMSGSIZE;
    struct push_task *task = task_new(sender, PUSH_PUT, id, stored);
    if (!task)
        return -ENOMEM;
    task->number = number;
    task->plain_size = plain_size;
    task_queue(task);
    return 0;
}

int push_sender_commit(struct push_sender *sender, uint64_t id, struct span facts)
{
    if (sender->is_busy || sender->tasks || !sender->push)
        return -EBADMSG;
    struct push_task *task = task_new(sender, PUSH_COMMIT, id, facts);
    if (!task)
        return -ENOMEM;
    sender->is_busy = true;
    task_queue(task);
    return 0;
}

/* ---- time ---- */

void pushes_check(struct pushes *all, int64_t now_ns)
{
    struct push_sender *next;
    for (struct push_sender *sender = all->senders; sender; sender = next) {
        next = sender->next;
        if (sender->events && !sender->tasks && !sender->is_busy &&
            now_ns - sender->used_ns >= all->idle_ns)
            sender->events->expired(sender->owner);
    }
}

bool pushes_are_idle(const struct pushes *all)
{
    return !all->senders;
}
