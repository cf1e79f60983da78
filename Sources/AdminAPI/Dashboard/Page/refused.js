/** The last refused requests, and why each was refused. */
class Refused {
    #gateway;
    #explain;
    #list = byId("refused-list");
    #tenant = byId("refused-tenant");
    #pause = byId("refused-pause");
    #isLoading = false;

    /** `explain`: the view that a request is handed to. */
    constructor(gateway, explain) {
        this.#gateway = gateway;
        this.#explain = explain;
        this.#tenant.addEventListener("change", () => this.#load());
        this.#pause.addEventListener("click", () => {
            setAttribute(this.#pause, "aria-pressed", !this.#isPaused);
            if (!this.#isPaused) this.#load();
        });
    }

    get #isPaused() { return this.#pause.getAttribute("aria-pressed") === "true"; }

    /** Shows those of one tenant. */
    choose(name) {
        this.#tenant.value = name;
        location.hash = "refused";
    }

    show() { if (!this.#isPaused) this.#load(); }

    clear() {
        setAttribute(this.#pause, "aria-pressed", false);
        this.#list.replaceChildren();
        setText(byId("refused-note"), "");
    }

    /** One request at a time: a slow gateway is not asked more and more. */
    async #load() {
        if (this.#isLoading) return;
        this.#isLoading = true;
        const query = this.#tenant.value ? `?${new URLSearchParams({ tenant: this.#tenant.value })}` : "";
        try {
            const { refusals } = await this.#gateway.send("GET", `api/refusals${query}`);
            keyed(this.#list, refusals, ({ at, request_id: id }) => `${at} ${id}`, refusal => this.#item(refusal), () => {});
            setText(byId("refused-note"), refusals.length ? "" : "Nothing was refused since the start.");
        } catch (error) {
            complain(error);
        }
        this.#isLoading = false;
    }

    #item(refusal) {
        const { at, status, code, observed, method, path, path_cut: isCut, tenant, client } = refusal;
        const why = element("div", { class: "why" });
        const request = path === null ? "path not known" : `${method} ${path}${isCut ? "…" : ""}`;
        const details = element("details", {},
            element("summary", {},
                element("time", { datetime: at }, shortly(at)),
                element("span", { class: "chip", "data-state": observed ? "note" : status < 500 ? "warn" : "bad" },
                    observed ? `${status} observed` : status),
                element("strong", {}, readable(code)),
                element("code", {}, request),
                element("span", { class: "quiet" }, tenant ?? "no tenant"),
                element("span", { class: "quiet" }, client)),
            why);
        details.addEventListener("toggle", () => {
            if (details.open && !why.firstChild) this.#tell(why, refusal);
        });
        return element("li", {}, details);
    }

    async #tell(why, refusal) {
        const list = element("dl", { class: "facts" });
        facts(list, [
            ["When", moment(refusal.at)],
            ["Request ID, in the response and the log", refusal.request_id],
            ["Was it refused?", refusal.observed ? "no, only observed; the request went on" : "yes"],
        ]);
        const title = element("p", { class: "verdict" }, `${refusal.title}: ${refusal.reason}.`);
        why.append(title, list);
        const { tenant, method, path, path_cut: isCut, client } = refusal;
        if (tenant === null || path === null || isCut || method === "other") return;
        const note = element("p", { class: "quiet" }, "Asking how such a request is decided…");
        const steps = element("ol", { class: "steps" });
        const button = element("button", { type: "button", class: "small" }, "Explain it with a token");
        button.addEventListener("click", () => this.#explain.fill(refusal));
        why.append(note, steps, button);
        try {
            const report = await this.#gateway.send("POST", "api/explain", { tenant, method, path, address: client });
            steps.append(...stepItems(report));
            setText(note, "How the same request is decided now without its token, cookies and other fields, which are not kept:");
        } catch (error) {
            if (error instanceof Locked) return;
            setText(note, error.message);
        }
    }
}

/** The time of a day if that is today, or else the day. */
function shortly(text) {
    const date = new Date(text);
    return date.toDateString() === new Date().toDateString() ? clockTime.format(date) : moment(text);
}
