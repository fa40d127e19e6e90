/* SPDX-License-Identifier: Apache-2.0 */
/* binary - operators on instant vectors. */
#include "promql/binary.h"

#include "promql/arithmetic.h"
#include "promql/signature.h"

/* Comparisons leave the metric's name, and so does atan2, in Prometheus 2.42. */
static bool leaves_name(enum operation operation)
{
    return operation_is_comparison(operation) || operation == OPERATION_ATAN2;
}

/* The result of one pair of values; absent where a comparison does not hold. */
static double pair_value(const struct expr_binary *binary, double left, double right,
                         bool has_scalar_left)
{
    double value = 0;
    bool holds = operation_apply(binary->operation, left, right, &value);
    if (binary->returns_bool)
        return holds;
    if (!holds)
        return absent_value();
    if (has_scalar_left && operation_is_comparison(binary->operation))
        value = right;
    return is_absent(value) ? __builtin_nan("") : value;
}

int binary_with_scalar(const struct expr_binary *binary, struct row_set *set,
                       const double *scalars, enum scalar_side side)
{
    for (size_t r = 0; r < set->count; r++) {
        double *values = set->rows[r].values;
        for (size_t i = 0; i < set->step_count; i++) {
            if (is_absent(values[i]))
                continue;
            values[i] = side == SCALAR_LEFT
                            ? pair_value(binary, scalars[i], values[i], true)
                            : pair_value(binary, values[i], scalars[i], false);
        }
    }
    if (!leaves_name(binary->operation) || binary->returns_bool)
        return row_set_drop_names(set, ROWS_BY_STEP);
    return row_set_merge(set, ROWS_BY_STEP);
}

#define NO_ROW UINT32_MAX

/* Many rows on one side, at most one of each signature on the other. */
struct matching {
    const struct expr_binary *binary;
    const struct row_set *many, *one;
    struct row_set *result;
    struct hashmap rows; /* of the result, by labels */
    struct strbuf key;
    uint32_t *many_signatures, *one_signatures;
    uint32_t *one_row;     /* by signature: the row with a value at this step */
    uint32_t *last_one;    /* by row of many: the row of one that it last met */
    uint32_t *last_result; /* and the result's row of both */
    uint32_t *matched;     /* by signature: the step at which a pair was made, + 1 */
};

static void matching_done(struct matching *m)
{
    hashmap_done(&m->rows);
    strbuf_done(&m->key);
    free(m->many_signatures);
    free(m->one_signatures);
    free(m->one_row);
    free(m->last_one);
    free(m->last_result);
    free(m->matched);
}
DEFINE_AUTO_DONE(struct matching, matching_done);

static int refuse_two(const struct matching *m, const struct row *a,
                      const struct row *b)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    labels_print(&text, &a->labels);
    strbuf_adds(&text, ", ");
    labels_print(&text, &b->labels);
    return err_set(m->result->ev->err, EDOM,
                   "found duplicate series for the match group on the %s hand-side of "
                   "the operation: [%.360s]; labels that match must be unique on one "
                   "side",
                   m->binary->cardinality == ONE_TO_MANY ? "left" : "right",
                   strbuf_text(&text));
}

/* Labels of a pair: those of many, without what an operation drops, with those that
 * group_left() names. */
static int pair_labels(const struct matching *m, const struct labels *many,
                       const struct labels *one, struct labels *ret)
{
    struct arena *arena = &m->result->ev->arena;
    const struct expr_binary *b = m->binary;
    struct labels labels = *many;
    int rc = 0;
    if (!leaves_name(b->operation))
        rc = labels_drop_metric_name(arena, &labels, &labels);
    if (rc == 0 && b->cardinality == ONE_TO_ONE && b->is_on)
        rc = labels_reduce(arena, &labels, LABELS_ONLY, &b->matching, &labels);
    for (size_t i = 0;
         i < b->matching.count && rc == 0 && !b->is_on && b->cardinality == ONE_TO_ONE;
         i++)
        rc = labels_set(arena, &labels,
                        (struct label){ b->matching.names[i], { "", 0 } }, &labels);
    for (size_t i = 0; i < b->include.count && rc == 0; i++) {
        struct span name = b->include.names[i];
        rc = labels_set(arena, &labels, (struct label){ name, labels_get(one, name) },
                        &labels);
    }
    if (rc == 0 && b->returns_bool)
        rc = labels_drop_metric_name(arena, &labels, &labels);
    *ret = labels;
    return rc;
}

