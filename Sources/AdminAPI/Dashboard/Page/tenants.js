/** Whether a report leaves tenants out: it has those with the most requests. */
const isPartial = report => report.total.tenants > report.tenants.length;

/** Tenants whose name or a host contains a text, at most `limit` after the name `cursor`: `{ tenants, next }`. */
const found = (gateway, search, limit, cursor) => gateway.send("GET", `api/tenants?${new URLSearchParams({
    search, limit, ...cursor ? { cursor } : {},
})}`);

/** Calls `act` once the text of a field has not changed for a moment. */
function onTyped(field, act) {
    let wait;
    field.addEventListener("input", () => {
        clearTimeout(wait);
        wait = setTimeout(act, 250);
    });
}

/** The list of tenants: those of the reports, or those that are searched for, page by page. */
class TenantList {
    static page = 50;
    /** Rows at most, however many pages are asked for. */
    static maximum = 500;

    #gateway;
    #draw;
    #field = byId("tenant-search");
    #more = byId("tenants-more");
    #report = null;
    /** What was found, for which text: `{ search, tenants, next }`. */
    #result = null;

    constructor(gateway, draw) {
        this.#gateway = gateway;
        this.#draw = draw;
        onTyped(this.#field, () => this.#search().catch(complain));
        onClick(this.#more, () => this.#search(this.#result?.next));
    }

    get #text() { return this.#field.value.trim(); }

    show(report) {
        this.#report = report;
        const [text, all] = [this.#text, report.total.tenants];
        let [tenants, next, note] = [report.tenants, null, ""];
        if (text && isPartial(report)) {
            if (this.#result?.search !== text) return;
            ({ tenants, next } = this.#result);
            note = tenants.length ? `${count(tenants.length)} found${next ? ", and more" : ""}.` : "None found.";
        } else if (text) {
            const has = value => value.toLowerCase().includes(text.toLowerCase());
            tenants = tenants.filter(({ name, hosts }) => has(name) || hosts.some(has));
            note = tenants.length ? `${count(tenants.length)} of ${count(all)}.` : "None found.";
        } else if (isPartial(report)) {
            note = `The ${count(tenants.length)} with the most requests, of ${count(all)}.`;
        }
        this.#draw(tenants);
        setText(byId("tenants-note"), note);
        this.#more.hidden = !next || tenants.length >= TenantList.maximum;
    }

    clear() {
        [this.#report, this.#result, this.#field.value] = [null, null, ""];
        setText(byId("tenants-note"), "");
        this.#more.hidden = true;
    }

    async #search(cursor) {
        const search = this.#text;
        if (!this.#report) return;
        if (search && isPartial(this.#report)) {
            const page = await found(this.#gateway, search, TenantList.page, cursor);
            if (search !== this.#text) return;
            const before = cursor && this.#result?.search === search ? this.#result.tenants : [];
            this.#result = { search, tenants: [...before, ...page.tenants], next: page.next };
        }
        if (this.#report) this.show(this.#report);
    }
}

/** The lists of tenants in forms. With many tenants their last entry leads to a search. */
class TenantChoice {
    static #other = "\u0000other";
    static #most = 20;

    #gateway;
    #dialog = byId("find-tenant");
    #field = byId("find-tenant-name");
    #names = byId("found-tenants");
    /** The names that were chosen, beside those of the reports; with the own issuer of each. */
    #chosen = new Map();
    /** The list that is searched for, and what it had. */
    #select = null;
    #before = new WeakMap();
    #report = null;

    constructor(gateway) {
        this.#gateway = gateway;
        for (const select of this.#selects) {
            // Before the listeners of others: they see tenants alone.
            select.addEventListener("change", event => this.#changed(event), { capture: true });
        }
        onTyped(this.#field, () => this.#search().catch(complain));
        this.#dialog.addEventListener("close", () => this.#closed());
    }

    get #selects() { return [...document.querySelectorAll("select[data-tenants]")]; }

    show(report) {
        this.#report = report;
        for (const select of this.#selects) {
            const kind = select.dataset.tenants;
            const named = report.tenants.filter(tenant => kind !== "issuer" || tenant.has_issuer).map(({ name }) => name);
            const others = [...this.#chosen].filter(([name, hasIssuer]) => !named.includes(name) && (kind !== "issuer" || hasIssuer));
            const options = [...named, ...others.map(([name]) => name)].map(name => [name, name]);
            if (isPartial(report)) options.push([TenantChoice.#other, "another tenant…"]);
            setOptions(select, kind === "all" ? [["", "all tenants"], ...options] : options);
            if (select.value !== TenantChoice.#other) this.#before.set(select, select.value);
        }
    }

    /** Has the lists contain a tenant that is none of the report's. */
    add(name, hasIssuer) {
        this.#chosen.set(name, hasIssuer);
        // The lists stay short.
        if (this.#chosen.size > TenantChoice.#most) this.#chosen.delete(this.#chosen.keys().next().value);
        if (this.#report) this.show(this.#report);
    }

    clear() {
        this.#chosen.clear();
        this.#report = null;
        this.#dialog.close();
        this.#field.value = "";
        this.#names.replaceChildren();
        setText(byId("find-tenant-note"), "");
    }

    #changed(event) {
        const select = event.currentTarget;
        if (select.value !== TenantChoice.#other) {
            this.#before.set(select, select.value);
            return;
        }
        event.stopImmediatePropagation();
        select.value = this.#before.get(select) ?? "";
        this.#select = select;
        this.#field.value = "";
        this.#names.replaceChildren();
        setText(byId("find-tenant-note"), "");
        this.#dialog.returnValue = "";
        this.#dialog.showModal();
    }

    #closed() {
        const [select, name] = [this.#select, this.#dialog.returnValue];
        this.#select = null;
        if (!select || !name) return;
        select.value = name;
        select.dispatchEvent(new Event("change", { bubbles: true }));
    }

    async #search() {
        const search = this.#field.value.trim();
        if (!search || !this.#select) return;
        const { tenants, next } = await found(this.#gateway, search, TenantChoice.#most);
        if (search !== this.#field.value.trim() || !this.#select) return;
        const fitting = tenants.filter(({ has_issuer: any }) => this.#select.dataset.tenants !== "issuer" || any);
        keyed(this.#names, fitting, ({ name }) => name, tenant => element("li", {}, this.#button(tenant)), () => {});
        setText(byId("find-tenant-note"), fitting.length
            ? next ? "There are more: write more of the name." : "" : "None found.");
    }

    #button({ name, has_issuer: hasIssuer }) {
        const button = element("button", { type: "button", class: "link" }, name);
        button.addEventListener("click", () => {
            this.add(name, hasIssuer);
            this.#dialog.close(name);
        });
        return button;
    }
}
