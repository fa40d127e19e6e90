/* SPDX-License-Identifier: Apache-2.0 */
/* cell_block - the cells of one hour in memory, packed. */
#include "query/hours/cell_block.h"

#include "base/span.h"

struct cell_block *cell_block_new(enum target_kind kind, int64_t hour_ms,
                                  int64_t changes)
{
    struct cell_block *block = calloc(1, sizeof *block);
    if (block)
        *block = (struct cell_block){
            .kind = kind, .hour_ms = hour_ms, .changes = changes, .refs = 1
        };
    return block;
}

void cell_block_free(struct cell_block *block)
{
    if (!block)
        return;
    for (size_t i = 0; i < block->server_count; i++)
        free(block->servers[i]);
    free(block->servers);
    free(block->values);
    free(block->cells);
    free(block);
}

/* Hours have few servers, and cells of one stand together. */
static int find_block_server(struct cell_block *block, struct span server,
                             uint32_t *ret)
{
    for (size_t i = block->server_count; i-- > 0;)
        if (span_eq(span_of(block->servers[i]), server)) {
            *ret = (uint32_t)i;
            return 0;
        }
    size_t size = (block->server_count + 1) * sizeof *block->servers;
    char **grown = realloc(block->servers, size);
    if (!grown)
        return -ENOMEM;
    block->servers = grown;
    char *copy = span_dup(server);
    if (!copy)
        return -ENOMEM;
    *ret = (uint32_t)block->server_count;
    block->servers[block->server_count++] = copy;
    return 0;
}

static int block_grow(struct cell_block *block)
{
    const size_t values_max = 2 * OP_COUNT + 2;
    if (block->count == block->capacity) {
        size_t capacity = block->capacity ? block->capacity * 2 : 64;
        struct cached_cell *grown =
            realloc(block->cells, capacity * sizeof *block->cells);
        if (!grown)
            return -ENOMEM;
        block->cells = grown;
        block->capacity = capacity;
    }
    if (block->value_capacity - block->value_count < values_max) {
        size_t capacity = block->value_capacity * 2 + values_max;
        uint64_t *grown = realloc(block->values, capacity * sizeof *block->values);
        if (!grown)
            return -ENOMEM;
        block->values = grown;
        block->value_capacity = capacity;
    }
    return 0;
}

static uint32_t put_cell_values(struct cell_block *block, uint64_t has,
                                const uint64_t *values)
{
    uint32_t mask = 0;
    for (; has; has &= has - 1) {
        int op = __builtin_ctzll(has);
        if (!values[op])
            continue;
        mask |= UINT32_C(1) << op;
        block->values[block->value_count++] = values[op];
    }
    return mask;
}

int cell_block_add(struct cell_block *block, struct cached_series *series,
                   struct span server, const struct increment *inc)
{
    uint32_t server_index = 0;
    int rc = find_block_server(block, server, &server_index);
    if (rc == 0)
        rc = block_grow(block);
    if (rc < 0)
        return rc;
    struct cached_cell *cell = &block->cells[block->count++];
    *cell = (struct cached_cell){ .series = series,
                                  .since_ms = inc->since_ms,
                                  .t_ms = inc->t_ms,
                                  .flags = inc->flags,
                                  .server = server_index,
                                  .values = block->value_count };
    if (inc->flags & INCREMENT_MISSING) {
        block->values[block->value_count++] = inc->missing_samples;
        block->values[block->value_count++] = inc->missing_sum;
    }
    cell->samples = put_cell_values(block, inc->has_samples, inc->samples);
    cell->sums = put_cell_values(block, inc->has_sum, inc->sum);
    return 0;
}

static void *shrunk(void *memory, size_t size)
{
    void *smaller = size ? realloc(memory, size) : NULL;
    return smaller ? smaller : memory;
}

void cell_block_finish(struct cell_block *block)
{
    block->cells = shrunk(block->cells, block->count * sizeof *block->cells);
    block->values = shrunk(block->values, block->value_count * sizeof *block->values);
    block->bytes = sizeof *block + block->count * sizeof *block->cells +
                   block->value_count * sizeof *block->values +
                   block->server_count * sizeof *block->servers;
    for (size_t i = 0; i < block->server_count; i++)
        block->bytes += strlen(block->servers[i]) + 1;
}

static const uint64_t *get_cell_values(const uint64_t *at, uint32_t has,
                                       uint64_t wanted, uint64_t *ret)
{
    for (; has; has &= has - 1, at++) {
        int op = __builtin_ctz(has);
        if (wanted >> op & 1)
            ret[op] = *at;
    }
    return at;
}

void cell_block_get(const struct cell_block *block, const struct cached_cell *cell,
                    uint64_t samples, uint64_t sums, struct increment *ret)
{
    const uint64_t *at = block->values + cell->values;
    ret->since_ms = cell->since_ms;
    ret->t_ms = cell->t_ms;
    ret->flags = cell->flags;
    ret->has_samples = cell->samples & samples;
    ret->has_sum = cell->sums & sums;
    ret->missing_samples = ret->missing_sum = 0;
    if (cell->flags & INCREMENT_MISSING) {
        ret->missing_samples = *at++;
        ret->missing_sum = *at++;
    }
    at = get_cell_values(at, cell->samples, samples, ret->samples);
    (void)get_cell_values(at, cell->sums, sums, ret->sum);
}
