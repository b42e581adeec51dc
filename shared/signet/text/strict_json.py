"""JSON as its standard has it: Python reads NaN and infinity too, which others could not read back."""

import json
import math


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number


DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)
