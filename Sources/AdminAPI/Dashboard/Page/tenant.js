/** One tenant: its access rules with their use, its refusals and servers. */
class TenantPage {
    #gateway;
    #refused;
    #select = byId("tenant-name");
    #report = null;
    /** The tenant, generation and number of requests that the rules were loaded at. */
    #loaded = "";
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
        const tenant = report.tenants.find(tenant => tenant.name === (name || this.#select.value)) ?? report.tenants[0];
        if (!tenant) return;
        this.#select.value = tenant.name;
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
        const state = `${tenant.name} ${report.started_at} ${report.generation} ${tenant.requests.total}`;
        if (this.#loaded !== state) this.#load(tenant.name, state);
    }

    clear() {
        [this.#report, this.#loaded] = [null, ""];
        this.#rules.show([]);
        for (const list of ["tenant-facts", "tenant-refusals"]) byId(list).replaceChildren();
        setText(byId("rules-note"), "");
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

    #fill({ rules, default: rest }) {
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
}

/** Whom a rule lets in. */
function allowed({ allow, roles, scopes }) {
    if (allow === "anyone") return "anyone";
    const needs = [];
    if (roles.length) needs.push(`role ${roles.join(" or ")}`);
    if (scopes.length) needs.push(`scope ${scopes.join(" and ")}`);
    return needs.join("; ") || "any signed-in caller";
}
