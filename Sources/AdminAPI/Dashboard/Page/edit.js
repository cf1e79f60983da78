/**
 * A text with numbers at its lines, and messages beside them at the height of their lines. A message that is longer than
 * its line moves those below it down. On a narrow screen they are a list below the text.
 */
class Editor {
    /** Pixels, as in the style. */
    static #lineHeight = 20;
    static #padding = 8;

    #text;
    #gutter;
    #notes;
    #mistakes = [];

    constructor(text, gutter, notes) {
        this.#text = text;
        this.#gutter = gutter;
        this.#notes = notes;
        text.addEventListener("input", () => this.#number());
        text.addEventListener("scroll", () => this.#place());
        // The keyboard leads to messages that are out of sight: their lines come with them.
        notes.addEventListener("scroll", () => { text.scrollTop = notes.scrollTop; });
        new ResizeObserver(() => this.#arrange()).observe(notes);
        // Tab leaves the text, as the keyboard expects; a new line begins like the one above.
        text.addEventListener("keydown", event => this.#indent(event));
        this.#number();
    }

    get value() { return this.#text.value; }

    set value(value) {
        this.#text.value = value;
        this.mistakes = [];
        this.#number();
        this.#text.scrollTop = 0;
    }

    /** `{ line, column, message, file? }`; those of other files have no line here. */
    set mistakes(mistakes) {
        this.#mistakes = mistakes;
        const items = mistakes.map(mistake => {
            const place = mistake.file ? `${mistake.file}:${mistake.line}` : `Line ${mistake.line}`;
            const button = element("button", { type: "button", class: "link" }, `${place}: ${mistake.message}`);
            if (!mistake.file) button.addEventListener("click", () => this.#go(mistake));
            return element("li", { "data-line": mistake.file ? 1 : mistake.line }, button);
        });
        this.#notes.replaceChildren(...items);
        this.#arrange();
        setAttribute(this.#text, "aria-invalid", mistakes.length ? "true" : null);
        this.#number();
    }

    #number() {
        const wrong = new Set(this.#mistakes.filter(({ file }) => !file).map(({ line }) => line));
        const lines = this.#text.value ? this.#text.value.split("\n").length : 0;
        keyed(this.#gutter, Array.from({ length: lines }, (_, index) => index + 1), line => line,
            line => element("li", {}, String(line)),
            (item, line) => setAttribute(item, "data-state", wrong.has(line) ? "bad" : null));
        this.#place();
    }

    #place() { this.#notes.scrollTop = this.#gutter.scrollTop = this.#text.scrollTop; }

    /** Puts each message at its line, or below the one before it. */
    #arrange() {
        let end = 0;
        const items = [...this.#notes.children].sort((one, other) => one.dataset.line - other.dataset.line);
        for (const item of items) {
            const top = Math.max(end, Editor.#padding + (item.dataset.line - 1) * Editor.#lineHeight);
            item.style.insetBlockStart = `${top}px`;
            end = top + item.offsetHeight;
        }
        // As high as the text, so that both scroll alike.
        this.#notes.style.setProperty("--end", `${Math.max(end, this.#text.scrollHeight)}px`);
        this.#place();
    }

    #go({ line, column }) {
        const lines = this.#text.value.split("\n");
        const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
        // Columns count characters, and this counts UTF-16.
        const offset = start + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
        this.#text.focus();
        this.#text.setSelectionRange(offset, start + (lines[line - 1] ?? "").length);
        this.#text.scrollTop = Math.max(0, (line - 4) * Editor.#lineHeight);
    }

    #indent(event) {
        if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
        const { selectionStart: at, value } = this.#text;
        const [indent] = value.slice(value.lastIndexOf("\n", at - 1) + 1, at).match(/^ */);
        if (!indent) return;
        event.preventDefault();
        this.#text.setRangeText(`\n${indent}`, at, this.#text.selectionEnd, "end");
        this.#number();
    }
}

/** Writes a tenant of the store. */
class TenantEditor {
    #gateway;
    #form = byId("edit");
    #editor = new Editor(byId("edit-text"), byId("edit-gutter"), byId("edit-mistakes"));
    /** What is edited: its name, null for a new one; the ETag and the text that was loaded. */
    #loaded = { name: null, etag: null, text: "" };
    /** What is there by now, if another has changed it. */
    #other = null;
    #versions = new Table(byId("edit-versions"), [
        { title: "Version", cell: (cell, { version }) => setText(cell, version) },
        { title: "When", cell: (cell, { at }) => setText(cell, moment(at)) },
        { title: "By", cell: (cell, { by }) => setText(cell, by) },
        { title: "What", cell: (cell, { action, to }) => setText(cell, to ? `${action} to ${to}` : action) },
        { title: "Its text", hidden: true, cell: (cell, version) => this.#actions(cell, version) },
    ], ({ etag }) => etag);

    constructor(gateway) {
        this.#gateway = gateway;
        onSubmit(this.#form, () => this.#save());
        onClick(byId("edit-delete"), () => this.#delete());
        onClick(byId("edit-theirs"), () => this.#take(this.#other));
        onClick(byId("edit-mine"), () => this.#keep());
    }

    /** `name`: of the tenant in the URL; empty for a new one. */
    async show(name) {
        if (name === (this.#loaded.name ?? "")) return;
        if (this.#isChanged && !await confirmed("Leave what you wrote?",
            "The text of the other tenant was changed and not saved.", "Leave it")) {
            history.replaceState(null, "", `#edit/${this.#loaded.name ?? ""}`);
            return;
        }
        if (!name) return this.clear();
        try {
            await this.#load(name);
        } catch (problem) {
            complain(problem);
        }
    }

    clear() {
        this.#form.reset();
        this.#set({ name: null, etag: null, text: "" });
        this.#versions.show([]);
    }

    get #isChanged() { return this.#editor.value !== this.#loaded.text; }

    #path(name, below = "") { return `api/tenants/${encodeURIComponent(name)}${below}`; }

    async #load(name) {
        const tenant = await this.#gateway.send("GET", this.#path(name));
        this.#take(tenant);
        if (tenant.source === "store") await this.#list();
        else this.#versions.show([]);
    }

    /** Shows a tenant as it is in the gateway. */
    #take(tenant) {
        this.#set({ name: tenant.name, etag: tenant.etag, text: tenant.yaml });
        this.#editor.mistakes = tenant.mistakes;
        const isFile = tenant.source === "file";
        byId("edit-text").readOnly = isFile;
        this.#form.querySelector(".primary").hidden = isFile;
        byId("edit-delete").hidden = isFile;
        setText(byId("edit-version"), isFile ? "of tenants.yaml: change it there" : `version ${tenant.version}`);
    }

    #set(loaded) {
        this.#loaded = loaded;
        this.#other = null;
        this.#editor.value = loaded.text;
        const name = this.#form.elements.name;
        name.value = loaded.name ?? "";
        name.readOnly = loaded.name !== null;
        byId("edit-text").readOnly = false;
        this.#form.querySelector(".primary").hidden = false;
        byId("edit-delete").hidden = loaded.name === null;
        byId("edit-conflict").hidden = true;
        byId("edit-difference-card").hidden = true;
        setText(byId("edit-version"), loaded.name === null ? "a new tenant" : "");
    }

    get #condition() {
        return this.#loaded.etag === null ? { "If-None-Match": "*" } : { "If-Match": this.#loaded.etag };
    }

    async #save() {
        const name = this.#form.elements.name.value.trim();
        const text = this.#editor.value;
        this.#editor.mistakes = [];
        try {
            const written = await this.#gateway.send("PUT", this.#path(name), text, this.#condition);
            announce(`Saved ${name} as version ${written.version}.`);
        } catch (problem) {
            await this.#failed(problem, name);
            throw problem;
        }
        history.replaceState(null, "", `#edit/${name}`);
        await this.#load(name);
    }

    async #failed(problem, name) {
        if (problem.code === "tenant_refused") this.#editor.mistakes = problem.body.mistakes ?? [];
        if (problem.code !== "version_changed" || !problem.body.etag) return;
        this.#other = await this.#gateway.send("GET", this.#path(name));
        byId("edit-conflict").hidden = false;
        this.#compare("What another has saved, against yours", this.#other.yaml, this.#editor.value);
    }

    /** Saves over what another has saved. */
    async #keep() {
        this.#loaded = { ...this.#loaded, name: this.#other.name, etag: this.#other.etag };
        byId("edit-conflict").hidden = true;
        await this.#save();
    }

    async #delete() {
        const { name } = this.#loaded;
        if (!await confirmed("Delete the tenant?", `Requests for ${name} are no longer let in. Its versions are kept.`,
            "Delete it")) return;
        await this.#gateway.send("DELETE", this.#path(name), undefined, this.#condition);
        announce(`Deleted ${name}.`);
        this.clear();
        location.hash = "#overview";
    }

    // Versions

    async #list() {
        const { versions } = await this.#gateway.send("GET", this.#path(this.#loaded.name, "/versions"));
        this.#versions.show(versions);
    }

    #actions(cell, { version, action }) {
        if (cell.firstChild || action === "delete") return;
        const button = (text, act) => {
            const made = element("button", { type: "button", class: "small", "aria-label": `${text}: version ${version}` }, text);
            onClick(made, act);
            return made;
        };
        cell.append(
            button("Compare", () => this.#compareVersion(version)), " ",
            button("Roll back", () => this.#rollBack(version)));
    }

    async #compareVersion(number) {
        const { yaml } = await this.#gateway.send("GET", this.#path(this.#loaded.name, `/versions/${number}`));
        this.#compare(`Version ${number}, against the text above`, yaml, this.#editor.value);
    }

    async #rollBack(number) {
        const { name } = this.#loaded;
        if (!await confirmed("Roll back?", `The text of version ${number} of ${name} is in force again.`, "Roll back")) return;
        const written = await this.#gateway.send("POST", this.#path(name, "/rollback"), { version: number }, this.#condition);
        announce(`Rolled ${name} back to version ${number}, as version ${written.version}.`);
        await this.#load(name);
    }

    #compare(title, before, after) {
        setText(byId("edit-difference-title"), title);
        const differs = showDifference(byId("edit-difference"), before, after);
        byId("edit-difference-card").hidden = false;
        setText(byId("edit-difference-note"), differs ? "" : "They are the same.");
        byId("edit-difference-title").focus();
    }
}
