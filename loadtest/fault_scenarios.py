"""The scenarios of loadtest.py in which something goes wrong, beside a tenant that must not notice."""

import collections
import threading
import time

import svg
from processes import Watch
from report import Finding, Verdict
from scenarios import MIB, MICRO, measured, no_failure
from stage import at

CALLS_AT_ONCE = 32


# A p99 of less than that is the noise of the machine.
FLOOR_MILLISECONDS = 5
RATIO = 5


def neighbour(finding, run):
    """Another tenant's latency beside that of the same requests through nginx at the same time."""
    ours, control = at(run.times("finance"), 99), at(run.times("control"), 99)
    finding.verdicts.append(Verdict.at_most(
        f"p99 of another tenant ({ours:.1f} ms), × that of the same through nginx meanwhile ({control:.1f} ms)",
        max(ours, FLOOR_MILLISECONDS) / max(control, FLOOR_MILLISECONDS), RATIO, 1))


def tenants(stage, plan):
    finding = Finding(
        "tenants", "Several tenants at once",
        "Bearer tokens of a key set in a file, of one from a provider and by a shared secret, and cookies, 150 "
        "requests a second of each kind.")
    # The key set has been fetched once one of its tokens was let in.
    tokens = {"finance": stage.plain_tokens(), "customer": stage.good_tokens(), "driver": stage.plain_tokens()}
    run = stage.k6("tenants", tokens=tokens, rate=150, others=150, seconds=plan.tenants_seconds).wait()
    no_failure(finding, run)
    finding.table(("tenant", "answers", "p50 ms", "p99 ms"),
                  [(name, len(times), f"{at(times, 50):.2f}", f"{at(times, 99):.2f}")
                   for name in ("customer", "driver", "finance", "clans") for times in (run.times(name),)])
    return finding


