/** What the last reloads of the configuration have changed. */
class Reloads {
    static #states = { applied: "good", unchanged: null, refused: "bad" };
    static #triggers = { signal: "by SIGHUP", file_change: "by a changed file", admin: "by the admin API", store: "by tenants of the store" };

    #gateway;
    #list = byId("reloads");
    /** The last reload that was loaded. */
    #loaded = null;

    constructor(gateway) { this.#gateway = gateway; }

    async show({ started_at: start, reload }) {
        const state = `${start} ${reload?.at}`;
        if (this.#loaded === state) return;
        this.#loaded = state;
        try {
            const { reloads } = await this.#gateway.send("GET", "api/reloads");
            keyed(this.#list, reloads, ({ at, times }) => `${at} ${times}`, reload => this.#item(reload), () => {});
            setText(byId("reloads-note"), reloads.length ? "" : "The configuration is that of the start.");
        } catch (error) {
            this.#loaded = null;
            complain(error);
        }
    }

    clear() {
        this.#loaded = null;
        this.#list.replaceChildren();
        setText(byId("reloads-note"), "");
    }

    /** Opens only if there is more than its first line. */
    #item({ at, trigger, result, times, generation, changes, keys, keys_omitted: omitted, mistakes }) {
        const lines = [...changes, ...mistakes];
        const first = lines.length > 1 ? `${lines[0]}, and ${lines.length - 1} more` : lines[0] ?? "nothing was changed";
        const parts = [
            element("time", { datetime: at }, shortly(at)),
            element("span", { class: "chip", "data-state": Reloads.#states[result] ?? null }, result),
            element("strong", {}, first),
            element("span", { class: "quiet" },
                `${Reloads.#triggers[trigger] ?? trigger}${times > 1 ? `, ${count(times)} times` : ""}, generation ${generation}`),
        ];
        if (lines.length < 2 && !keys.length) return element("li", {}, element("div", { class: "entry" }, ...parts));
        return element("li", {}, element("details", {}, element("summary", {}, ...parts), element("div", { class: "why" },
            element("ul", { class: "lines" }, ...lines.map(line => element("li", {}, line))),
            element("ul", { class: "keys" }, ...keys.map(key => Reloads.#key(key))),
            ...omitted ? [element("p", { class: "quiet" }, `and ${count(omitted)} more keys`)] : [])));
    }

    static #key({ key, change, before, after }) {
        const values = [before, after].filter(value => value !== null);
        return element("li", {}, element("code", {}, key), element("span", { class: "quiet" }, change),
            ...values.length ? [element("code", {}, values.join(" → "))] : []);
    }
}