static int result_row(struct matching *m, uint32_t many, uint32_t one, uint32_t *ret)
{
    if (m->last_one[many] == one) {
        *ret = m->last_result[many];
        return 0;
    }
    struct labels labels;
    bool is_new = false;
    if (pair_labels(m, &m->many->rows[many].labels, &m->one->rows[one].labels,
                    &labels) < 0)
        return evaluation_no_memory(m->result->ev);
    strbuf_clear(&m->key);
    labels_add_key(&m->key, &labels);
    uintptr_t *index = hashmap_put(&m->rows, strbuf_span(&m->key), &is_new);
    if (!index || strbuf_error(&m->key))
        return evaluation_no_memory(m->result->ev);
    if (is_new) {
        struct row *row = NULL;
        *index = m->result->count;
        int rc = row_set_add(m->result, &labels, &row);
        if (rc < 0)
            return rc;
    }
    m->last_one[many] = one;
    m->last_result[many] = *ret = (uint32_t)*index;
    return 0;
}

static int put_pair(struct matching *m, uint32_t many, uint32_t one, size_t step,
                    double value)
{
    uint32_t signature = m->many_signatures[many], index = 0;
    struct err *err = m->result->ev->err;
    if (m->binary->cardinality == ONE_TO_ONE) {
        if (m->matched[signature] == step + 1)
            return err_set(err, EDOM,
                           "multiple matches for labels: many-to-one matching must be "
                           "explicit (group_left/group_right)");
        m->matched[signature] = (uint32_t)step + 1;
    }
    int rc = result_row(m, many, one, &index);
    if (rc < 0)
        return rc;
    double *values = m->result->rows[index].values;
    if (!is_absent(values[step]))
        return err_set(
            err, EDOM,
            "multiple matches for labels: grouping labels must ensure unique "
            "matches");
    values[step] = value;
    return 0;
}

/* Which row of one has a value at this step, by signature. */
static int index_one(struct matching *m, size_t step, uint32_t signature_count)
{
    memset(m->one_row, 0xFF, signature_count * sizeof m->one_row[0]);
    for (uint32_t r = 0; r < m->one->count; r++) {
        if (is_absent(m->one->rows[r].values[step]))
            continue;
        uint32_t *row = &m->one_row[m->one_signatures[r]];
        if (*row != NO_ROW)
            return refuse_two(m, &m->one->rows[r], &m->one->rows[*row]);
        *row = r;
    }
    return 0;
}

