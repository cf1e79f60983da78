"""The scenarios of loadtest.py that compare with the peers; those with faults are in fault_scenarios.py.

Bounds are ratios: to a peer in the same run, or to the run's own beginning.
"""

import svg
from processes import Watch
from report import Finding, Verdict
from stage import at

MICRO, MIB, KIB = 1e6, 1 << 20, 1 << 10


class Plan:
    """How long and how much."""

    def __init__(self, is_quick):
        self.steady_seconds, self.rounds, self.rate = (5, 2, 800) if is_quick else (12, 3, 800)
        self.spike_seconds, self.spike_rate = (9, 1200) if is_quick else (15, 1500)
        self.tenants_seconds = 5 if is_quick else 10
        self.sessions = 1000 if is_quick else 5000
        self.rotation_seconds = 10 if is_quick else 24
        self.loss_seconds = 15 if is_quick else 30
        self.slow_seconds = 8 if is_quick else 15
        self.flood_seconds, self.flood_rate = (5, 800) if is_quick else (10, 1000)
        self.sockets, self.socket_seconds, self.opening = (2000, 12, 4) if is_quick else (10_000, 30, 12)


def measured(stage, proxy, script, **options):
    """Runs a script against a proxy; gives the run and the watch of the proxy's process."""
    with Watch(proxy.pid) as watch:
        run = stage.k6(script, proxy, **options).wait()
    return run, watch


def no_failure(finding, run, who=""):
    wrong = run.count("checks", "fails")
    finding.verdicts.append(Verdict.exactly(f"answers{who} that are not the right ones", wrong, 0))
    # All clients of k6 were waiting then: for the gateway, or for the machine.
    late = run.count("dropped_iterations") / max(run.count("iterations"), 1)
    finding.verdicts.append(Verdict.at_most(f"requests{who} that no client was free for, of all", late, 0.05, 3))


def steady(stage, plan):
    finding = Finding(
        "steady", "Steady load",
        f"{plan.rate} requests a second with RS256 tokens of 50 callers, a 512-byte answer, HTTP/1.1 keep-alive. nginx "
        f"only proxies; the others verify. Best of {plan.rounds} rounds, each in turn.")
    best, tokens = {}, {"customer": stage.good_tokens()}
    for _ in range(plan.rounds):
        for proxy in stage.proxies:
            run, watch = measured(stage, proxy, "steady", tokens=tokens, rate=plan.rate, seconds=plan.steady_seconds)
            if proxy is stage.house:
                no_failure(finding, run)
            times = run.times()
            row = (watch.cpu / max(len(times), 1) * MICRO, at(times, 50), at(times, 99), watch.most_memory / MIB)
            best[proxy.name] = min(row, best.get(proxy.name, row))
    ours = best["Gatehouse"]
    finding.table(("", "CPU µs a request", "Gatehouse costs", "p50 ms", "p99 ms", "memory MiB"),
                  [(name, f"{row[0]:.1f}", f"{ours[0] / row[0]:.2f} ×", f"{row[1]:.2f}", f"{row[2]:.2f}",
                    f"{row[3]:.0f}") for name, row in best.items()])
    bounds = {"nginx": 1.6, "HAProxy": 0.8, "Envoy": 0.8}
    finding.verdicts += [Verdict.at_most(f"CPU time of a request, × {name}'s", ours[0] / row[0], bounds[name])
                         for name, row in best.items() if name in bounds]
    verifying = [row[2] for name, row in best.items() if name in ("HAProxy", "Envoy")]
    if verifying:
        finding.verdicts.append(
            Verdict.at_most("p99, × that of the quicker one that verifies", ours[2] / min(verifying), 2))
    finding.picture("cpu", svg.bars("CPU time of a request", "µs", [(name, row[0]) for name, row in best.items()]))
    return finding


def spike(stage, plan):
    finding = Finding(
        "spike", "A spike",
        f"From 100 to {plan.spike_rate} requests a second at once, for a third of {plan.spike_seconds} s, and back.")
    rows, curves, rates = [], [], []
    third = plan.spike_seconds / 3
    tokens = {"customer": stage.good_tokens()}
    for proxy in stage.proxies:
        run, watch = measured(stage, proxy, "spike", tokens=tokens, high=plan.spike_rate, seconds=plan.spike_seconds)
        before, within, after = (run.times(since=since, until=until) for since, until in
                                 ((0.5, third), (third, 2 * third), (2 * third + 1, plan.spike_seconds)))
        rows.append((proxy.name, f"{at(before, 99):.1f}", f"{at(within, 99):.1f}", f"{at(after, 99):.1f}",
                     f"{watch.cpu / max(len(run.answers), 1) * MICRO:.1f}", run.count("checks", "fails")))
        curves.append((proxy.name, run.series("customer", 99)))
        rates.append((proxy.name, run.rates("customer")))
        if proxy is stage.house:
            finding.verdicts.append(Verdict.exactly("answers that are not the right ones", run.count("checks", "fails"),
                                                    0))
            finding.verdicts.append(Verdict.at_most("p99 a second after it, × that before",
                                                    max(at(after, 99), 5) / max(at(before, 99), 5), 4))
    finding.table(("", "p99 before, ms", "p99 within", "p99 after", "CPU µs a request", "wrong answers"), rows)
    finding.picture("rate", svg.lines("Answers a second", "1/s", rates))
    finding.picture("p99", svg.lines("p99 of each second", "ms", curves))
    return finding


def websockets(stage, plan):
    # Each takes two open files of a proxy, and not every machine lets a process have 20,000.
    sockets = min(plan.sockets, stage.connections - 100)
    finding = Finding(
        "websockets", f"{sockets:,} WebSockets",
        f"Opened within {plan.opening} s and held, each with a message every 5 s that the app sends back. Memory is "
        "the growth of the proxy's resident memory for one of them, which is two connections.")
    rows, costs = [], []
    tokens = {"customer": stage.good_tokens()}
    for proxy in stage.proxies:
        run, watch = measured(stage, proxy, "websockets", tokens=tokens, sockets=sockets, opening=plan.opening,
                              seconds=plan.socket_seconds)
        opened, failed, answered = (run.count(name) for name in
                                    ("sockets_opened", "sockets_failed", "messages_answered"))
        growth = (watch.most_memory - watch.samples[0][2]) / KIB / max(opened, 1)
        trip = run.metrics.get("message_round_trip", {}).get("values", {})
        rows.append((proxy.name, f"{opened:,}", f"{failed:,}", f"{answered:,}", f"{growth:.1f}",
                     f"{watch.cpu / max(opened + answered, 1) * MICRO:.0f}", f"{trip.get('med', 0):.0f}",
                     f"{trip.get('p(95)', 0):.0f}"))
        costs.append((proxy.name, growth))
        if proxy is stage.house:
            finding.verdicts += [
                Verdict.exactly("WebSockets open", opened, sockets),
                Verdict.exactly("WebSockets that failed", failed, 0),
                Verdict.exactly("messages that came back wrong", run.count("messages_wrong"), 0),
                Verdict("messages that came back", f"{answered:,}", f"at least {sockets:,}",
                        answered >= sockets)]
    finding.table(("", "opened", "failed", "messages", "KiB each", "CPU µs a handshake or message", "trip p50 ms",
                   "trip p95 ms"), rows)
    envoy = dict(costs).get("Envoy")
    if envoy:
        finding.verdicts.append(Verdict.at_most("memory of one, × Envoy's", costs[0][1] / envoy, 1))
    finding.picture("memory", svg.bars("Memory of a WebSocket", "KiB", costs))
    return finding
