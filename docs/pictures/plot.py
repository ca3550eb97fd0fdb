"""Curves as SVG, for light and dark surroundings: panels with axes, levels to compare with, and notes."""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))

WIDTH = 800
MARGIN_LEFT, MARGIN_RIGHT, GAP = 66, 16, 54
TITLE_TOP, LEGEND_TOP, PANELS_TOP = 22, 44, 66
# The first colour of each pair for light surroundings, the second for dark ones.
COLOURS = {"a": ("#1f6fb4", "#62a8e5"), "b": ("#c4620c", "#f0994b"), "c": ("#2c8a4b", "#5fc483"),
           "d": ("#8250b8", "#b491e0"), "ink": ("#24292f", "#e6e6e6"), "soft": ("#6a737d", "#9aa4ae"),
           "grid": ("#d9dde2", "#3a4149"), "paper": ("#ffffff", "#16191d")}
STEP_KEPT = 0.35  # pixels by which a curve may be simplified


class Axis:
    """Places values between 0 and 1, and has ticks, each with its text."""

    def __init__(self, label, last, ticks, place):
        self.label, self.last, self.ticks, self.place = label, last, ticks, place


def minutes_axis(minutes, every):
    ticks = [(i * every, "%g" % (i * every)) for i in range(int(minutes / every) + 1)]
    return Axis("minutes", minutes, ticks, lambda minute: minute / minutes)


def log_axis(label, ticks):
    """From the first of the ticks to the last, by their logarithms."""
    first, span = math.log(ticks[0][0]), math.log(ticks[-1][0] / ticks[0][0])
    return Axis(label, ticks[-1][0], ticks, lambda value: (math.log(value) - first) / span)


class Panel:
    """Axes with curves, lines and notes."""

    def __init__(self, axis, top, every, title="", unit=""):
        self.axis, self.top, self.every, self.title, self.unit = axis, top, every, title, unit
        self.parts = []

    def curve(self, colour, points, style=""):
        self.parts.append(("curve", colour, points, style))
        return self

    def dots(self, colour, points):
        self.parts += [("dot", colour, point, "") for point in points]
        return self

    def line(self, y, text, colour="soft", from_x=0, to_x=None, text_x=None, below=False):
        """A level to compare with: dashed across what it is compared with, its text above (or below) it."""
        end = self.axis.last if to_x is None else to_x
        self.parts.append(("curve", "ink", [(from_x, y), (end, y)], "dashed"))
        return self.note(from_x if text_x is None else text_x, y, text, colour, 13 if below else -5)

    def note(self, x, y, text, colour="soft", dy=0):
        self.parts.append(("note", colour, (x, y, dy), text))
        return self

    def draw(self, x, y, width, height):
        out = []

        def px(value):
            return x + width * self.axis.place(value)

        def py(value):
            return y + height * (1 - min(max(value, 0), self.top) / self.top)

        for i in range(int(self.top / self.every) + 1):
            level = i * self.every
            out.append('<path class="grid" d="M%.1f %.1fH%.1f"/>' % (x, py(level), x + width))
            out.append('<text class="tick end" x="%.1f" y="%.1f">%s</text>' % (x - 6, py(level) + 4, "{:,}".format(level)))
        for value, text in self.axis.ticks:
            out.append('<path class="grid" d="M%.1f %.1fv4"/>' % (px(value), y + height))
            out.append('<text class="tick mid" x="%.1f" y="%.1f">%s</text>' % (px(value), y + height + 17, text))
        out.append('<text class="tick mid" x="%.1f" y="%.1f">%s</text>' % (x + width / 2, y + height + 33, self.axis.label))
        if self.title:
            out.append('<text class="head" x="%.1f" y="%.1f">%s</text>' % (x, y - 10, escape(self.title)))
        if self.unit:
            out.append('<text class="tick mid" transform="translate(%.1f %.1f) rotate(-90)">%s</text>'
                       % (x - 52, y + height / 2, escape(self.unit)))
        for kind, colour, what, extra in self.parts:
            if kind == "curve":
                points = simplify([(px(a), py(b)) for a, b in what])
                path = "M" + "L".join("%.1f %.1f" % point for point in points)
                out.append('<path class="line s-%s %s" d="%s"/>' % (colour, extra, path))
            elif kind == "dot":
                out.append('<circle class="f-%s" cx="%.1f" cy="%.1f" r="3"/>' % (colour, px(what[0]), py(what[1])))
            else:
                value, level, dy = what
                out.append('<text class="note f-%s" x="%.1f" y="%.1f">%s</text>'
                           % (colour, px(value) + 4, py(level) + dy, escape(extra)))
        return out


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def simplify(points):
    """Ramer-Douglas-Peucker, without recursion."""
    keep = {0, len(points) - 1}
    todo = [(0, len(points) - 1)]
    while todo:
        first, last = todo.pop()
        (x0, y0), (x1, y1) = points[first], points[last]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1
        worst, at = STEP_KEPT, None
        for i in range(first + 1, last):
            x, y = points[i]
            away = abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length
            if away > worst:
                worst, at = away, i
        if at is not None:
            keep.add(at)
            todo += [(first, at), (at, last)]
    return [points[i] for i in sorted(keep)]


