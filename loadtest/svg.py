"""Pictures for reports: lines over time and bars, as SVG without anything from outside.

They have their own background and colours that can be told apart in the dark too and by the colour-blind.
"""

import html
import math

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STYLE = """<style>
.back{fill:#fff}.ink{fill:#222;font:12px system-ui,sans-serif}.soft{fill:#666;font:11px system-ui,sans-serif}
.grid{stroke:#ddd;stroke-width:1}.mark{stroke:#888;stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){.back{fill:#16181d}.ink{fill:#eee}.soft{fill:#aaa}.grid{stroke:#333}}
</style>"""
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 64, 16, 34, 34


def nice(most):
    """A round number that is not smaller."""
    if most <= 0:
        return 1.0
    power = 10 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= most * 0.999)


def told(value):
    if value >= 10_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def text(x, y, words, kind="ink", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


def document(height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{html.escape(title)}">{STYLE}<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>'
            f'{text(12, 21, title)}{"".join(parts)}</svg>\n')


def lines(title, unit, series, marks=(), height=230):
    """Curves over seconds.

    - series: (name, [(seconds, value)]).
    - marks: (seconds, words), for what happened then.
    """
    points = [point for _, values in series for point in values]
    if not points:
        return document(60, title + ": nothing was measured", [])
    longest, most = max(point[0] for point in points) or 1, nice(max(point[1] for point in points))
    bottom = height - BOTTOM

    def place(seconds, value):
        return LEFT + seconds / longest * (WIDTH - LEFT - RIGHT), bottom - value / most * (bottom - TOP - 14)

    parts = []
    for step in range(5):
        _, y = place(0, most * step / 4)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(LEFT - 6, y + 4, told(most * step / 4), "soft", "end"))
    for step in range(6):
        x, _ = place(longest * step / 5, 0)
        parts.append(text(x, bottom + 16, f"{longest * step / 5:.0f} s", "soft", "middle"))
    for seconds, words in marks:
        x, _ = place(min(seconds, longest), 0)
        parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP + 8}" y2="{bottom}"/>')
        parts.append(text(x + 4, TOP + 16, words, "soft"))
    x = WIDTH - RIGHT
    for number, (name, values) in reversed(list(enumerate(series))):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in values))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        label = f"{name}"
        x_label = x - 7 * len(label)
        parts.append(f'<rect x="{x_label - 14:.1f}" y="12" width="9" height="9" fill="{colour}"/>')
        parts.append(text(x_label, 21, label, "soft"))
        x = x_label - 22
    return document(height, f"{title}, {unit}", parts)


def bars(title, unit, values):
    """One bar for each (name, value); the first is ours."""
    height = TOP + 26 * len(values) + 12
    most = nice(max((value for _, value in values), default=1))
    parts = []
    for number, (name, value) in enumerate(values):
        y = TOP + 26 * number
        length = value / most * (WIDTH - 190)
        colour = COLOURS[0] if number == 0 else "#9aa4b2"
        parts.append(text(112, y + 15, name, "ink", "end"))
        parts.append(f'<rect x="120" y="{y + 2}" width="{max(length, 1):.1f}" height="18" rx="2" fill="{colour}"/>')
        parts.append(text(126 + length, y + 15, f"{value:,.1f}" if value < 100 else f"{value:,.0f}", "soft"))
    return document(height, f"{title}, {unit}", parts)
