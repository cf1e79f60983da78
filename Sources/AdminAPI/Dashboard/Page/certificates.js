/** The certificates in use, with the days that are left. */
class Certificates {
    /** Milliseconds after which they are asked for again. */
    static period = 60_000;

    static #states = { valid: "good", expires_soon: "warn", expired: "bad", not_yet_valid: "bad" };
    static #uses = { server: "for clients", admin: "admin listener", backend: "for servers" };

    #gateway;
    #loadedAt = -Infinity;
    #table = new Table(byId("certificates"), [
        { title: "Certificate", cell: (cell, { file }) => setText(cell, file) },
        { title: "Use", cell: (cell, { use }) => setText(cell, Certificates.#uses[use] ?? use) },
        { title: "Tenants", cell: (cell, { tenants }) => setText(cell, tenants.join(", ") || "–") },
        { title: "State", cell: (cell, { state }) => setChip(cell, Certificates.#states[state] ?? "bad", readable(state)) },
        { title: "Days left", number: true, cell: (cell, { days_left: days }) => setText(cell, whole.format(days)) },
        { title: "Valid until", number: true, cell: (cell, { not_after: end }) => setText(cell, moment(end)) },
    ], ({ use, file }) => `${use} ${file}`);

    constructor(gateway) { this.#gateway = gateway; }

    async show() {
        if (performance.now() - this.#loadedAt < Certificates.period) return;
        this.#loadedAt = performance.now();
        try {
            const { certificates } = await this.#gateway.send("GET", "api/certificates");
            this.#table.show(certificates);
            setText(byId("certificates-note"), certificates.length ? "" : "None: the gateway has no TLS of its own.");
        } catch (error) {
            complain(error);
        }
    }

    clear() {
        this.#loadedAt = -Infinity;
        this.#table.show([]);
        setText(byId("certificates-note"), "");
    }
}
