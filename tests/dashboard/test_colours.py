"""Every hue that a project may have can be read on every ground, in both themes."""

import math
import re

from dashboard.test_build import SOURCE

TOKENS = (SOURCE / "src/style/tokens.css").read_text("utf-8")
#: Contrast of text by WCAG 2.2 AA.
LEAST = 4.5
_ACCENTS = (
    r"--{}: light-dark\(oklch\((\S+) (\S+) var\(--hue\)\), oklch\((\S+) (\S+) var\(--hue\)\)\)"
)
Colour = tuple[float, ...]


def _of_hue(name: str, hue: float, theme: int) -> Colour:
    """Return a colour of a project as linear red, green and blue (CSS Color 4), cut to what a screen has."""
    found = re.search(_ACCENTS.format(name), TOKENS)
    assert found
    light, chroma = (float(part) for part in found.groups()[2 * theme : 2 * theme + 2])
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    mixed = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return tuple(min(1.0, max(0.0, part)) for part in mixed)


def _fixed(name: str, theme: int) -> Colour:
    found = re.search(rf"--{name}: light-dark\(#(\w+), #(\w+)\)", TOKENS)
    assert found
    parts = (int(found[theme + 1][at : at + 2], 16) / 255 for at in (0, 2, 4))
    return tuple(one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)


def _contrast(one: Colour, other: Colour) -> float:
    bright = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (one, other)
    )
    return (bright[1] + 0.05) / (bright[0] + 0.05)


def test_every_hue_of_a_project_can_be_read() -> None:
    for theme in (0, 1):
        grounds = [_fixed(name, theme) for name in ("ground", "panel", "raised", "hover")]
        for hue in range(0, 360, 15):
            accent, tint = (_of_hue(name, hue, theme) for name in ("accent", "tint"))
            least = min(_contrast(accent, ground) for ground in (*grounds, tint))
            assert least >= LEAST, (theme, hue, least)
            assert _contrast(_fixed("text", theme), tint) >= LEAST
            assert _contrast(_fixed("soft", theme), tint) >= LEAST, (theme, hue)
            assert _contrast(_fixed("on-accent", theme), accent) >= LEAST, (theme, hue)
