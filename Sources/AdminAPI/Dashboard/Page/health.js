/** The state of servers, key sets, configuration and store. */
class Health {
    #servers = new Table(byId("servers"), [
        { title: "Server", cell: (cell, { server }) => setText(cell, server.url) },
        { title: "Tenant", cell: (cell, { tenant }) => setText(cell, tenant) },
        { title: "State", cell: (cell, { server }) =>
            setChip(cell, server.healthy ? "good" : "bad", server.healthy ? "up" : "down") },
        { title: "Answered", number: true, cell: (cell, { server }) => setText(cell, count(server.requests.answered ?? 0)) },
        { title: "Failed", number: true, cell: (cell, { server }) => setText(cell, count(failed(server.requests))) },
    ], ({ tenant, server }) => `${tenant} ${server.backend} ${server.url}`);

    #keySets = new Table(byId("key-sets"), [
        { title: "Key set", cell: (cell, { set }) => setText(cell, set.label) },
        { title: "Tenants", cell: (cell, { tenants }) => setText(cell, tenants.join(", ")) },
        { title: "State", cell: (cell, { set }) => {
            const missing = set.age_seconds === null;
            setChip(cell, missing ? "bad" : set.stale ? "warn" : "good", missing ? "missing" : set.stale ? "stale" : "fresh");
        } },
        { title: "Keys", number: true, cell: (cell, { set }) => setText(cell, set.keys) },
        { title: "Age", number: true, cell: (cell, { set }) =>
            setText(cell, set.age_seconds === null ? "–" : duration(set.age_seconds)) },
        { title: "Trouble", cell: (cell, { set }) => setText(cell, set.error ?? "–") },
    ], ({ set }) => set.label);

    show(report) {
        this.#servers.show(report.tenants.flatMap(tenant =>
            tenant.servers.map(server => ({ tenant: tenant.name, server }))));
        setText(byId("servers-note"), isPartial(report)
            ? `Those of the ${count(report.tenants.length)} tenants with the most requests.` : "");
        const sets = shared(report.tenants);
        this.#keySets.show(sets);
        byId("key-sets-note").hidden = sets.length > 0;
        facts(byId("configuration"), [
            ["Generation", count(report.generation)],
            ["In force since", moment(report.loaded_at)],
            ["Last reload", reloaded(report.reload)],
            ["Tenants", count(report.total.tenants)],
            ["Version", report.version],
            ["Running since", moment(report.started_at)],
        ]);
        const { store, token_cache: { hit, miss, refused } } = report;
        facts(byId("shared"), [
            ["Store", store.up ? "up" : "out of reach", store.up ? "good" : "bad"],
            ["Revocations known as of", store.staleness_seconds === null
                ? "not loaded yet" : `${duration(store.staleness_seconds)} ago`, store.staleness_seconds > 30 ? "bad" : null],
            ["Revocations in force", count(report.total.revocations ?? 0)],
            ["Tokens known from memory", count(hit)],
            ["Tokens checked", count(miss)],
            ["Tokens known to be bad", count(refused)],
        ]);
    }

    clear() {
        this.#servers.show([]);
        setText(byId("servers-note"), "");
        this.#keySets.show([]);
        for (const list of ["configuration", "shared"]) byId(list).replaceChildren();
    }
}

const failed = requests => ranked(requests).reduce((sum, [outcome, value]) => sum + (outcome === "answered" ? 0 : value), 0);

/** Seconds since a key set was fetched; a missing one is the oldest. */
const age = set => set.age_seconds ?? Infinity;

/** Every key set once, with its tenants; the oldest of those with one label. */
function shared(tenants) {
    const sets = new Map();
    for (const tenant of tenants) {
        for (const set of tenant.key_sets) {
            const known = sets.get(set.label);
            if (!known) {
                sets.set(set.label, { set, tenants: [tenant.name] });
                continue;
            }
            if (age(set) > age(known.set)) known.set = set;
            if (!known.tenants.includes(tenant.name)) known.tenants.push(tenant.name);
        }
    }
    return [...sets.values()];
}

const reloaded = reload => reload ? `${reload.result}, ${moment(reload.at)}` : "none yet";

/** A list of names and values; `[name, value, state?]`. */
function facts(list, rows) {
    keyed(list, rows, ([name]) => name, ([name]) => element("div", {}, element("dt", {}, name), element("dd")),
        (row, [, value, state]) => {
            setText(row.lastElementChild, value);
            setAttribute(row.lastElementChild, "data-state", state ?? null);
        });
}

/** Names, and how many more there are. */
const listed = ({ count: all, names }) =>
    names.join(", ") + (all > names.length ? ` and ${count(all - names.length)} more` : "");

/** Problems that need attention: `{ key, title, lines }`. */
function problems(report) {
    const found = [];
    if (report.reload?.result === "refused") {
        found.push({ key: "reload", title: "The last reload was refused; the configuration of before is in force",
            lines: report.reload.mistakes });
    }
    const { refuses_callers: refusing, without_server: down } = report.total;
    if (!report.store.up) {
        found.push({ key: "store", title: "The store is out of reach",
            lines: ["Callers are checked by the revocations known here, until those are older than the tenant's max_staleness; "
                + "then on_store_failure decides. Sign-ins and refreshes that need the store are answered 503."] });
    }
    if (refusing.count) {
        found.push({ key: "stale", title: "Callers are refused",
            lines: [`Whoever has a token is answered 503 at ${listed(refusing)}: the revocations known here are older than `
                + "max_staleness, and on_store_failure is deny."] });
    }
    if (down.count) {
        found.push({ key: "servers", title: "No server is up",
            lines: [`Requests are answered 503 for ${listed(down)}.`] });
    }
    return found;
}

function alerts(report) {
    keyed(byId("alerts"), problems(report), ({ key, lines }) => `${key} ${lines.join()}`, ({ title, lines }) =>
        element("div", { class: "alert", role: "alert" }, element("strong", {}, title),
            element("ul", {}, ...lines.map(line => element("li", {}, line)))), () => {});
}