static int match_step(struct matching *m, size_t step)
{
    bool is_swapped = m->binary->cardinality == ONE_TO_MANY;
    for (uint32_t r = 0; r < m->many->count; r++) {
        double value = m->many->rows[r].values[step];
        uint32_t one = m->one_row[m->many_signatures[r]];
        if (is_absent(value) || one == NO_ROW)
            continue;
        double other = m->one->rows[one].values[step];
        value = is_swapped ? pair_value(m->binary, other, value, false)
                           : pair_value(m->binary, value, other, false);
        if (is_absent(value))
            continue;
        int rc = put_pair(m, r, one, step, value);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool has_any(const struct row_set *set, size_t step)
{
    for (size_t r = 0; r < set->count; r++)
        if (!is_absent(set->rows[r].values[step]))
            return true;
    return false;
}

static int matching_init(struct matching *m, struct signatures *signatures)
{
    const struct expr_binary *b = m->binary;
    signatures->mode = b->is_on ? LABELS_ONLY : LABELS_EXCEPT;
    signatures->names = b->matching;
    int rc = signatures_of_rows(signatures, m->one, &m->one_signatures);
    if (rc == 0)
        rc = signatures_of_rows(signatures, m->many, &m->many_signatures);
    if (rc < 0)
        return rc;
    m->one_row = calloc(signatures->count + 1, sizeof *m->one_row);
    m->matched = calloc(signatures->count + 1, sizeof *m->matched);
    m->last_one = calloc(m->many->count + 1, sizeof *m->last_one);
    m->last_result = calloc(m->many->count + 1, sizeof *m->last_result);
    if (!m->one_row || !m->matched || !m->last_one || !m->last_result)
        return -ENOMEM;
    memset(m->last_one, 0xFF, (m->many->count + 1) * sizeof *m->last_one);
    return 0;
}

int binary_matched(const struct expr_binary *binary, const struct row_set *left,
                   const struct row_set *right, struct row_set *ret)
{
    AUTO(signatures_done) struct signatures signatures = { 0 };
    AUTO(matching_done) struct matching m = { .binary = binary, .result = ret };
    bool is_swapped = binary->cardinality == ONE_TO_MANY;
    m.many = is_swapped ? right : left;
    m.one = is_swapped ? left : right;
    if (matching_init(&m, &signatures) < 0)
        return evaluation_no_memory(ret->ev);
    for (size_t step = 0; step < ret->step_count; step++) {
        if (!has_any(left, step) || !has_any(right, step))
            continue;
        int rc = evaluation_charge(ret->ev, m.many->count);
        if (rc == 0)
            rc = index_one(&m, step, signatures.count);
        if (rc == 0)
            rc = match_step(&m, step);
        if (rc < 0)
            return rc;
    }
    return row_set_merge(ret, ROWS_BY_STEP);
}

struct set_operands {
    struct row_set *left, *right;
    uint32_t *left_signatures, *right_signatures;
    uint32_t *stamps; /* by signature: the last step with such a row, + 1 */
};

static void stamp_rows(const struct set_operands *o, const struct row_set *set,
                       const uint32_t *signatures, size_t step)
{
    for (size_t r = 0; r < set->count; r++)
        if (!is_absent(set->rows[r].values[step]))
            o->stamps[signatures[r]] = (uint32_t)step + 1;
}

/* Remove the values of rows whose signature is stamped, or of the others. */
static void remove_rows(const struct set_operands *o, struct row_set *set,
                        const uint32_t *signatures, size_t step, bool is_stamped)
{
    for (size_t r = 0; r < set->count; r++)
        if ((o->stamps[signatures[r]] == step + 1) == is_stamped)
            set->rows[r].values[step] = absent_value();
}

static int append_rows(struct row_set *to, const struct row_set *from)
{
    for (size_t r = 0; r < from->count; r++) {
        struct row *row = NULL;
        int rc = row_set_add(to, &from->rows[r].labels, &row);
        if (rc < 0)
            return rc;
        memcpy(row->values, from->rows[r].values,
               from->step_count * sizeof row->values[0]);
    }
    return 0;
}

static void set_steps(enum operation operation, struct set_operands *o)
{
    for (size_t step = 0; step < o->left->step_count; step++) {
        if (operation == OPERATION_OR) {
            stamp_rows(o, o->left, o->left_signatures, step);
            remove_rows(o, o->right, o->right_signatures, step, true);
        } else {
            stamp_rows(o, o->right, o->right_signatures, step);
            remove_rows(o, o->left, o->left_signatures, step,
                        operation == OPERATION_UNLESS);
        }
    }
}

int binary_set(const struct expr_binary *binary, struct row_set *left,
               struct row_set *right)
{
    AUTO(signatures_done) struct signatures signatures = { 0 };
    AUTO_FREE uint32_t *left_signatures = NULL;
    AUTO_FREE uint32_t *right_signatures = NULL;
    signatures.mode = binary->is_on ? LABELS_ONLY : LABELS_EXCEPT;
    signatures.names = binary->matching;
    if (signatures_of_rows(&signatures, left, &left_signatures) < 0 ||
        signatures_of_rows(&signatures, right, &right_signatures) < 0)
        return evaluation_no_memory(left->ev);
    AUTO_FREE uint32_t *stamps = calloc(signatures.count + 1, sizeof *stamps);
    if (!stamps)
        return evaluation_no_memory(left->ev);
    struct set_operands operands = { left, right, left_signatures, right_signatures,
                                     stamps };
    int rc =
        evaluation_charge(left->ev, (left->count + right->count) * left->step_count);
    if (rc < 0)
        return rc;
    set_steps(binary->operation, &operands);
    if (binary->operation == OPERATION_OR)
        rc = append_rows(left, right);
    return rc < 0 ? rc : row_set_merge(left, ROWS_BY_STEP);
}
