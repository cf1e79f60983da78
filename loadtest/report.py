"""What a load test has found, as one HTML page with its pictures in it, and as SVG files beside it."""

import html
import pathlib
import platform
import time

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
th,td{padding:.3rem .8rem;border-bottom:1px solid #8884;text-align:left;vertical-align:top}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
.good{color:#0a7d4f}.bad{color:#c8320a;font-weight:bold}
@media(prefers-color-scheme:dark){.good{color:#3ecf8e}.bad{color:#ff7a52}}
svg{width:100%;height:auto;margin:.5rem 0}
"""


class Verdict:
    """Something that was to be so."""

    def __init__(self, what, measured, bound, is_good):
        self.what, self.measured, self.bound, self.is_good = what, measured, bound, is_good

    @staticmethod
    def at_most(what, measured, bound, digits=2):
        return Verdict(what, f"{measured:,.{digits}f}", f"at most {bound:,g}", measured <= bound)

    @staticmethod
    def exactly(what, measured, wanted):
        return Verdict(what, f"{measured:,}", f"{wanted:,}", measured == wanted)


class Finding:
    """One scenario: what was played, what came of it."""

    def __init__(self, name, title, told):
        self.name, self.title, self.told = name, title, told
        self.verdicts, self.tables, self.pictures = [], [], []

    @property
    def is_good(self):
        return all(verdict.is_good for verdict in self.verdicts)

    def table(self, heads, rows):
        self.tables.append((heads, rows))

    def picture(self, name, svg):
        self.pictures.append((name, svg))

    def lines(self):
        """For the terminal."""
        yield f"{self.title}: {'good' if self.is_good else 'NOT GOOD'}"
        for heads, rows in self.tables:
            for row in [heads, *rows]:
                yield "    " + " | ".join(str(cell) for cell in row)
        for verdict in self.verdicts:
            yield f"  {'ok ' if verdict.is_good else 'BAD'} {verdict.what}: {verdict.measured} ({verdict.bound})"

    def html(self):
        parts = [f'<h2 id="{self.name}">{html.escape(self.title)}</h2><p>{html.escape(self.told)}</p>']
        rows = "".join(
            f"<tr><td>{html.escape(verdict.what)}</td><td class=number>{html.escape(verdict.measured)}</td>"
            f"<td>{html.escape(verdict.bound)}</td><td class={'good' if verdict.is_good else 'bad'}>"
            f"{'met' if verdict.is_good else 'missed'}</td></tr>" for verdict in self.verdicts)
        parts.append(f"<table><tr><th>was to be</th><th class=number>measured</th><th>bound</th><th></th></tr>{rows}"
                     "</table>")
        for heads, rows in self.tables:
            head = "".join(f"<th{' class=number' if place else ''}>{html.escape(name)}</th>"
                           for place, name in enumerate(heads))
            body = "".join("<tr>" + "".join(
                f"<td{' class=number' if place else ''}>{html.escape(str(cell))}</td>"
                for place, cell in enumerate(row)) + "</tr>" for row in rows)
            parts.append(f"<table><tr>{head}</tr>{body}</table>")
        parts += [svg for _, svg in self.pictures]
        return "\n".join(parts)


def write(directory, findings, facts):
    """Writes index.html and the pictures; gives the page's path.

    - facts: (name, value) of the machine and the programs.
    """
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.svg"):
        old.unlink()
    for finding in findings:
        for name, svg in finding.pictures:
            (directory / f"{finding.name}-{name}.svg").write_text(svg, encoding="utf-8")
    good = sum(finding.is_good for finding in findings)
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(value))}</td></tr>" for name, value in facts)
    contents = "".join(
        f'<li><a href="#{finding.name}">{html.escape(finding.title)}</a>: '
        f"<span class={'good' if finding.is_good else 'bad'}>{'good' if finding.is_good else 'not good'}</span></li>"
        for finding in findings)
    page = directory / "index.html"
    page.write_text(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Gatehouse under load</title>"
        '<meta name=viewport content="width=device-width,initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>Gatehouse under load</h1>"
        f"<p>{good} of {len(findings)} scenarios are good. CPU time is that of the process that is measured, with its "
        "children; latencies are those that k6 saw, which shares the machine with all the rest.</p>"
        f"<table>{rows}</table><ol>{contents}</ol>" + "\n".join(finding.html() for finding in findings)
        + "</body></html>\n", encoding="utf-8")
    return page


def machine():
    """(name, value) of where it ran."""
    model = next((line.partition(": ")[2] for line in
                  pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                  if line.startswith("model name")), platform.machine())
    cores = len([line for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                 if line.startswith("processor")])
    return [("when", time.strftime("%Y-%m-%d %H:%M")), ("machine", f"{cores} cores, {model}"),
            ("system", f"{platform.system()} {platform.release()}")]
