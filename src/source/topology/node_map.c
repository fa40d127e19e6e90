/* SPDX-License-Identifier: Apache-2.0 */
/* node_map - each node's place in the network, and its gateways to storage. */
#include "source/topology/node_map.h"

#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>

#define CRAY_FIELD "processor_id="
#define CRAY_ID_MAX 9999999
#define VIA "via"
#define WORDS_MAX 4

/* What one line says; the spans point into it. */
struct saying {
    struct span nodes;
    struct span gateways; /* data NULL: a place */
    double at[3];
};

struct reading {
    struct node_map *map;
    const char *reason; /* of the last refusal */
};

void node_map_init(struct node_map *map)
{
    *map = (struct node_map){ 0 };
    arena_init(&map->arena, 0);
}

void node_map_done(struct node_map *map)
{
    arena_done(&map->arena);
    free(map->nodes);
    free(map->gateways);
    hashmap_done(&map->node_index);
    hashmap_done(&map->gateway_index);
    *map = (struct node_map){ 0 };
}

const struct node_map_node *node_map_find(const struct node_map *map, struct span name)
{
    const uintptr_t *at = hashmap_get(&map->node_index, name);
    return at && *at > 0 ? &map->nodes[*at - 1] : NULL;
}

static int refuse(struct reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

/* Room for one more of size bytes each. */
static int grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return 0;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = reallocarray(*items, wanted, size);
    if (!grown)
        return -ENOMEM;
    *items = grown;
    *capacity = wanted;
    return 0;
}

/* The node called name, made when it is new.  Errors: -EINVAL (too many), -ENOMEM. */
static int node_of(struct reading *r, struct span name, struct node_map_node **ret)
{
    struct node_map *map = r->map;
    uintptr_t *at = hashmap_get(&map->node_index, name);
    if (!at || *at == 0) {
        if (map->node_count >= NODE_MAP_NODES_MAX)
            return refuse(r, "there are too many nodes");
        void *nodes = map->nodes;
        if (grow(&nodes, map->node_count, &map->node_capacity, sizeof *map->nodes) < 0)
            return -ENOMEM;
        map->nodes = nodes;
        at = hashmap_put(&map->node_index, name, NULL);
        if (!at)
            return -ENOMEM;
        map->nodes[map->node_count++] = (struct node_map_node){ 0 };
        *at = map->node_count;
    }
    *ret = &map->nodes[*at - 1];
    return 0;
}

static int gateway_of(struct reading *r, struct span name, uint32_t *ret)
{
    struct node_map *map = r->map;
    uintptr_t *at = hashmap_get(&map->gateway_index, name);
    if (!at || *at == 0) {
        if (map->gateway_count >= NODE_MAP_GATEWAYS_MAX)
            return refuse(r, "there are too many gateways");
        void *gateways = (void *)map->gateways;
        if (grow(&gateways, map->gateway_count, &map->gateway_capacity,
                 sizeof *map->gateways) < 0)
            return -ENOMEM;
        map->gateways = gateways;
        char *copy = arena_dup(&map->arena, name);
        at = copy ? hashmap_put(&map->gateway_index, name, NULL) : NULL;
        if (!at)
            return -ENOMEM;
        map->gateways[map->gateway_count++] = copy;
        *at = map->gateway_count;
    }
    *ret = (uint32_t)(*at - 1);
    return 0;
}

/* ---- what a line says ---- */

static int coordinate(struct reading *r, struct span text, double *ret)
{
    double value;
    if (number_parse_double(text, &value) < 0 || value > NODE_MAP_COORDINATE_MAX ||
        value < -NODE_MAP_COORDINATE_MAX)
        return refuse(r, "a coordinate is not a number, or too far away");
    *ret = value;
    return 0;
}

/* The next "name=value" of a line; a comma within '...' divides nothing. */
static bool pair_cut(struct span *line, struct span *ret_name, struct span *ret_value)
{
    bool is_quoted = false;
    size_t size = 0;
    if (line->size == 0)
        return false;
    for (; size < line->size && (is_quoted || line->data[size] != ','); size++)
        is_quoted ^= line->data[size] == '\'';
    struct span pair = { line->data, size };
    *line = span_skip(*line, size + 1);
    (void)span_cut(&pair, '=', ret_name);
    *ret_value = pair;
    return true;
}

/* name has room for CRAY_ID_MAX. */
static int cray_parse(struct reading *r, struct span line, char name[static 16],
                      struct saying *ret)
{
    static const char *const axes[] = { "x_coord", "y_coord", "z_coord" };
    unsigned seen = 0;
    uint64_t id = UINT64_MAX;
    struct span key, value;
    while (pair_cut(&line, &key, &value)) {
        if (span_is(key, "processor_id") && number_parse_u64(value, &id) < 0)
            return refuse(r, "processor_id is not a number");
        for (unsigned axis = 0; axis < COUNT_OF(axes); axis++)
            if (span_is(key, axes[axis])) {
                if (coordinate(r, value, &ret->at[axis]) < 0)
                    return -EINVAL;
                seen |= 1U << axis;
            }
    }
    if (id > CRAY_ID_MAX || seen != 7)
        return refuse(r, "processor_id or a coordinate is missing");
    int size = snprintf(name, 16, "nid%05u", (unsigned)id);
    ret->nodes = (struct span){ name, (size_t)size };
    ret->gateways = (struct span){ NULL, 0 };
    return 0;
}

