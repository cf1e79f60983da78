// Data from the server is inserted as text only, never as HTML.

const byId = id => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; children that are text stay text. */
function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

function icon(name) {
    const drawn = document.createElementNS(SVG, "svg");
    drawn.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#icon-${name}`);
    drawn.append(use);
    return drawn;
}

const ACTIONS = [
    ["sign_in", "Sign in", "a new session"],
    ["call", "Call", "with my token"],
    ["call_without_token", "Call without a token", "as nobody"],
    ["expire", "Expire my token", "and call again"],
    ["revoke", "Revoke me", "and call again"],
    ["signal", "Report me stolen", "a provider's signal"],
    ["adopt", "Come from before", "a former issuer's token"],
    ["flood", "Flood", "60 calls at once"],
];

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
        byId("scheme-name").textContent = Scheme.#names[name] ?? Scheme.#names[""];
    }
}

/** The list of apps, and the state of my session in each. */
class Apps {
    #sessions = new Map();
    #dots = new Map();
    chosen;

    constructor(apps, changed) {
        for (const app of apps) {
            this.#sessions.set(app.app, app);
            const input = element("input", { type: "radio", name: "app", value: app.app });
            const dot = element("span", { class: "dot", "aria-hidden": "true" });
            this.#dots.set(app.app, dot);
            byId("apps").append(element("label", { class: "choice", "data-app": app.app },
                element("span", { class: "badge", "aria-hidden": "true" }, app.app[0]),
                element("span", {}, element("b", {}, app.app), element("small", {}, new URL(app.url).host)), dot, input));
            input.addEventListener("change", () => {
                this.choose(app.app);
                changed();
            });
        }
        this.choose(apps[0].app);
        byId("apps").querySelector("input").checked = true;
    }

    choose(name) {
        this.chosen = name;
        const app = this.#sessions.get(name);
        byId("app-name").textContent = name;
        byId("app-about").textContent = app.about.charAt(0).toUpperCase() + app.about.slice(1) + ".";
        byId("app-link").href = app.url;
        byId("route-app").textContent = name;
        byId("actions").dataset.adopts = String(app.adopts);
        this.#show();
    }

    /** Takes a session that has changed. */
    update(session) {
        Object.assign(this.#sessions.get(session.app), session);
        this.#show();
    }

    #show() {
        for (const [name, { state }] of this.#sessions) {
            this.#dots.get(name).dataset.state = { valid: "good", revoked: "bad" }[state] ?? "";
        }
        const { state, expires_at: expiresAt } = this.#sessions.get(this.chosen);
        const chip = byId("token");
        chip.dataset.state = { valid: "good", revoked: "bad" }[state] ?? "";
        chip.textContent = state === "revoked" ? "token revoked" : state === "valid"
            ? `signed in until ${Apps.#time(expiresAt)}` : "not signed in";
    }

    static #time(seconds) {
        const date = new Date(seconds * 1000);
        const isToday = date.toDateString() === new Date().toDateString();
        return date.toLocaleString("en-GB", isToday ? { timeStyle: "short" } : { day: "numeric", month: "short" });
    }
}

/** Shows what happens, one step after the other. */
class Trace {
    #list = byId("trace");
    #route = byId("route");
    #phase = "";
    #count = null;
    #calm = matchMedia("(prefers-reduced-motion: reduce)");
    /** What was last answered, for screen readers. */
    verdict = "";

    begin() {
        byId("invitation").hidden = true;
        this.#list.replaceChildren();
        this.#count = null;
        this.verdict = "";
        delete this.#list.dataset.done;
        this.#route.dataset.phase = "idle";
        byId("stage").dataset.active = "";
        if (innerWidth <= 960) byId("stage").scrollIntoView({ behavior: this.#calm.matches ? "auto" : "smooth" });
    }

    end(title) {
        this.#list.dataset.done = "true";
        byId("status").textContent = `${title}: ${this.verdict || "done"}`;
    }

    async show(event) {
        await this.#pause(Trace.#pauses[event.type] ?? 0);
        this[`_${event.type}`]?.(event);
    }

    static #pauses = { request: 250, decision: 650, response: 900, note: 300 };

    #pause(milliseconds) {
        return this.#calm.matches || document.hidden ? null : new Promise(done => setTimeout(done, milliseconds));
    }

    #add(kind, ...children) {
        const step = element("li", { class: `card step ${kind}` }, ...children);
        this.#list.append(step);
        if (!this.#calm.matches) step.scrollIntoView({ behavior: "smooth", block: "nearest" });
    }

    #head(title, chip, state) {
        return element("div", { class: "heading" }, element("h3", {}, title),
            ...chip ? [element("span", { class: "chip", "data-state": state }, chip)] : []);
    }

