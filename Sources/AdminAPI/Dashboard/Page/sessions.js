/** Finds the sessions of a tenant's own issuer, and ends them. */
class Sessions {
    #gateway;
    #form = byId("find-sessions");
    /** The last search: `{ tenant, subject | session }`. */
    #query = null;
    #table = new Table(byId("sessions-table"), [
        { title: "Session", cell: (cell, { session }) => setText(cell, session) },
        { title: "Person", cell: (cell, { subject }) => setText(cell, subject) },
        { title: "By", cell: (cell, { provider, client_id: client }) =>
            setText(cell, [provider, client].filter(Boolean).join(", ") || "–") },
        { title: "Device", cell: (cell, { device }) => setText(cell, device ?? "–") },
        { title: "Began", cell: (cell, session) => setText(cell, moment(session.created_at)) },
        { title: "Last used", cell: (cell, session) => setText(cell, moment(session.last_used_at)) },
        { title: "Ends", cell: (cell, session) => setText(cell, moment(session.expires_at)) },
        { title: "End it", hidden: true, cell: (cell, session) => this.#endCell(cell, session) },
    ], ({ session }) => session);

    constructor(gateway) {
        this.#gateway = gateway;
        onSubmit(this.#form, () => {
            const { tenant, by, id } = this.#form.elements;
            this.#query = { tenant: tenant.value, [by.value]: id.value.trim() };
            return this.#find();
        });
        byId("end-all").addEventListener("click", () => this.#end(this.#query, "all of them"));
    }

    show(report) {
        this.#form.querySelector("button").disabled = !report.total.issuers;
    }

    clear() {
        this.#form.reset();
        this.#query = null;
        this.#table.show([]);
        byId("found-sessions").hidden = true;
        setText(byId("sessions-note"), "");
    }

    async #find() {
        const { sessions } = await this.#gateway.send("GET", `api/sessions?${new URLSearchParams(this.#query)}`);
        byId("found-sessions").hidden = false;
        byId("end-all").hidden = sessions.length < 2;
        this.#table.show(sessions);
        const found = sessions.length === 1 ? "One session goes on." : `${count(sessions.length)} sessions go on.`;
        setText(byId("sessions-note"), sessions.length ? found : "None: no such session goes on.");
    }

    #endCell(cell, { session }) {
        if (cell.firstChild) return;
        const button = element("button", {
            type: "button", class: "small danger", "aria-label": `End session ${session}`,
        }, "End");
        button.addEventListener("click", () => this.#end({ tenant: this.#query.tenant, session }, `session ${session}`));
        cell.append(button);
    }

    async #end(which, what) {
        if (!await confirmed("End it?", `Its tokens are refused at once, and it is not refreshed any more: ${what}.`,
            "End")) return;
        try {
            const { ended } = await this.#gateway.send("DELETE", "api/sessions", which);
            await this.#find();
            announce(`Ended: ${ended.map(({ session }) => session).join(", ") || "none, they were over"}.`);
        } catch (error) {
            complain(error);
        }
    }
}
