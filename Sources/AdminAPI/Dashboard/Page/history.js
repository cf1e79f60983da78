/**
 * The reports of the last minutes. Counters only grow, so that what happens now is the difference of two reports.
 * Whom is asked about is a tenant's name, or "" for all of them.
 */
class History {
    /** Seconds that are kept. */
    static span = 300;
    /** Tenants in all reports that are kept: hundreds of tenants are remembered for a shorter time. */
    static most = 30_000;

    #samples = [];

    get latest() { return this.#samples.at(-1)?.report ?? null; }
    get end() { return this.#samples.at(-1)?.time ?? 0; }
    /** Seconds between the first report and the last. */
    get length() { return this.#samples.length ? this.end - this.#samples[0].time : 0; }

    clear() { this.#samples = []; }

    add(report) {
        const last = this.#samples.at(-1);
        const time = Date.parse(report.now) / 1000;
        if (last && time <= last.time) return;
        // Another process counts from nothing.
        if (last && last.report.started_at !== report.started_at) this.#samples = [];
        this.#samples.push({ time, report, sums: new Map() });
        const most = Math.max(30, Math.floor(History.most / Math.max(1, report.tenants.length)));
        while (this.#samples.length > most || this.length > History.span) this.#samples.shift();
    }

    /** What was counted within the last `seconds`, and how many there were to count it in. */
    lately(name, seconds) {
        const last = this.#samples.length - 1;
        return this.#between(name, this.#before(last, seconds), last);
    }

    /** A point for each report: what happened in the `seconds` before it. */
    points(name, seconds) {
        const points = [];
        for (let place = 1; place < this.#samples.length; place += 1) {
            points.push({
                time: this.#samples[place].time, ...this.#between(name, this.#before(place, seconds), place),
            });
        }
        return points;
    }

    /** The place of the last report that is at least `seconds` older than the one at `place`, or else of the first. */
    #before(place, seconds) {
        let before = place;
        while (before > 0 && this.#samples[place].time - this.#samples[before].time < seconds - 0.5) before -= 1;
        return before;
    }

    #between(name, from, to) {
        if (to < 0) return { seconds: 0, ...nothing() };
        const [first, last] = [this.#sum(name, from), this.#sum(name, to)];
        const seconds = this.#samples[to].time - this.#samples[from].time;
        const less = key => Math.max(0, last[key] - first[key]);
        return {
            seconds, total: less("total"), good: less("good"), client: less("client"), server: less("server"),
            refused: less("refused"), latency: grown(first.latency, last.latency),
            overhead: grown(first.overhead, last.overhead),
        };
    }

    #sum(name, place) {
        const { report, sums } = this.#samples[place];
        let sum = sums.get(name);
        if (!sum) {
            sum = nothing();
            for (const tenant of report.tenants) if (!name || tenant.name === name) include(tenant, sum);
            sums.set(name, sum);
        }
        return sum;
    }
}

const nothing = () => ({
    total: 0, good: 0, client: 0, server: 0, refused: 0, latency: new Map(), overhead: new Map(),
});

function include(tenant, sum) {
    for (const [status, value] of Object.entries(tenant.requests.by_status)) {
        sum.total += value;
        sum[status >= 500 ? "server" : status >= 400 ? "client" : "good"] += value;
    }
    for (const [, value] of refusals(tenant)) sum.refused += value;
    for (const kind of ["latency", "overhead"]) {
        for (const [from, to, value] of tenant[kind].buckets) {
            const bucket = sum[kind].get(from);
            if (bucket) bucket.value += value;
            else sum[kind].set(from, { from, to, value });
        }
    }
}

/** Requests that were refused, by code. In observe mode nobody is. */
function refusals(tenant) {
    if (tenant.mode === "observe") return [];
    return ranked(tenant.decisions).filter(([outcome]) => outcome !== "granted" && outcome !== "anonymous");
}

/** The buckets of a histogram's difference. */
function grown(first, last) {
    return [...last.values()].sort((one, other) => one.from - other.from)
        .map(({ from, to, value }) => ({ from, to, value: value - (first.get(from)?.value ?? 0) }))
        .filter(({ value }) => value > 0);
}

/** A quantile of buckets, taken to be evenly filled; the last bucket has no end. Null without any. */
function quantile(buckets, part) {
    let left = part * buckets.reduce((sum, { value }) => sum + value, 0);
    for (const { from, to, value } of buckets) {
        if (left <= value) return to === null ? from : from + (to - from) * left / value;
        left -= value;
    }
    return buckets.at(-1)?.from ?? null;
}
