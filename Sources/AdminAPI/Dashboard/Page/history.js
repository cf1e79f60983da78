/**
 * The reports of the last minutes. Counters only grow, so current rates are differences of two reports. `name` is a
 * tenant's name, or "" for all tenants.
 */
class History {
    /** How many seconds are kept. */
    static span = 300;
    /** Maximum of tenants in all kept reports; a report has about a hundred at most. */
    static maximumTenants = 30_000;

    #samples = [];

    get latest() { return this.#samples.at(-1)?.report ?? null; }
    get end() { return this.#samples.at(-1)?.time ?? 0; }
    /** Seconds between the first report and the last. */
    get length() { return this.#samples.length ? this.end - this.#samples[0].time : 0; }

    clear() { this.#samples = []; }

    /** Whether the last report has this tenant. */
    has(name) { return this.#samples.at(-1)?.tenants.has(name) ?? false; }

    add(report) {
        const last = this.#samples.at(-1);
        const time = Date.parse(report.now) / 1000;
        if (last && time <= last.time) return;
        // A new process counts from 0.
        if (last && last.report.started_at !== report.started_at) this.#samples = [];
        const tenants = new Map(report.tenants.map(tenant => [tenant.name, tenant]));
        this.#samples.push({ time, report, tenants, sums: new Map() });
        const maximum = Math.max(30, Math.floor(History.maximumTenants / Math.max(1, report.tenants.length)));
        while (this.#samples.length > maximum || this.length > History.span) this.#samples.shift();
    }

    /** The counts of the last `seconds`, and how many seconds there are. */
    recent(name, seconds) {
        const last = this.#samples.length - 1;
        return this.#between(name, this.#before(last, seconds), last);
    }

    /** A point for each report, with the counts of the `seconds` before it. */
    points(name, seconds) {
        const points = [];
        for (let index = 1; index < this.#samples.length; index += 1) {
            const counts = this.#between(name, this.#before(index, seconds), index);
            if (counts.seconds > 0) points.push({ time: this.#samples[index].time, ...counts });
        }
        return points;
    }

    /** The index of the last report that is at least `seconds` older than the one at `index`, or else of the first. */
    #before(index, seconds) {
        let before = index;
        while (before > 0 && this.#samples[index].time - this.#samples[before].time < seconds - 0.5) before -= 1;
        return before;
    }

    #between(name, from, to) {
        if (to < 0) return { seconds: 0, ...nothing() };
        // A tenant that has only come into the reports has no rate before.
        while (name && from < to && !this.#samples[from].tenants.has(name)) from += 1;
        const [first, last] = [this.#sum(name, from), this.#sum(name, to)];
        const seconds = this.#samples[to].time - this.#samples[from].time;
        const difference = key => Math.max(0, last[key] - first[key]);
        return {
            seconds, total: difference("total"), good: difference("good"), client: difference("client"), server: difference("server"),
            refused: difference("refused"), latency: grown(first.latency, last.latency),
            overhead: grown(first.overhead, last.overhead),
        };
    }

    #sum(name, index) {
        const { report, tenants, sums } = this.#samples[index];
        let sum = sums.get(name);
        if (!sum) {
            sum = nothing();
            const counted = name ? tenants.get(name) : report.total;
            if (counted) include(counted, sum);
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

/** Refused requests of a tenant, or of all together, by code; none in observe mode. */
function refusals(tenant) {
    if (tenant.refused) return ranked(tenant.refused);
    if (tenant.mode === "observe") return [];
    return ranked(tenant.decisions).filter(([outcome]) => outcome !== "granted" && outcome !== "anonymous");
}

/** The difference of two histograms. */
function grown(first, last) {
    return [...last.values()].sort((one, other) => one.from - other.from)
        .map(({ from, to, value }) => ({ from, to, value: value - (first.get(from)?.value ?? 0) }))
        .filter(({ value }) => value > 0);
}

/** A quantile, assuming evenly filled buckets; the last bucket is open. Null without buckets. */
function quantile(buckets, part) {
    let left = part * buckets.reduce((sum, { value }) => sum + value, 0);
    for (const { from, to, value } of buckets) {
        if (left <= value) return to === null ? from : from + (to - from) * left / value;
        left -= value;
    }
    return buckets.at(-1)?.from ?? null;
}
