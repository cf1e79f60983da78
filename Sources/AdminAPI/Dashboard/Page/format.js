const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const count = value => value < 100_000 ? whole.format(value) : compact.format(value);

/** Of a rate: a digit after the point where there is little before it. */
function rate(value) {
    if (value === 0) return "0";
    if (value < 0.1) return "< 0.1";
    return value < 10 ? value.toFixed(1) : count(value);
}

function percent(part, all) {
    if (!all) return "–";
    const value = 100 * part / all;
    if (value > 0 && value < 0.1) return "< 0.1 %";
    return `${value > 0 && value < 10 ? value.toFixed(1) : whole.format(value)} %`;
}

/** Milliseconds, to two digits that matter. */
function milliseconds(value) {
    if (value === null || value === undefined) return "–";
    if (value >= 10_000) return `${whole.format(value / 1000)} s`;
    if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
    if (value >= 10) return `${whole.format(value)} ms`;
    if (value >= 1) return `${value.toFixed(1)} ms`;
    return `${whole.format(value * 1000)} µs`;
}

/** Seconds, in the largest units that matter. */
function duration(seconds) {
    const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
    const place = units.findIndex(([, size]) => seconds >= size);
    if (place < 0) return "0 s";
    const [name, size] = units[place];
    const first = Math.floor(seconds / size);
    const next = units[place + 1];
    const second = next && first < 10 ? Math.floor((seconds - first * size) / next[1]) : 0;
    return second ? `${first} ${name} ${second} ${next[0]}` : `${first} ${name}`;
}

const clockTime = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const dayTime = new Intl.DateTimeFormat("en", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
});

/** A moment as RFC 3339 says it; null is a time that never comes. */
const moment = text => text ? dayTime.format(new Date(text)) : "never";

/** `token_expired` as people write it. */
const words = code => code.replaceAll("_", " ");

/** Of `{ name: number }`, the largest first. */
const ranked = counts => Object.entries(counts ?? {}).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);

function added(sum, counts) {
    for (const [name, value] of Object.entries(counts ?? {})) sum[name] = (sum[name] ?? 0) + value;
    return sum;
}
