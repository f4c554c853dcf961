# SPDX-License-Identifier: GPL-2.0
"""Show what scripts/bench has measured: table, chart, documentation."""

import os
from xml.sax.saxutils import escape

from guest import TOP, Failure

DOC = os.path.join(TOP, "Documentation", "io_uring", "benchmarks.rst")
CHART = os.path.join(TOP, "Documentation", "io_uring", "benchmarks.svg")
BEGIN, END = ".. measured: begin\n", ".. measured: end\n"


def per_op(entry, *keys):
    return sum(entry["total"].get(k, 0) for k in keys) / entry["ops"]


def cost(results, kernel, name):
    """Instructions per operation in io_uring/, or None if it was not measured."""
    entry = results.get(kernel, {}).get(name)
    return None if not entry or "skip" in entry else per_op(entry, "io_uring")


def cells(entry):
    """The columns of a row: header, value, digits."""
    sleeps = entry["switches"] / (entry["waits"] or entry["ops"])

    def both(what):
        return per_op(entry, what + "_io_uring", what + "_rest")

    return (("io_uring/", per_op(entry, "io_uring"), 1), ("rest", per_op(entry, "rest"), 1),
            ("user", per_op(entry, "user"), 1),
            ("atomics", per_op(entry, "atomics_io_uring"), 3), ("(all)", both("atomics"), 3),
            ("percpu", per_op(entry, "percpu_io_uring"), 3), ("(all)", both("percpu"), 3),
            ("allocs", per_op(entry, "allocs"), 3), ("switches", sleeps, 3))


def ratio(results, first, kernel, name):
    ours, theirs = cost(results, first, name), cost(results, kernel, name)
    return "" if kernel == first or not theirs or ours is None else f"{ours / theirs:.2f}"


def table(results):
    kernels = list(results)
    header = None
    for name in results[kernels[0]]:
        for k in kernels:
            entry = results[k].get(name, {"skip": "was not run"})
            if "skip" in entry:
                print(f"{name:22}{k:8}{entry['skip']}")
                continue
            columns = cells(entry)
            if not header:
                header = "".join(f"{h:>10}" for h, _, _ in columns)
                print(f"\n{'per operation':22}{'kernel':8}{header}   ratio")
            print(f"{name:22}{k:8}" + "".join(f"{v:>10.{d}f}" for _, v, d in columns) +
                  f"{ratio(results, kernels[0], k, name):>8}")


def chart(results, path, first="lean", other="stock"):
    """Bars: our instructions per operation as a part of stock's."""
    rows = [(n, cost(results, first, n), cost(results, other, n))
            for n in results.get(first, {})]
    rows = [(n, a, b) for n, a, b in rows if a is not None and b]
    if not rows:
        return
    left, width, high, top = 190, 520, 20, 50
    full = max(1.0, max(a / b for _, a, b in rows))
    scale = width / full
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 150}" '
           f'height="{top + high * len(rows) + 20}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           '<text x="10" y="20" font-size="14">Instructions per operation inside io_uring/, '
           'this tree as a part of stock 6.12</text>']
    for i, (name, ours, theirs) in enumerate(rows):
        y = top + i * high
        part = ours / theirs
        out.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        out.append(f'<rect x="{left}" y="{y + 2}" width="{part * scale:.1f}" height="{high - 5}" '
                   f'fill="{"#2a6f97" if part <= 1 else "#b5543c"}"/>')
        out.append(f'<text x="{left + full * scale + 8:.1f}" y="{y + 13}">'
                   f'{ours:.0f} / {theirs:.0f}</text>')
    for mark in (0.6, 1.0):
        x = left + mark * scale
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 8}" '
                   f'y2="{top + high * len(rows)}" stroke="#444" stroke-dasharray="3 3"/>')
        out.append(f'<text x="{x:.1f}" y="{top - 12}" text-anchor="middle">{mark:g}</text>')
    out.append("</svg>\n")
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(out))


def rst(results, first="lean", other="stock"):
    """The measured part of the documentation."""
    lines = [BEGIN, "\n", ".. csv-table::\n", "   :header-rows: 1\n\n",
             "   workload, io_uring/, stock, ratio, rest, stock, atomics, stock, allocs, stock\n"]
    for name, entry in results[first].items():
        stock = results[other].get(name, {"skip": ""})
        if "skip" in entry or "skip" in stock:
            continue
        a = {i: v for i, (_, v, _) in enumerate(cells(entry))}
        b = {i: v for i, (_, v, _) in enumerate(cells(stock))}
        lines.append(f"   {name}, {a[0]:.1f}, {b[0]:.1f}, {a[0] / b[0]:.2f}, {a[1]:.0f}, {b[1]:.0f}, "
                     f"{a[4]:.2f}, {b[4]:.2f}, {a[7]:.2f}, {b[7]:.2f}\n")
    lines += ["\n", ".. csv-table:: Voluntary context switches per wait\n", "   :header-rows: 1\n\n",
              "   workload, this tree, stock\n"]
    for name, entry in results[first].items():
        stock = results[other].get(name, {"skip": ""})
        if "skip" not in entry and "skip" not in stock and entry["waits"]:
            lines.append(f"   {name}, {cells(entry)[8][1]:.2f}, {cells(stock)[8][1]:.2f}\n")
    return "".join(lines + ["\n", END])


def document(results):
    if not results.get("lean") or not results.get("stock"):
        raise Failure("nothing was measured on lean and stock yet; run 'scripts/bench'")
    with open(DOC, encoding="ascii") as f:
        text = f.read()
    if BEGIN not in text or END not in text:
        raise Failure(f"{os.path.relpath(DOC, TOP)} lacks the lines that mark the measured part")
    head, rest = text.split(BEGIN)
    with open(DOC, "w", encoding="ascii") as f:
        f.write(head + rst(results) + rest.split(END)[1])
    chart(results, CHART)
    print(f"wrote {os.path.relpath(DOC, TOP)} and {os.path.relpath(CHART, TOP)}")