def expiry_storm(stage, plan):
    finding = Finding(
        "storm", "An expiry storm",
        f"{plan.sessions:,} sessions whose tokens have expired in the same second, each presented once by 200 clients; "
        "the provider takes 30 ms for a refresh.")
    stage.books()
    tokens = {"past": stage.past_tokens("storm", plan.sessions), "finance": stage.plain_tokens()}
    run = stage.k6("expiry_storm", tokens=tokens, sessions=plan.sessions, rate=150,
                   seconds=2 + plan.sessions // 700).wait()
    books = stage.books()
    no_failure(finding, run)
    finding.verdicts += [
        Verdict.exactly("refresh calls", books["calls"], plan.sessions),
        Verdict.exactly("sessions that were refreshed", books["sessions"], plan.sessions),
        Verdict("calls at the provider at once", str(books["most"]), f"at most {CALLS_AT_ONCE}",
                books["most"] <= CALLS_AT_ONCE)]
    neighbour(finding, run)
    finding.table(("", "p50 ms", "p99 ms"), [
        (name, f"{at(times, 50):.1f}", f"{at(times, 99):.1f}")
        for name, times in (("refreshed requests", run.times("driver")), ("another tenant", run.times("finance")))])
    finding.picture("p99", svg.lines("p99 of each second", "ms", [
        ("refreshed", run.series("driver", 99)), ("another tenant", run.series("finance", 99)),
        ("past the gateway", run.series("control", 99))]))
    return finding


def key_rotation(stage, plan):
    half = plan.rotation_seconds / 2
    finding = Finding(
        "rotation", "A key rotation",
        f"300 requests a second. The provider publishes a new key after {half / 2:.0f} s, signs with it from "
        f"{half:.0f} s on, and takes the old one back after {half * 1.5:.0f} s. The gateway has never seen the new one "
        "before it is asked for it.")
    tokens = {"before": stage.good_tokens(), "after": stage.good_tokens(stage.next_key),
              "finance": stage.plain_tokens()}
    stage.books()
    run = stage.k6("key_rotation", tokens=tokens, seconds=plan.rotation_seconds)
    for moment, keys in ((half / 2, (stage.key, stage.next_key)), (half * 1.5, (stage.next_key,))):
        time.sleep(max(0, run.begin + moment - time.time()))
        stage.publish(*keys)
    run.wait()
    fetches = stage.books()["fetches"]
    no_failure(finding, run)
    finding.verdicts.append(Verdict("fetches of the key set", str(fetches), "1 or 2", 1 <= fetches <= 2))
    neighbour(finding, run)
    finding.picture("p99", svg.lines("p99 of each second", "ms", [
        ("callers", run.series("clans", 99)), ("another tenant", run.series("finance", 99)),
        ("past the gateway", run.series("control", 99))],
        marks=[(half / 2, "published"), (half, "used"), (half * 1.5, "old one gone")]))
    return finding


class Revoker:
    """Revokes somebody twice a second, and notes what is answered and when."""

    def __init__(self, stage, begin):
        self.stage, self.begin, self.answers = stage, begin, []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(0.5):
            moment = time.time() - self.begin
            status = self.stage.revoke("customer", f"somebody-{len(self.answers)}")
            self.answers.append((moment, time.time() - self.begin, status))

    def stop(self):
        self.over.set()
        self.thread.join()


def redis_loss(stage, plan):
    lost, back = plan.loss_seconds / 3, plan.loss_seconds * 2 / 3
    finding = Finding(
        "redis", "Redis is lost",
        f"Killed after {lost:.0f} s and started again after {back:.0f} s. Requests go on from what the gateway has in "
        "memory, somebody who was revoked before stays refused, and revoking is answered 503 until Redis is back.")
    status = stage.revoke("customer", "revoked")
    end = int(time.time()) + 7200
    tokens = {"customer": stage.good_tokens(), "finance": stage.plain_tokens(), "revoked": [
        stage.key.token({"iss": "load", "aud": "load", "sub": "revoked", "exp": end}).decode()]}
    run = stage.k6("redis_loss", tokens=tokens, seconds=plan.loss_seconds)
    revoker = Revoker(stage, run.begin)
    time.sleep(max(0, run.begin + lost - time.time()))
    stage.kill_redis()
    down = time.time() - run.begin
    time.sleep(max(0, run.begin + back - time.time()))
    up = time.time() - run.begin
    stage.start_redis()
    run.wait()
    revoker.stop()
    no_failure(finding, run)
    neighbour(finding, run)
    during = collections.Counter(answer for began, ended, answer in revoker.answers if down < began and ended < up)
    before = [answer for _, ended, answer in revoker.answers if ended < down]
    again = next((ended for began, ended, answer in revoker.answers if began > up and answer == 200), None)
    finding.verdicts += [
        Verdict("revocations before", f"{before.count(200)} of {len(before)} acknowledged", "all",
                status == 200 and before.count(200) == len(before)),
        Verdict("revocations meanwhile", f"{dict(during)}", "503 only, and at least one", set(during) == {503}),
        Verdict("revoking works again", "never" if again is None else f"{again - up:.1f} s after the start of Redis",
                "within 10 s", again is not None and again - up <= 10)]
    finding.picture("p99", svg.lines("p99 of each second", "ms", [
        ("callers", run.series("customer", 99)), ("another tenant", run.series("finance", 99)),
        ("past the gateway", run.series("control", 99))],
        marks=[(down, "killed"), (up, "started")]))
    return finding


def slow_provider(stage, plan):
    finding = Finding(
        "slow", "A slow provider",
        "20 clients whose tokens have to be refreshed first, by a provider that takes 2 s for each.")
    stage.put("delay", b"2")
    tokens = {"past": stage.past_tokens("slow", 20 * plan.slow_seconds), "finance": stage.plain_tokens()}
    with Watch(stage.house.pid) as watch:
        run = stage.k6("slow_provider", tokens=tokens, rate=150, seconds=plan.slow_seconds).wait()
    stage.put("delay", b"0.03")
    no_failure(finding, run)
    neighbour(finding, run)
    slow = run.times("driver")
    finding.verdicts.append(Verdict("p50 of those who wait", f"{at(slow, 50) / 1000:.2f} s",
                                    "at most 1.5 × the provider's", at(slow, 50) <= 3000))
    finding.table(("", "answers", "p50 ms", "p99 ms"), [
        ("those who wait", len(slow), f"{at(slow, 50):.0f}", f"{at(slow, 99):.0f}"),
        ("another tenant", len(run.times("finance")), f"{at(run.times('finance'), 50):.1f}",
         f"{at(run.times('finance'), 99):.1f}")])
    finding.picture("p99", svg.lines("p99 of each second", "ms", [
        ("another tenant", run.series("finance", 99)),
        ("past the gateway", run.series("control", 99))]))
    finding.table(("memory", "MiB"), [("most of the gateway", f"{watch.most_memory / MIB:.0f}")])
    return finding


def flood(stage, plan):
    finding = Finding(
        "flood", "A flood of bad tokens",
        f"{plan.flood_rate} requests a second with forged signatures, no two alike, at one tenant; another tenant has "
        "150 good ones a second meanwhile. The peers, which have no tenants, have the flood alone.")
    forged = stage.bad_tokens(2000)
    rows, costs = [], []
    for proxy in stage.proxies:
        if not proxy.verifies:
            continue
        # The cost of a refusal, without the neighbour.
        run, watch = measured(stage, proxy, "bad_tokens", tokens={"forged": forged}, flood=plan.flood_rate,
                              seconds=plan.flood_seconds)
        cost = watch.cpu / max(len(run.answers), 1) * MICRO
        costs.append((proxy.name, cost))
        rows.append((proxy.name, f"{cost:.1f}", f"{at(run.times(), 99):.1f}", run.count("checks", "fails")))
        if proxy is stage.house:
            no_failure(finding, run)
    run, watch = measured(stage, stage.house, "bad_tokens", tokens={"forged": forged, "finance": stage.plain_tokens()},
                          flood=plan.flood_rate, rate=150, seconds=plan.flood_seconds)
    no_failure(finding, run, ", with the neighbour,")
    neighbour(finding, run)
    finding.table(("", "CPU µs a refusal", "p99 ms", "wrong answers"), rows)
    bounds = {"HAProxy": 1.5, "Envoy": 1.0}
    finding.verdicts += [Verdict.at_most(f"CPU time of a refusal, × {name}'s", costs[0][1] / cost, bounds[name])
                         for name, cost in costs if name in bounds]
    finding.picture("cpu", svg.bars("CPU time of a refusal", "µs", costs))
    return finding
