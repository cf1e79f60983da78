/** Current traffic, for all tenants or for one. */
class Overview {
    /** Seconds that numbers and points are averaged over; percentiles need more requests. */
    static window = 5;
    static latencyWindow = 15;

    #history;
    #name = "";
    #traffic = new Chart(byId("traffic"), {
        title: "Requests a second", isStacked: true, format: rate,
        series: [
            { name: "1xx–3xx", color: "good", value: point => point.good / point.seconds },
            { name: "4xx", color: "client", value: point => point.client / point.seconds },
            { name: "5xx", color: "server", value: point => point.server / point.seconds },
        ],
    });
    #latency = new Chart(byId("latency"), {
        title: "Latency", isLogarithmic: true, format: milliseconds,
        series: [
            { name: "p50", color: "typical", value: point => quantile(point.latency, 0.5) },
            { name: "p99", color: "slow", value: point => quantile(point.latency, 0.99) },
            { name: "p99 of the gateway itself", color: "own", value: point => quantile(point.overhead, 0.99) },
        ],
    });
    #tenants;
    #list;

    #choice;

    constructor(history, gateway, choice) {
        this.#history = history;
        this.#choice = choice;
        byId("tenant").addEventListener("change", event => this.choose(event.target.value));
        this.#tenants = new Table(byId("tenants"), this.#columns(), tenant => tenant.name);
        this.#list = new TenantList(gateway, tenants => this.#tenants.show(tenants));
    }

    /** The tenant that is looked at; "" for all. */
    get name() { return this.#name; }

    /** `name`: a tenant's, or "" for all. */
    choose(name) {
        this.#name = name;
        byId("tenant").value = name;
        this.show();
    }

    show() {
        const report = this.#history.latest;
        if (!report) return;
        // One that is not in this report may be in the next.
        if (this.#name && !isPartial(report) && !this.#history.has(this.#name)) this.#name = "";
        this.#tiles(report);
        const span = Math.min(History.span, Math.max(60, this.#history.length));
        this.#traffic.show(this.#history.points(this.#name, Overview.window), span);
        this.#latency.show(this.#history.points(this.#name, Overview.latencyWindow), span);
        this.#list.show(report);
        const shown = this.#name ? report.tenants.find(({ name }) => name === this.#name) : report.total;
        bars(byId("refusals"), Object.fromEntries(shown ? refusals(shown) : []), "Nothing was refused.");
        for (const [list, member, nothing] of [
            ["refreshes", "refreshes", "Nothing was refreshed."],
            ["observed", "would_refuse", "Nothing was let through that would be refused."],
            ["limited", "rate_limited", "Nobody asked too often."],
        ]) {
            bars(byId(list), shown?.[member] ?? {}, nothing);
        }
    }

    clear() {
        this.#name = "";
        setOptions(byId("tenant"), [["", "all tenants"]]);
        this.#list.clear();
        this.#traffic.clear();
        this.#latency.clear();
        this.#tenants.show([]);
        for (const list of ["tiles", "refusals", "refreshes", "observed", "limited"]) byId(list).replaceChildren();
    }

    #tiles(report) {
        const now = this.#history.recent(this.#name, Overview.window);
        const timed = this.#history.recent(this.#name, Overview.latencyWindow);
        const before = this.#history.recent(this.#name, History.span);
        const shown = this.#name ? report.tenants.find(({ name }) => name === this.#name) : report.total;
        const total = shown?.requests.total ?? 0;
        const { hit, miss, refused } = report.token_cache;
        const each = now.seconds || 1;
        const tiles = [
            ["Requests", `${rate(now.total / each)}/s`, `${count(total)} since the start`, null],
            ["Refused", `${rate(now.refused / each)}/s`, `${percent(before.refused, before.total)} of 5 min`, null],
            ["Server errors", percent(now.server, now.total), `${count(before.server)} in 5 min`, severity(now)],
            ["Latency p99", milliseconds(quantile(timed.latency, 0.99)),
                `p50 ${milliseconds(quantile(timed.latency, 0.5))}`, null],
            ["Connections", count(report.connections.open), "open", null],
            ["Token memory", percent(hit + refused, hit + miss + refused), "of tokens known", null],
        ];
        keyed(byId("tiles"), tiles, ([title]) => title, ([title]) => element("li", { class: "tile" },
            element("span", { class: "title" }, title), element("strong"), element("span", { class: "quiet" })),
        (tile, [, value, note, state]) => {
            setText(tile.children[1], value);
            setAttribute(tile.children[1], "data-state", state);
            setText(tile.children[2], note);
        });
    }

    #columns() {
        const recent = tenant => this.#history.recent(tenant.name, Overview.window);
        const slow = (tenant, kind) =>
            milliseconds(quantile(this.#history.recent(tenant.name, Overview.latencyWindow)[kind], 0.99));
        // Of a tenant that was searched for there is no history.
        const rated = (tenant, part) => {
            if (!this.#history.has(tenant.name)) return "–";
            const now = recent(tenant);
            return `${rate(now[part] / (now.seconds || 1))}/s`;
        };
        return [
            { title: "Tenant", cell: (cell, tenant) => this.#nameCell(cell, tenant) },
            { title: "Requests", number: true, cell: (cell, tenant) => {
                if (!cell.firstChild) cell.append(element("span"));
                setText(cell.firstChild, rated(tenant, "total"));
            } },
            { title: "Last 5 minutes", hidden: true, cell: (cell, tenant) => sparkline(cell,
                this.#history.points(tenant.name, Overview.window).map(point => point.total / point.seconds)) },
            { title: "Refused", number: true, cell: (cell, tenant) => setText(cell, rated(tenant, "refused")) },
            { title: "5xx", number: true, cell: (cell, tenant) => {
                const now = recent(tenant);
                setText(cell, percent(now.server, now.total));
                setAttribute(cell, "data-state", severity(now));
            } },
            { title: "p99", number: true, cell: (cell, tenant) => setText(cell, slow(tenant, "latency")) },
            { title: "Gateway p99", number: true, cell: (cell, tenant) => setText(cell, slow(tenant, "overhead")) },
            { title: "Servers", cell: (cell, { servers }) => {
                const up = servers.filter(({ healthy }) => healthy).length;
                setChip(cell, up === servers.length ? "good" : up ? "warn" : "bad", `${up} of ${servers.length} up`);
            } },
            { title: "Its page", hidden: true, cell: (cell, { name }) => {
                if (cell.firstChild) return;
                cell.append(element("a", { class: "more", href: `#tenant/${name}`, "aria-label": `Rules of ${name}` }, "Rules"));
            } },
        ];
    }

    #nameCell(cell, tenant) {
        if (!cell.firstChild) {
            const button = element("button", { type: "button", class: "link" }, tenant.name);
            button.addEventListener("click", () => {
                // One that was found is in no list yet.
                if (!this.#history.has(tenant.name)) this.#choice.add(tenant.name, tenant.has_issuer);
                this.choose(this.#name === tenant.name ? "" : tenant.name);
            });
            cell.append(element("div", {}, button,
                element("span", { class: "chip", "data-state": "note", hidden: "" }, "observe"),
                element("small", { class: "quiet" })));
        }
        const [button, mode, hosts] = cell.firstChild.children;
        setAttribute(button, "aria-pressed", this.#name === tenant.name);
        mode.hidden = tenant.mode !== "observe";
        setText(hosts, tenant.hosts.map(host => `${host}${tenant.path_prefix ?? ""}`).join(", "));
    }
}

/** The state for a share of server errors. */
const severity = ({ server, total }) => server === 0 ? null : server < total / 100 ? "warn" : "bad";

/** Counts since the start as bars, the longest first. */
function bars(list, counts, nothing) {
    const rows = ranked(counts);
    const maximum = rows[0]?.[1] ?? 1;
    if (!rows.length) {
        list.replaceChildren(element("li", { class: "quiet" }, nothing));
        return;
    }
    keyed(list, rows, ([name]) => name, ([name]) => element("li", { class: "bar" },
        element("span", {}, readable(name)), element("span", { class: "number" }),
        element("span", { class: "track", "aria-hidden": "true" }, element("span", { class: "fill" }))),
    (row, [, value]) => {
        setText(row.children[1], count(value));
        row.querySelector(".fill").style.inlineSize = `${100 * value / maximum}%`;
    });
}

/** Replaces the options of a list by `[value, text]`, and keeps the selection. */
function setOptions(select, options) {
    const same = options.length === select.options.length
        && options.every(([value], index) => select.options[index].value === value);
    if (same) return;
    const chosen = select.value;
    select.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
    if (options.some(([value]) => value === chosen)) select.value = chosen;
}
