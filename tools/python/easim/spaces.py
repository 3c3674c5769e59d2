"""What stands for the spaces of Gymnasium where that is not installed."""
import numpy


class Discrete:
    def __init__(self, n):
        self.n, self.shape, self.dtype, self._random = n, (), numpy.dtype(numpy.int64), numpy.random.default_rng()

    def seed(self, seed=None):
        self._random = numpy.random.default_rng(seed)

    def sample(self, mask=None):
        return int(self._random.integers(self.n)) if mask is None else int(self._random.choice(numpy.flatnonzero(mask)))

    def contains(self, value):
        return 0 <= int(value) < self.n


class Box:
    def __init__(self, low, high, shape, dtype):
        self.low, self.high, self.shape, self.dtype = low, high, shape, numpy.dtype(dtype)

    def contains(self, value):
        return value.shape == self.shape and value.dtype == self.dtype and bool(((value >= self.low) & (value <= self.high)).all())
