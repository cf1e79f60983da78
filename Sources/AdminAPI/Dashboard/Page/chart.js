/**
 * Lines or stacked areas over the last minutes. Colors come from the style sheet; a text describes the picture for
 * screen readers.
 */
class Chart {
    static margin = { top: 10, right: 4, bottom: 22, left: 50 };

    #series;
    #isStacked;
    #isLogarithmic;
    #format;
    #reading;
    #plot;
    #picture;
    #points = [];
    #pointer = null;

    /** `series`: `{ name, value(point), color }`; a value is null where there is none. `format` turns values into text. */
    constructor(figure, { title, series, isStacked = false, isLogarithmic = false, format }) {
        this.#series = series;
        this.#isStacked = isStacked;
        this.#isLogarithmic = isLogarithmic;
        this.#format = format;
        this.#reading = element("p", { class: "reading" });
        this.#picture = drawn("svg", { role: "img", "aria-label": title });
        this.#plot = element("div", { class: "plot" }, this.#picture);
        const legend = element("ul", { class: "legend" }, ...series.map(({ name, color }) =>
            element("li", {}, element("span", { class: `swatch ${color}` }), name)));
        figure.replaceChildren(
            element("figcaption", {}, element("h2", { id: `${figure.id}-title` }, title), this.#reading), this.#plot, legend);
        setAttribute(figure, "aria-labelledby", `${figure.id}-title`);
        this.title = title;
        new ResizeObserver(() => this.#draw()).observe(this.#plot);
        this.#plot.addEventListener("pointermove", event => this.#point(event.offsetX));
        this.#plot.addEventListener("pointerleave", () => this.#point(null));
    }

    /** `span`: seconds that are shown, up to the last point. */
    show(points, span) {
        this.#points = points.map(point => {
            const values = this.#series.map(({ value }) => value(point));
            return { time: point.time, values, tops: this.#isStacked ? stacked(values) : values };
        });
        this.span = span;
        this.#draw();
    }

    clear() {
        [this.#points, this.#pointer] = [[], null];
        this.#picture.replaceChildren();
        setText(this.#reading, "");
        setAttribute(this.#picture, "aria-label", this.title);
    }

    #point(x) {
        this.#pointer = x;
        this.#draw();
    }

    #draw() {
        const { clientWidth: width, clientHeight: height } = this.#plot;
        const points = this.#points;
        // A hidden view has no size.
        if (!width || !points.length) return;
        const { top, right, bottom, left } = Chart.margin;
        const end = points.at(-1).time;
        const values = points.flatMap(({ tops }) => tops).filter(value => value !== null);
        const { ticks, part } = this.#isLogarithmic ? decades(values) : halves(values);
        const scale = {
            x: time => left + (width - left - right) * (1 - (end - time) / this.span),
            y: value => height - bottom - (height - top - bottom) * part(value),
            left, right: width - right, bottom: height - bottom, ticks,
        };
        setAttribute(this.#picture, "viewBox", `0 0 ${width} ${height}`);
        this.#picture.replaceChildren(...this.#scale(scale), ...this.#shapes(scale), ...this.#cross(scale));
        const text = this.#text(points.at(-1));
        setText(this.#reading, this.#pointer === null ? text : this.#text(this.#nearest(scale), true));
        setAttribute(this.#picture, "aria-label", `${this.title}, the last ${duration(this.span)}. Now: ${text}`);
    }

    #scale({ left, right, bottom, x, y, ticks }) {
        const lines = ticks.flatMap(value => [
            drawn("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
            drawn("text", { class: "tick", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, this.#format(value)),
        ]);
        const end = this.#points.at(-1).time;
        const maximum = Math.floor((right - left) / 70);
        const step = [15, 30, 60, 120].find(step => this.span / step <= maximum) ?? 300;
        const times = [];
        for (let ago = 0; ago <= this.span; ago += step) {
            const anchor = ago === 0 ? "end" : x(end - ago) < left + 20 ? "start" : "middle";
            const text = ago === 0 ? "now" : ago % 60 ? `−${ago} s` : `−${ago / 60} min`;
            times.push(drawn("text", { class: "tick", x: x(end - ago), y: bottom + 16, "text-anchor": anchor }, text));
        }
        return [...lines, ...times];
    }

    #shapes(scale) {
        const shapes = this.#series.map(({ color }, index) => {
            const known = this.#points.filter(({ tops }) => tops[index] !== null);
            const line = trace(known, scale, point => point.tops[index]);
            if (!this.#isStacked || !known.length) return drawn("path", { class: `line ${color}`, d: line });
            const under = trace([...known].reverse(), scale, point => index ? point.tops[index - 1] : 0);
            return drawn("path", { class: `area ${color}`, d: `${line}${under.replace("M", "L")}Z` });
        });
        return shapes;
    }

    #cross(scale) {
        if (this.#pointer === null) return [];
        const x = scale.x(this.#nearest(scale).time);
        return [drawn("line", { class: "cross", x1: x, x2: x, y1: Chart.margin.top, y2: scale.bottom })];
    }

    #nearest(scale) {
        const distance = point => Math.abs(scale.x(point.time) - this.#pointer);
        return this.#points.reduce((best, point) => distance(point) < distance(best) ? point : best);
    }

    #text({ time, values }, isPast = false) {
        const text = this.#series.map(({ name }, index) =>
            `${name} ${values[index] === null ? "–" : this.#format(values[index])}`).join(" · ");
        return isPast ? `${clockTime.format(new Date(time * 1000))}: ${text}` : text;
    }
}

const stacked = values => values.map((_, index) => values.slice(0, index + 1).reduce((sum, value) => sum + value, 0));

const trace = (points, scale, value) => points
    .map((point, index) => `${index ? "L" : "M"}${scale.x(point.time).toFixed(1)} ${scale.y(value(point)).toFixed(1)}`)
    .join("");

/** A linear scale from 0: its ticks, and the part of the height for a value. */
function halves(values) {
    const maximum = nice(Math.max(0, ...values));
    return { ticks: [0, maximum / 2, maximum], part: value => value / maximum };
}

/** A logarithmic scale, for small values beside large ones. */
function decades(values) {
    const known = values.filter(value => value > 0);
    const first = Math.floor(Math.log10(Math.min(1, ...known)));
    const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...known, 10 ** first))));
    const ticks = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
    return { ticks, part: value => (Math.log10(Math.max(value, 10 ** first)) - first) / (last - first) };
}

/** The next of 1, 2, 4, 6, 8 times a power of ten, so that its half is a short number too. */
function nice(value) {
    if (!(value > 0)) return 1;
    const size = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 4, 6, 8, 10].find(step => step * size >= value) * size;
}

/** A small line chart. */
function sparkline(cell, values) {
    let picture = cell.querySelector("svg");
    if (!picture) {
        cell.append(picture = drawn("svg", {
            class: "spark", viewBox: "0 0 80 24", preserveAspectRatio: "none", "aria-hidden": "true",
        }, drawn("path", { class: "line" })));
    }
    const maximum = Math.max(...values, 0) || 1;
    const step = 80 / Math.max(1, values.length - 1);
    const line = values.map((value, index) =>
        `${index ? "L" : "M"}${(index * step).toFixed(1)} ${(22 - 20 * value / maximum).toFixed(1)}`).join("");
    setAttribute(picture.firstElementChild, "d", line);
}
