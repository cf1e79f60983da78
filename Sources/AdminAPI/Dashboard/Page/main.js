/** Shows a result or an error, also to screen readers. */
function announce(text, state = "good") {
    const message = byId("news");
    setAttribute(message, "data-state", state);
    setText(message, text);
}

/** Shows an error, unless the page was locked. */
function complain(problem) {
    if (!(problem instanceof Locked)) announce(problem.message, "bad");
}

/** Asks for confirmation; closing the dialog means no. */
function confirmed(title, text, yes) {
    const dialog = byId("confirm");
    setText(byId("confirm-title"), title);
    setText(byId("confirm-text"), text);
    setText(byId("confirm-yes"), yes);
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise(done => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

/** Runs `act` when a form is submitted, once at a time, and shows its error in the form. */
function onSubmit(form, act) {
    const [error, button] = [form.querySelector(".error"), form.querySelector("button:not([type])")];
    form.addEventListener("submit", async event => {
        event.preventDefault();
        setText(error, "");
        button.disabled = true;
        try {
            await act();
        } catch (problem) {
            if (!(problem instanceof Locked)) setText(error, problem.message);
        }
        button.disabled = false;
    });
}

/** Dark, light, or the system's colors. */
class Scheme {
    static #names = { "": "System colors", light: "Light colors", dark: "Dark colors" };

    constructor(button) {
        this.#choose(localStorage.getItem("gatehouse-scheme") ?? "");
        button.addEventListener("click", () => {
            const names = Object.keys(Scheme.#names);
            this.#choose(names[(names.indexOf(document.documentElement.dataset.scheme ?? "") + 1) % names.length]);
        });
    }

    #choose(name) {
        if (name) document.documentElement.dataset.scheme = name;
        else delete document.documentElement.dataset.scheme;
        localStorage.setItem("gatehouse-scheme", name);
        setText(byId("scheme-name"), Scheme.#names[name] ?? Scheme.#names[""]);
    }
}

/** The views, selected by the URL's fragment, so that the browser's history works. */
class Views {
    /** The views that are reached from another one alone. */
    static #parents = { tenant: "overview", edit: "overview" };

    #views = new Map([...document.querySelectorAll("[data-view]")].map(view => [view.dataset.view, view]));
    #changed;

    constructor(changed) {
        this.#changed = changed;
        addEventListener("hashchange", () => this.#show());
        this.#show();
    }

    get name() {
        const [name] = this.#parts;
        return this.#views.has(name) ? name : "overview";
    }

    /** What the view is about: behind the `/` in the fragment. */
    get subject() { return this.#parts[1] ?? ""; }

    get #parts() { return location.hash.slice(1).split("/"); }

    #show() {
        for (const [name, view] of this.#views) view.hidden = name !== this.name;
        for (const link of document.querySelectorAll("nav a")) {
            const name = Views.#parents[this.name] ?? this.name;
            setAttribute(link, "aria-current", link.hash === `#${name}` ? "page" : null);
        }
        if (byId("dashboard").hidden) return;
        announce("");
        this.enter();
        this.#changed();
    }

    /** Moves the focus to the start of the view. */
    enter() {
        const heading = this.#views.get(this.name).querySelector("h1");
        document.title = `${heading.textContent} · Gatehouse`;
        scrollTo(0, 0);
        heading.focus();
    }
}

class Dashboard {
    /** Milliseconds after which a hidden page stops listening. */
    static hiddenTimeout = 30_000;

    #gateway = new Gateway();
    #history = new History();
    #choice = new TenantChoice(this.#gateway);
    #overview = new Overview(this.#history, this.#gateway, this.#choice);
    #health = new Health();
    #revocations = new Revocations(this.#gateway);
    #sessions = new Sessions(this.#gateway);
    #explain = new Explain(this.#gateway);
    #refused = new Refused(this.#gateway, this.#explain);
    #tenant = new TenantPage(this.#gateway, this.#refused);
    #editor = new TenantEditor(this.#gateway);
    #certificates = new Certificates(this.#gateway);
    #reloads = new Reloads(this.#gateway);
    #views;
    #isOpen = false;

    constructor() {
        new Scheme(byId("scheme"));
        this.#views = new Views(() => this.#showView());
        byId("leave").addEventListener("click", () => this.#lock(""));
        onClick(byId("reload"), () => this.#reload());
        byId("lock-form").addEventListener("submit", event => {
            event.preventDefault();
            setText(byId("lock-error"), "");
            this.#gateway.token = byId("token").value.trim();
            this.#listen();
        });
        this.#listenWhileVisible();
        const needsNone = document.documentElement.dataset.access === "open";
        byId("leave").hidden = needsNone;
        if (needsNone || this.#gateway.hasToken) this.#listen();
        else this.#lock("");
    }

    /** Removes the token, all data that was loaded with it, and all input. */
    #lock(reason) {
        this.#isOpen = false;
        this.#gateway.lock();
        this.#history.clear();
        const parts = [
            this.#overview, this.#health, this.#revocations, this.#sessions, this.#explain, this.#refused, this.#tenant,
            this.#certificates, this.#reloads, this.#editor,
        ];
        for (const part of parts) part.clear();
        this.#choice.clear();
        byId("confirm").close();
        for (const select of document.querySelectorAll("select[data-tenants]")) select.replaceChildren();
        for (const output of document.querySelectorAll("#alerts, #news, #dashboard .error, #confirm h2, #confirm p")) {
            output.replaceChildren();
        }
        for (const name of ["version", "generation", "uptime"]) setText(byId(name), "");
        byId("dashboard").hidden = true;
        byId("lock").hidden = false;
        setText(byId("lock-error"), reason);
        document.title = "Gatehouse";
        byId("token").focus();
    }

    #listen() {
        this.#gateway.listen({
            report: report => this.#report(report),
            state: (state, text) => this.#link(state, text),
            refused: problem => this.#lock(Dashboard.#refusal(problem, this.#isOpen)),
        });
    }

    /** Why the page is locked. */
    static #refusal(problem, wasOpen) {
        if (problem.code === "insufficient_scope") return "This admin token may not read. Use one with the scope read.";
        return wasOpen ? "The admin token has changed." : "This is not the admin token.";
    }

    #listenWhileVisible() {
        let leaving;
        document.addEventListener("visibilitychange", () => {
            clearTimeout(leaving);
            if (!this.#isOpen) return;
            if (document.hidden) leaving = setTimeout(() => this.#gateway.stop(), Dashboard.hiddenTimeout);
            else if (!this.#gateway.isListening) this.#listen();
        });
    }

    #link(state, text) {
        setAttribute(byId("link"), "data-state", { live: "good", lost: "bad" }[state]);
        setText(byId("link"), text);
        if (!this.#isOpen && state === "lost") setText(byId("lock-error"), `The gateway does not answer: ${text}`);
    }

    #report(report) {
        this.#history.add(report);
        if (!this.#isOpen) this.#open();
        setText(byId("version"), report.version);
        setText(byId("generation"), `generation ${report.generation}`);
        setText(byId("uptime"), `up ${duration((Date.parse(report.now) - Date.parse(report.started_at)) / 1000)}`);
        this.#choice.show(report);
        alerts(report);
        this.#sessions.show(report);
        this.#showReport(report);
        this.#watch(report);
    }

    /** Has the reports contain the tenant that is looked at, where they cannot have all. */
    #watch(report) {
        const name = { overview: this.#overview.name, tenant: this.#views.subject }[this.#views.name] ?? "";
        const isOnlyWatched = name && name === this.#gateway.watched;
        if (!name || !isPartial(report)) this.#gateway.watch("");
        else if (isOnlyWatched || !this.#history.has(name)) this.#gateway.watch(name);
    }

    /** What follows the reports. */
    #showReport(report) {
        switch (this.#views.name) {
        case "overview":
            this.#overview.show();
            break;
        case "tenant":
            this.#tenant.show(report, this.#views.subject);
            break;
        case "refused":
            this.#refused.show();
            break;
        case "health":
            this.#health.show(report);
            this.#certificates.show();
            this.#reloads.show(report);
            break;
        }
    }

    /** Fills the view; the rest comes with the next report. */
    #showView() {
        if (!this.#isOpen) return;
        this.#showReport(this.#history.latest);
        if (this.#views.name === "revocations") this.#revocations.show();
        if (this.#views.name === "edit") this.#editor.show(this.#views.subject);
    }

    #open() {
        this.#isOpen = true;
        byId("token").value = "";
        byId("lock").hidden = true;
        byId("dashboard").hidden = false;
        this.#views.enter();
        // After the lists of tenants, which this report fills.
        queueMicrotask(() => this.#showView());
    }

    async #reload() {
        // A refused configuration is thrown as a problem; `alerts` shows it too.
        const { result, generation, changes } = await this.#gateway.send("POST", "api/reload");
        announce(result === "applied"
            ? `The configuration is in force as generation ${generation}: ${changes.join("; ")}.`
            : "Nothing has changed in the configuration.");
    }
}

/** Runs `act` at a click, once at a time, and announces its error. */
function onClick(button, act) {
    button.addEventListener("click", async () => {
        button.disabled = true;
        try {
            await act();
        } catch (problem) {
            complain(problem);
        }
        button.disabled = false;
    });
}

new Dashboard();
