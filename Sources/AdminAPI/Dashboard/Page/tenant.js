/** One tenant: its access rules and routes with their use, its backends and refusals. */
class TenantPage {
    #gateway;
    #refused;
    #select = byId("tenant-name");
    #report = null;
    /** The tenant, generation and number of requests that the rules were loaded at. */
    #loaded = "";
    /** The tenant and generation that the signing keys were loaded at: they are in the store, and rarely change. */
    #keysLoaded = "";
    #rules = new Table(byId("rules"), [
        { title: "Rule", cell: (cell, { path }) => {
            if (!cell.firstChild) cell.append(element("code"));
            setText(cell.firstChild, path);
        } },
        { title: "Methods", cell: (cell, { methods }) => setText(cell, methods.join(", ") || "all") },
        { title: "Lets in", cell: (cell, rule) => setText(cell, allowed(rule)) },
        { title: "Mode", cell: (cell, { mode }) => setText(cell, mode) },
        { title: "Line", number: true, cell: (cell, { line }) => setText(cell, line || "–") },
        { title: "Requests", number: true, cell: (cell, { hits }) => setText(cell, count(hits)) },
        { title: "Use", cell: (cell, { hits, since, share }) =>
            setChip(cell, hits ? "good" : "warn", hits ? share : `none since ${moment(since)}`) },
    ], ({ key }) => key);

    #routes = new Table(byId("routes"), [
        { title: "Route", cell: (cell, { path }) => {
            if (!cell.firstChild) cell.append(element("code"));
            setText(cell.firstChild, path);
        } },
        { title: "Methods", cell: (cell, { methods }) => setText(cell, methods.join(", ") || "all") },
        { title: "Fields", cell: (cell, { fields }) => setText(cell, fields.join(", ") || "any") },
        { title: "Does", cell: (cell, { does }) => setText(cell, does) },
        { title: "Line", number: true, cell: (cell, { line }) => setText(cell, line || "–") },
        { title: "Requests", number: true, cell: (cell, { hits }) => setText(cell, count(hits)) },
        { title: "Use", cell: (cell, { hits, since, share }) =>
            setChip(cell, hits ? "good" : "warn", hits ? share : `none since ${moment(since)}`) },
    ], ({ key }) => key);

    #backends = new Table(byId("backends"), [
        { title: "Server", cell: (cell, { url }) => setText(cell, url) },
        { title: "Backend", cell: (cell, { backend }) => setText(cell, backend) },
        { title: "State", cell: (cell, { healthy }) => setChip(cell, healthy ? "good" : "bad", healthy ? "up" : "down") },
        { title: "Answered", number: true, cell: (cell, { requests }) => setText(cell, count(requests.answered ?? 0)) },
        { title: "Failed", number: true, cell: (cell, { requests }) => setText(cell, count(failed(requests))) },
    ], ({ backend, url }) => `${backend} ${url}`);

    #keys = new Table(byId("signing-keys"), [
        { title: "Key", cell: (cell, { kid }) => setText(cell, kid) },
        { title: "State", cell: (cell, { state }) =>
            setChip(cell, { active: "good", next: "note" }[state] ?? null, readable(state)) },
        { title: "Signs since", cell: (cell, { active_from: from }) => setText(cell, from ? moment(from) : "not yet") },
        { title: "Signs until", cell: (cell, { retires_at: end }) => setText(cell, end ? moment(end) : "undecided") },
        { title: "Days left", number: true, cell: (cell, { verifies_until: end }) => setText(cell, daysLeft(end)) },
    ], ({ kid }) => kid);

    constructor(gateway, refused) {
        this.#gateway = gateway;
        this.#refused = refused;
        this.#select.addEventListener("change", () => {
            // Not by the fragment alone, which would take the focus from the list.
            history.replaceState(null, "", `#tenant/${this.#select.value}`);
            this.show(this.#report, this.#select.value);
        });
        byId("tenant-refused").addEventListener("click", () => this.#refused.choose(this.#select.value));
    }

    /** `name`: of the tenant in the URL; the first one without. */
    show(report, name) {
        this.#report = report;
        const wanted = name || this.#select.value;
        let tenant = report.tenants.find(tenant => tenant.name === wanted);
        // One that is not in this report may be in the next.
        if (!tenant && !(name && isPartial(report))) [tenant] = report.tenants;
        if (!tenant) return;
        this.#backends.show(tenant.servers);
        this.#select.value = tenant.name;
        byId("tenant-edit").href = `#edit/${tenant.name}`;
        setText(byId("tenant-edit"), tenant.source === "store" ? "Edit" : "Text and versions");
        const up = tenant.servers.filter(({ healthy }) => healthy).length;
        facts(byId("tenant-facts"), [
            ["Hosts", tenant.hosts.map(host => `${host}${tenant.path_prefix ?? ""}`).join(", ")],
            ["Mode", tenant.mode],
            ["Requests since the start", count(tenant.requests.total)],
            ["Servers up", `${up} of ${tenant.servers.length}`, up === tenant.servers.length ? null : "bad"],
            ["Revocations in force", tenant.revocations === null ? "not loaded yet" : count(tenant.revocations)],
            ["Issuer of its own", tenant.has_issuer ? "yes" : "no"],
        ]);
        bars(byId("tenant-refusals"), tenant.mode === "observe" ? tenant.would_refuse : Object.fromEntries(refusals(tenant)),
            "Nothing was refused.");
        byId("signing-keys-card").hidden = !tenant.has_issuer;
        const keys = `${tenant.name} ${report.started_at} ${report.generation}`;
        if (tenant.has_issuer && this.#keysLoaded !== keys) this.#loadKeys(tenant.name, keys);
        const state = `${tenant.name} ${report.started_at} ${report.generation} ${tenant.requests.total}`;
        if (this.#loaded !== state) this.#load(tenant.name, state);
    }

    clear() {
        [this.#report, this.#loaded, this.#keysLoaded] = [null, "", ""];
        this.#rules.show([]);
        this.#routes.show([]);
        this.#backends.show([]);
        byId("routes-card").hidden = true;
        this.#keys.show([]);
        byId("tenant-edit").href = "#edit";
        for (const list of ["tenant-facts", "tenant-refusals"]) byId(list).replaceChildren();
        for (const note of ["rules-note", "signing-keys-note"]) setText(byId(note), "");
    }

    async #load(name, state) {
        this.#loaded = state;
        try {
            const list = await this.#gateway.send("GET", `api/rules?${new URLSearchParams({ tenant: name })}`);
            if (this.#loaded === state) this.#fill(list);
        } catch (error) {
            // Another try comes with the next report.
            this.#loaded = "";
            complain(error);
        }
    }

    async #loadKeys(name, state) {
        this.#keysLoaded = state;
        let [keys, note] = [[], ""];
        try {
            ({ keys } = await this.#gateway.send("GET", `api/keys?${new URLSearchParams({ tenant: name })}`));
        } catch (error) {
            if (error instanceof Locked) return;
            // Keys that are files of a directory are not known to the API.
            note = error.message;
        }
        if (this.#keysLoaded !== state) return;
        this.#keys.show(keys);
        setText(byId("signing-keys-note"), note);
    }

    #fill({ rules, default: rest, routes, unrouted }) {
        this.#fillRoutes(routes, unrouted);
        const all = rules.reduce((sum, { hits }) => sum + hits, rest.hits);
        const others = {
            path: "every other path", methods: [], allow: "signed_in", roles: [], scopes: [], mode: "–", line: 0, ...rest,
        };
        this.#rules.show([...rules, others].map((rule, index) => ({
            ...rule, key: `${index} ${rule.path} ${rule.methods}`, share: percent(rule.hits, all),
        })));
        const dead = rules.filter(({ hits }) => !hits).length;
        setText(byId("rules-note"), dead ? `${dead} of ${rules.length} rules had no request yet.`
            : rules.length ? "Every rule had requests." : "There are no rules: every path needs a signed-in caller.");
    }

    #fillRoutes(routes, rest) {
        byId("routes-card").hidden = !routes.length;
        if (!routes.length) return this.#routes.show([]);
        const all = routes.reduce((sum, { hits }) => sum + hits, rest.hits);
        const others = { path: "every other path", methods: [], fields: [], does: "backend default, if there is one", line: 0, ...rest };
        this.#routes.show([...routes, others].map((route, index) => ({
            ...route, key: `${index} ${route.path} ${route.methods} ${route.fields}`, share: percent(route.hits, all),
        })));
    }
}

/** Whom a rule lets in. */
function allowed({ allow, roles, scopes }) {
    if (allow === "anyone") return "anyone";
    const needs = [];
    if (roles.length) needs.push(`role ${roles.join(" or ")}`);
    if (scopes.length) needs.push(`scope ${scopes.join(" and ")}`);
    return needs.join("; ") || "any signed-in caller";
}

/** Whole days until a time; a key without an end goes on. */
const daysLeft = end => end ? whole.format(Math.floor((Date.parse(end) - Date.now()) / 86_400_000)) : "–";
