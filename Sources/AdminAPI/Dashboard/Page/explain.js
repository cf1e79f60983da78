/** Explains the decision on a request. */
class Explain {
    /** The text before the first request. */
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
        const report = await this.#gateway.send("POST", "api/explain", body);
        const steps = report.steps.slice(0, -1);
        byId("steps").replaceChildren(...steps.map(({ step, text, line }) => element("li", {},
            element("span", { class: "step" }, step), element("span", {}, text),
            ...line ? [element("span", { class: "quiet" }, `tenants.yaml:${line}`)] : [])));
        const verdict = byId("verdict");
        verdict.className = "verdict";
        verdict.dataset.state = report.decision === "forward" ? "good" : "bad";
        setText(verdict, report.decision === "forward" ? "It goes on to the backend."
            : `It is refused: ${report.status} ${report.code}.`);
        if (report.observed) {
            verdict.dataset.state = "warn";
            verdict.append(` Only observed: it would be refused with ${report.observed.status} ${report.observed.code}.`);
        }
    }
}
