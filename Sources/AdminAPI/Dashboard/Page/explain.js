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

    /** Fills the form with a request, for its token to be added. */
    fill({ tenant, method, path, client }) {
        this.clear();
        const { elements } = this.#form;
        [elements.tenant.value, elements.method.value, elements.path.value, elements.address.value]
            = [tenant, method, path, client];
        location.hash = "explain";
    }

    async #ask() {
        const { tenant, method, path, token, headers, address } = this.#form.elements;
        const body = { tenant: tenant.value, method: method.value, path: path.value.trim() };
        if (token.value.trim()) body.token = token.value.trim();
        if (address.value.trim()) body.address = address.value.trim();
        const lines = headers.value.split("\n").map(line => line.trim()).filter(Boolean);
        if (lines.length) body.headers = lines;
        const report = await this.#gateway.send("POST", "api/explain", body);
        byId("steps").replaceChildren(...stepItems(report));
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

/** The steps of a decision, without the last, which is the decision itself. */
const stepItems = ({ steps }) => steps.slice(0, -1).map(({ step, text, line }) => element("li", {},
    element("span", { class: "step" }, step), element("span", {}, text),
    ...line ? [element("span", { class: "quiet" }, `tenants.yaml:${line}`)] : []));
