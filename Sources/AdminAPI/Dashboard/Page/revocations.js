/** Revokes tokens, sessions and subjects, and withdraws revocations. */
class Revocations {
    static #labels = {
        token: "The token", jti: "The token's ID", session: "The session's ID", subject: "The person's ID", all: "",
    };

    #gateway;
    #form = byId("revoke");
    #shown = [];
    #next = null;
    #table = new Table(byId("revocations-table"), [
        { title: "What", cell: (cell, record) => setText(cell, named(record)) },
        { title: "Since", cell: (cell, record) => setText(cell, moment(record.revoked_at)) },
        { title: "Until", cell: (cell, record) => setText(cell, moment(record.expires_at)) },
        { title: "Reason", cell: (cell, record) => setText(cell, record.reason ?? "–") },
        { title: "Take it back", hidden: true, cell: (cell, record) => this.#withdrawCell(cell, record) },
    ], record => `${record.tenant} ${record.kind} ${record.issuer ?? ""} ${record.id ?? ""}`);

    constructor(gateway) {
        this.#gateway = gateway;
        const form = this.#form;
        onSubmit(form, () => this.#revoke());
        form.elements.tenant.addEventListener("change", () => this.show());
        for (const kind of form.elements.kind) kind.addEventListener("change", () => this.#kindChanged());
        byId("revocations-again").addEventListener("click", () => this.show());
        byId("revocations-more").addEventListener("click", () => this.#load(this.#next));
    }

    show() { return this.#load(null); }

    clear() {
        this.#form.reset();
        this.#kindChanged();
        [this.#shown, this.#next] = [[], null];
        this.#table.show([]);
        byId("revocations-more").hidden = true;
        setText(byId("revocations-note"), "");
    }

    #kindChanged() {
        const kind = this.#form.elements.kind.value;
        byId("revoke-what").hidden = kind === "all";
        this.#form.elements.value.required = kind !== "all";
        setText(byId("revoke-value-label"), Revocations.#labels[kind]);
    }

    async #revoke() {
        const { tenant, kind, value, for: lifetime, reason } = this.#form.elements;
        const body = { tenant: tenant.value, [kind.value]: kind.value === "all" ? true : value.value.trim() };
        if (lifetime.value.trim()) body.for = lifetime.value.trim();
        if (reason.value.trim()) body.reason = reason.value.trim();
        if (kind.value === "all" && !await confirmed("Sign everybody out?",
            `Every token of ${tenant.value} that was issued before now is refused.`, "Sign everybody out")) return;
        const { revoked } = await this.#gateway.send("POST", "api/revocations", body);
        value.value = "";
        announce(`Revoked for ${body.tenant}: ${revoked.map(named).join(", ")}.`);
        await this.show();
    }

    async #load(cursor) {
        const tenant = this.#form.elements.tenant.value;
        if (!tenant) return;
        const query = new URLSearchParams({ tenant });
        if (cursor) query.set("cursor", cursor);
        try {
            const page = await this.#gateway.send("GET", `api/revocations?${query}`);
            this.#shown = cursor ? [...this.#shown, ...page.revocations] : page.revocations;
            this.#next = page.next;
        } catch (error) {
            complain(error);
            return;
        }
        this.#table.show(this.#shown);
        byId("revocations-more").hidden = !this.#next;
        setText(byId("revocations-note"), this.#shown.length
            ? `Of ${tenant}: ${count(this.#shown.length)}${this.#next ? " and more" : ""}.`
            : `Nothing of ${tenant} is revoked.`);
    }

    #withdrawCell(cell, record) {
        if (cell.firstChild || !selector(record)) return;
        const button = element("button", { type: "button", class: "small", "aria-label": `Take back: ${named(record)}` },
            "Take back");
        button.addEventListener("click", () => this.#withdraw(record));
        cell.append(button);
    }

    async #withdraw(record) {
        if (!await confirmed("Take it back?", `${named(record)} of ${record.tenant} is let in again.`, "Take it back")) {
            return;
        }
        try {
            await this.#gateway.send("DELETE", "api/revocations", { tenant: record.tenant, ...selector(record) });
            announce(`Taken back for ${record.tenant}: ${named(record)}.`);
        } catch (error) {
            complain(error);
        }
        await this.show();
    }
}

const kinds = {
    token: "a token without an ID", jti: "token", session: "session", subject: "person", all: "everybody",
    restored: "known by its digest alone",
};

/** A revocation as text. */
const named = ({ kind, id }) => id ? `${kinds[kind] ?? kind} ${id}` : kinds[kind] ?? kind;

/** The selector for its withdrawal; null if that needs the token itself. */
function selector({ kind, id }) {
    if (kind === "all") return { all: true };
    return ["jti", "session", "subject"].includes(kind) && id ? { [kind]: id } : null;
}