def style():
    def rules(which):
        out = [".s-%s{stroke:%s}.f-%s{fill:%s}" % (n, c[which], n, c[which]) for n, c in COLOURS.items()]
        grid, paper = COLOURS["grid"][which], COLOURS["paper"][which]
        return "".join(out) + (".grid{stroke:%s}.paper{fill:%s}.tick{fill:%s}.title,.head{fill:%s}.note{stroke:%s}"
                               % (grid, paper, COLOURS["soft"][which], COLOURS["ink"][which], paper))
    return ("text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px}.title{font-size:15px;font-weight:600}"
            ".head{font-size:13px;font-weight:600}.end{text-anchor:end}.mid{text-anchor:middle}"
            ".note{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}.grid{fill:none;stroke-width:1}"
            ".line{fill:none;stroke-width:2;stroke-linejoin:round}.dashed{stroke-dasharray:6 4;stroke-width:1.6}"
            ".thin{stroke-width:1.2}%s"
            "@media(prefers-color-scheme:dark){%s}" % (rules(0), rules(1)))


def write_picture(name, title, legend, panels, height, columns=1):
    """Panels row by row, `columns` in a row, each `height` pixels high."""
    rows = (len(panels) + columns - 1) // columns
    width = (WIDTH - MARGIN_LEFT - MARGIN_RIGHT - (columns - 1) * GAP) / columns
    has_heads = any(panel.title for panel in panels)
    top = PANELS_TOP + (20 if has_heads else 0)
    step = height + 48 + (22 if has_heads else 0)
    total = top + (rows - 1) * step + height + 42
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'
           % (WIDTH, total, WIDTH, total),
           "<title>%s</title><style>%s</style>" % (escape(title), style()),
           '<rect class="paper" width="100%" height="100%"/>',
           '<text class="title" x="%d" y="%d">%s</text>' % (MARGIN_LEFT, TITLE_TOP, escape(title))]
    x = MARGIN_LEFT
    for colour, kind, text in legend:
        out.append('<path class="line s-%s %s" d="M%.1f %dh24"/>' % (colour, kind, x, LEGEND_TOP - 4))
        out.append('<text class="tick" x="%.1f" y="%d">%s</text>' % (x + 30, LEGEND_TOP, escape(text)))
        x += 30 + 6.6 * len(text) + 20
    for i, panel in enumerate(panels):
        out += panel.draw(MARGIN_LEFT + (i % columns) * (width + GAP), top + (i // columns) * step, width, height)
    with open(os.path.join(HERE, name + ".svg"), "w") as file:
        file.write("\n".join(out + ["</svg>", ""]))