    #code(first, fields, body) {
        const lines = fields.map(([name, value]) =>
            element("span", {}, element("b", {}, `${name}:`), ` ${value}`));
        return element("code", { class: "code" }, element("span", { class: "first" }, first), ...lines,
            ...body ? [element("span", {}, body)] : []);
    }

    _request({ title, method, url, fields, body, curl }) {
        this.#route.dataset.phase = "asking";
        this.#phase = "answered";
        const copy = element("button", { type: "button" }, icon("copy"), element("span", {}, "Copy"));
        copy.addEventListener("click", async () => {
            await navigator.clipboard.writeText(curl);
            copy.lastChild.textContent = "Copied";
            byId("status").textContent = "The curl line is copied.";
        });
        this.#add("request", this.#head(title), this.#code(`${method} ${url}`, fields, body),
            element("div", { class: "curl" }, element("code", { tabindex: "0", role: "group", "aria-label": "curl line" }, curl), copy));
    }

    _decision({ decision, status, code, steps }) {
        this.#route.dataset.phase = "deciding";
        const refreshes = steps.some(({ text }) => text.startsWith("the session can be refreshed"));
        const isOwn = steps.some(({ step }) => step === "endpoint");
        this.#phase = decision === "forward" ? (isOwn ? "own" : "answered") : refreshes ? "answered" : "refused";
        const [chip, state] = isOwn ? ["answered here", "good"] : decision === "forward" ? ["goes on to the app", "good"]
            : refreshes ? ["refreshed first", "warn"] : [`refused: ${status} ${code}`, "bad"];
        this.#add("decision", this.#head("The gateway decides", chip, state), element("ol", { class: "reasons" },
            ...steps.map(({ step, text, line }, turn) => {
                const reason = element("li", {}, element("b", {}, step), element("span", {}, text),
                    ...line ? [element("small", {}, `tenants.yaml:${line}`)] : []);
                reason.style.setProperty("--turn", turn);
                return reason;
            })));
        if (this.#phase === "answered") setTimeout(() => {
            if (this.#route.dataset.phase === "deciding") this.#route.dataset.phase = "forwarded";
        }, this.#calm.matches ? 0 : 500);
    }

    _response({ status, reason, fields, body }) {
        this.#route.dataset.phase = this.#phase;
        this.verdict = `${status} ${reason}`;
        const state = status < 400 ? "good" : status < 500 ? "bad" : "warn";
        const title = this.#phase === "answered" ? "The response" : "The gateway responds";
        this.#add("response", this.#head(title, `${status} ${reason}`, state),
            ...fields.length ? [this.#code(`HTTP/1.1 ${status} ${reason}`, fields)] : [],
            ...body ? [element("pre", { class: "code", tabindex: "0", role: "group", "aria-label": "body" }, Trace.#pretty(body))] : []);
    }

    _count({ statuses, total }) {
        if (!this.#count) {
            this.#count = element("div", { class: "counts" });
            this.#add("flood", this.#head("The responses"), this.#count);
        }
        this.#count.replaceChildren(...statuses.map(({ status, count }) => {
            const row = element("div", { class: "count", "data-state": status < 400 ? "good" : "bad" },
                element("span", {}, String(status)), element("i", {}), element("span", {}, String(count)));
            row.style.setProperty("--share", Math.round(100 * count / total));
            return row;
        }));
    }

    _note({ text }) {
        this.#add("note", text);
    }

    _failure({ text }) {
        this.#route.dataset.phase = "refused";
        this.verdict = text;
        this.#add("failure", text);
    }

    static #pretty(body) {
        try {
            return JSON.stringify(JSON.parse(body), null, 2);
        } catch {
            return body;
        }
    }
}

/** What the gateway has told the demo's webhook, the latest first. */
class ToldEvents {
    #list = byId("told");
    #shown = "";

    constructor() {
        this.#load();
        setInterval(() => { if (!document.hidden) this.#load(); }, 1000);
    }

    async #load() {
        const { events } = await fetch("demo/events").then(response => response.json()).catch(() => ({ events: [] }));
        const ids = events.map(({ id }) => id).join();
        if (ids === this.#shown) return;
        this.#shown = ids;
        this.#list.replaceChildren(...events.slice(0, 8).map(event => {
            const details = ["code", "count", "reason", "provider", "client_id", "subject", "sid"]
                .filter(name => event[name] !== undefined).map(name => `${name} ${event[name]}`);
            return element("li", {}, element("b", {}, event.type), element("span", {}, details.join(", ")),
                element("small", {}, event.tenant ?? ""));
        }));
        byId("told-none").hidden = events.length > 0;
    }
}

class StartPage {
    #apps;
    #trace = new Trace();
    #isRunning = false;

    constructor(state) {
        this.#apps = new Apps(state.apps, () => {});
        byId("dashboard").href = state.dashboard;
        if (state.tokens_file) {
            byId("file").hidden = false;
            const [file, source] = byId("file").querySelectorAll("code");
            file.textContent = state.tokens_file;
            source.textContent = "source";
        }
        for (const [name, title, about] of ACTIONS) {
            const button = element("button", { type: "button", "data-action": name }, icon(name),
                element("span", {}, element("b", {}, title), " ", element("small", {}, about)));
            button.addEventListener("click", () => this.#run(button, name, title));
            byId("actions").append(button);
        }
    }

    /** Does one thing at a time. Buttons that wait keep the focus. */
    async #run(button, action, title) {
        if (this.#isRunning) return;
        this.#isRunning = true;
        const buttons = byId("actions").querySelectorAll("button");
        for (const other of buttons) other.setAttribute("aria-disabled", "true");
        button.dataset.running = "";
        this.#trace.begin();
        try {
            await this.#follow({ app: this.#apps.chosen, action });
        } catch (problem) {
            await this.#trace.show({ type: "failure", text: problem.message });
        }
        this.#trace.end(title);
        for (const other of buttons) other.removeAttribute("aria-disabled");
        delete button.dataset.running;
        this.#isRunning = false;
    }

    /** Reads one JSON object a line, while they come. */
    async #follow(question) {
        const response = await fetch("demo/try", {
            method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
        });
        if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `status ${response.status}`);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            const lines = (rest + value).split("\n");
            rest = lines.pop();
            for (const line of lines) await this.#take(JSON.parse(line));
        }
    }

    async #take(event) {
        if (event.type === "session") this.#apps.update(event.session);
        else await this.#trace.show(event);
    }
}

new Scheme(byId("scheme"));
new ToldEvents();
fetch("demo/state").then(response => response.json()).then(state => new StartPage(state));
