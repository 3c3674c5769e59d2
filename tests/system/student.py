"""Student's t-distribution by integrating its density, and what tests compute with it."""
import math
from functools import lru_cache
from statistics import mean, stdev


def t_tail(t, degrees, steps=20000):
    """P(T > t): the density integrated from 0 to t by Simpson's rule."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    density = lambda x: scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
    h = t / steps
    inner = sum((4 if i % 2 else 2) * density(i * h) for i in range(1, steps))
    return 0.5 - h / 3 * (density(0) + inner + density(t))


@lru_cache
def t_point(degrees):
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, degrees, 2000) > 0.025 else (low, middle)
    return low


def estimate(values):
    """n, mean and half of the 95 % interval of the values that are defined, None where there is none."""
    defined = [v for v in values if not math.isnan(v)]
    n = len(defined)
    return (n, mean(defined) if n else None,
            t_point(n - 1) * stdev(defined) / math.sqrt(n) if n > 1 else None)


def cell(text):
    return float(text) if text else math.nan


def agrees(text, value, size, relative):
    """Whether a cell holds a value, or is empty where there is none; `size` of the numbers it was made of."""
    return text == "" if value is None else abs(float(text) - value) <= relative * max(1, size)
