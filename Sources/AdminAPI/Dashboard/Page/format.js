const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const count = value => value < 100_000 ? whole.format(value) : compact.format(value);

/** A rate, with one decimal below 10. */
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

/** A time in milliseconds, with about two significant digits. */
function milliseconds(value) {
    if (value === null || value === undefined) return "–";
    if (value >= 10_000) return `${whole.format(value / 1000)} s`;
    if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
    if (value >= 10) return `${whole.format(value)} ms`;
    if (value >= 1) return `${value.toFixed(1)} ms`;
    return `${whole.format(value * 1000)} µs`;
}

/** A time in seconds, in its two largest units. */
function duration(seconds) {
    const units = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
    const index = units.findIndex(([, size]) => seconds >= size);
    if (index < 0) return "0 s";
    const [name, size] = units[index];
    const first = Math.floor(seconds / size);
    const next = units[index + 1];
    const second = next && first < 10 ? Math.floor((seconds - first * size) / next[1]) : 0;
    return second ? `${first} ${name} ${second} ${next[0]}` : `${first} ${name}`;
}

const clockTime = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const dayTime = new Intl.DateTimeFormat("en", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
});

/** A time in RFC 3339; null is never. */
const moment = text => text ? dayTime.format(new Date(text)) : "never";

/** A code like `token_expired` with spaces. */
const readable = code => code.replaceAll("_", " ");

/** The entries of `{ name: number }` above 0, the largest first. */
const ranked = counts => Object.entries(counts ?? {}).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);