/* Words between blanks and tabs; more than WORDS_MAX are counted only. */
static size_t words_cut(struct span line, struct span words[static WORDS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < line.size;) {
        size_t end = i;
        while (end < line.size && line.data[end] != ' ' && line.data[end] != '\t')
            end++;
        if (end > i && count++ < WORDS_MAX)
            words[count - 1] = (struct span){ line.data + i, end - i };
        i = end + 1;
    }
    return count;
}

static int plain_parse(struct reading *r, struct span line, struct saying *ret)
{
    struct span words[WORDS_MAX];
    size_t count = words_cut(line, words);
    if (count == 3 && span_is(words[1], VIA)) {
        ret->nodes = words[0];
        ret->gateways = words[2];
        return 0;
    }
    if (count != 4)
        return refuse(r, "it is neither 'NODES X Y Z' nor 'NODES via GATEWAYS'");
    for (size_t axis = 0; axis < 3; axis++)
        if (coordinate(r, words[axis + 1], &ret->at[axis]) < 0)
            return -EINVAL;
    ret->nodes = words[0];
    ret->gateways = (struct span){ NULL, 0 };
    return 0;
}

/* ---- and what comes of it ---- */

/* The names of a set; what is none is refused as what says. */
static int set_of(struct reading *r, struct span text, const char *what,
                  struct hostset **ret)
{
    if (r->map->name_count >= NODE_MAP_NAMES_MAX)
        return refuse(r, "the lines before it name too many hosts");
    int rc = hostset_parse(text, ret, NULL);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0 || hostset_count(*ret) == 0)
        return refuse(r, what);
    r->map->name_count += hostset_count(*ret);
    return 0;
}

static int gateways_take(struct reading *r, struct span text, uint32_t **ret,
                         size_t *ret_count)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    int rc = set_of(r, text, "the gateways are no set of hosts", &set);
    if (rc < 0)
        return rc;
    if (hostset_count(set) > NODE_MAP_LINKS_MAX - r->map->link_count)
        return refuse(r, "there are too many gateways");
    uint32_t *list = arena_alloc(&r->map->arena, hostset_count(set) * sizeof *list);
    if (!list)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < hostset_count(set); i++)
        rc = gateway_of(r, span_of(hostset_at(set, i)), &list[i]);
    if (rc < 0)
        return rc;
    *ret = list;
    *ret_count = hostset_count(set);
    r->map->link_count += *ret_count;
    return 0;
}

static int saying_take(struct reading *r, const struct saying *saying)
{
    AUTO(hostset_free) struct hostset *nodes = NULL;
    uint32_t *gateways = NULL;
    size_t gateway_count = 0;
    int rc = set_of(r, saying->nodes, "the nodes are no set of hosts", &nodes);
    if (rc == 0 && saying->gateways.data)
        rc = gateways_take(r, saying->gateways, &gateways, &gateway_count);
    for (size_t i = 0; rc == 0 && i < hostset_count(nodes); i++) {
        struct node_map_node *node;
        rc = node_of(r, span_of(hostset_at(nodes, i)), &node);
        if (rc < 0)
            break;
        if (gateways) {
            node->gateways = gateways;
            node->gateway_count = gateway_count;
        } else {
            node->has_place = true;
            memcpy(node->at, saying->at, sizeof node->at);
        }
    }
    return rc;
}

static int line_read(struct reading *r, struct span line)
{
    struct saying saying = { 0 };
    char name[16];
    bool is_cray = memmem(line.data, line.size, CRAY_FIELD, strlen(CRAY_FIELD)) != NULL;
    int rc =
        is_cray ? cray_parse(r, line, name, &saying) : plain_parse(r, line, &saying);
    return rc == 0 ? saying_take(r, &saying) : rc;
}

int node_map_add(struct node_map *map, struct span text, node_map_fault_fn *on_fault,
                 void *arg)
{
    struct reading r = { .map = map };
    uint64_t number = 0;
    while (text.size > 0) {
        struct span line;
        bool is_whole = span_cut(&text, '\n', &line);
        struct span trimmed = span_trim(line);
        number++;
        if (trimmed.size == 0 || trimmed.data[0] == '#')
            continue;
        int rc = is_whole ? line_read(&r, trimmed) : refuse(&r, "the line is cut");
        if (rc == -ENOMEM)
            return rc;
        if (rc == 0)
            continue;
        map->fault_count++;
        if (on_fault)
            on_fault(arg, number, line, r.reason);
    }
    return 0;
}
