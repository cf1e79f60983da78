/** Asks what would become of a request. */
class Explain {
    /** What stands there before anything was asked. */
    static #invitation = byId("verdict").textContent;

    #gateway;
    #form = byId("ask");

    constructor(gateway) {
        this.#gateway = gateway;
        onSubmit(this.#form, () => this.#ask());
    }

    clear() {
        this.#form.reset();
        byId("steps").replaceChildren();
        const verdict = byId("verdict");
        verdict.className = "verdict quiet";
        delete verdict.dataset.state;
        setText(verdict, Explain.#invitation);
    }

    async #ask() {
        const { tenant, method, path, token, headers, address } = this.#form.elements;
        const body = { tenant: tenant.value, method: method.value, path: path.value.trim() };
        if (token.value.trim()) body.token = token.value.trim();
        if (address.value.trim()) body.address = address.value.trim();
        const lines = headers.value.split("\n").map(line => line.trim()).filter(Boolean);
        if (lines.length) body.headers = lines;
        const told = await this.#gateway.ask("POST", "api/explain", body);
        const steps = told.steps.slice(0, -1);
        byId("steps").replaceChildren(...steps.map(({ step, text, line }) => element("li", {},
            element("span", { class: "step" }, step), element("span", {}, text),
            ...line ? [element("span", { class: "quiet" }, `tenants.yaml:${line}`)] : [])));
        const verdict = byId("verdict");
        verdict.className = "verdict";
        verdict.dataset.state = told.decision === "forward" ? "good" : "bad";
        setText(verdict, told.decision === "forward" ? "It goes on to the backend."
            : `It is refused: ${told.status} ${told.code}.`);
        if (told.observed) {
            verdict.dataset.state = "warn";
            verdict.append(` Only observed: it would be refused with ${told.observed.status} ${told.observed.code}.`);
        }
    }
}
