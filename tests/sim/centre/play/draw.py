# SPDX-License-Identifier: Apache-2.0
"""draw - random numbers of a purpose, the same for a seed on every machine."""
import math
import random


class Draw(random.Random):
    """One stream of numbers; a stream for each purpose, so that no draw shifts another's."""

    def __init__(self, *purpose):
        super().__init__(":".join(str(p) for p in purpose))

    def log(self, low, high):
        """Uniform in the logarithm."""
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def factor(self, sigma):
        """About 1, log-normal."""
        return math.exp(self.gauss(0, sigma))

    def chance(self, p):
        return self.random() < p

    def pick(self, weights):
        """A key of {key: weight}, in the order of the table."""
        x = self.random() * sum(weights.values())
        for key, weight in weights.items():
            x -= weight
            if x < 0:
                return key
        return key


def spread(total, begin, end, step):
    """Whole numbers by cell of step seconds that add up to total: (cell, share)..."""
    first, last = int(begin // step), int(end // step)
    if end <= begin or first == last:
        return [(first, total)] if total else []
    out, done = [], 0
    for cell in range(first, last + 1):
        until = min(end, (cell + 1) * step)
        due = total if cell == last else int(total * (until - begin) / (end - begin))
        if due > done:
            out.append((cell, due - done))
            done = due
    return out
