/** An error response of the admin API (RFC 9457). */
class Problem extends Error {
    constructor(status, body) {
        const title = body.title ?? `Status ${status}`;
        super(body.detail ? `${title}: ${body.detail}` : title);
        this.status = status;
        this.code = body.code ?? "";
        this.body = body;
    }

    static async of(response) {
        return new Problem(response.status, await response.json().catch(() => ({})));
    }
}

/** The page was locked during a request, so its result is not shown. */
class Locked extends Error {}

/** The admin API. The token is sent in a header, so that pages of other sites cannot use it. */
class Gateway {
    /** Milliseconds without a byte, including heartbeats, after which a stream counts as broken. */
    static silence = 10_000;
    static maximumPause = 10_000;

    #token = sessionStorage.getItem("gatehouse-token");
    #stream = null;
    /** A tenant that the reports must have; "" for none. */
    #watched = "";
    /** Aborts all requests when the page is locked. */
    #requests = new AbortController();

    get hasToken() { return this.#token !== null; }
    get isListening() { return this.#stream !== null; }
    get watched() { return this.#watched; }

    /** Has the reports contain a tenant, however few requests it has; "" for none. */
    watch(name) {
        if (name === this.#watched) return;
        this.#watched = name;
        if (!this.#stream) return;
        this.#stream.isOther = true;
        this.#stream.abort.abort();
    }

    /** Stores the token until the tab is closed; null removes it. */
    set token(token) {
        this.#token = token;
        if (token === null) sessionStorage.removeItem("gatehouse-token");
        else sessionStorage.setItem("gatehouse-token", token);
    }

    /**
     * Sends a request; a body that is text is YAML. Throws a `Problem` for an error response, `Locked` if the page was locked
     * meanwhile.
     */
    async send(method, path, body, fields = {}) {
        const { signal } = this.#requests;
        try {
            const response = await this.#fetch(method, path, body, signal, fields);
            if (!response.ok) throw await Problem.of(response);
            return await response.json();
        } catch (error) {
            throw signal.aborted ? new Locked() : error;
        }
    }

    /** Removes the token and aborts all requests. */
    lock() {
        this.stop();
        this.#watched = "";
        this.token = null;
        this.#requests.abort();
        this.#requests = new AbortController();
    }

    /**
     * Listens to reports until `stop()`, reconnecting when the stream ends. Calls `handlers.report` with each report,
     * `handlers.state` with `live` or `lost` and a text, and `handlers.refused` for a 401 or 403.
     */
    async listen(handlers) {
        this.stop();
        const stream = this.#stream = { abort: new AbortController(), pause: 1000, retry: 1000 };
        while (this.#stream === stream) {
            try {
                await this.#read(stream, handlers);
                stream.pause = stream.retry;
            } catch (error) {
                if (this.#stream !== stream) return;
                if (stream.isOther) {
                    stream.isOther = false;
                    stream.abort = new AbortController();
                    continue;
                }
                if (error.status === 401 || error.status === 403) {
                    this.stop();
                    handlers.refused(error);
                    return;
                }
                handlers.state("lost", error instanceof Problem ? error.message : "no connection");
                stream.pause = Math.min(stream.pause * 2, Gateway.maximumPause);
            }
            stream.abort = new AbortController();
            await new Promise(done => setTimeout(done, stream.pause));
        }
    }

    stop() {
        this.#stream?.abort.abort();
        this.#stream = null;
    }

    #fetch(method, path, body, signal, fields = {}) {
        const headers = { ...fields };
        if (this.#token !== null) headers.Authorization = `Bearer ${this.#token}`;
        const isText = typeof body === "string";
        if (body !== undefined) headers["Content-Type"] = isText ? "application/yaml" : "application/json";
        return fetch(path, { method, headers, signal, cache: "no-store", body: isText ? body : body && JSON.stringify(body) });
    }

    async #read(stream, handlers) {
        const abort = stream.abort;
        const query = this.#watched ? `?${new URLSearchParams({ tenant: this.#watched })}` : "";
        const response = await this.#fetch("GET", `api/events${query}`, undefined, abort.signal);
        if (!response.ok) throw await Problem.of(response);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        const events = new EventReader(data => {
            stream.pause = stream.retry;
            handlers.state("live", "live");
            handlers.report(JSON.parse(data));
        }, retry => { stream.retry = retry; });
        let watch;
        try {
            for (;;) {
                clearTimeout(watch);
                watch = setTimeout(() => abort.abort(), Gateway.silence);
                const { value, done } = await reader.read();
                if (done) return;
                events.feed(value);
            }
        } finally {
            clearTimeout(watch);
        }
    }
}

/**
 * Parses server-sent events (HTML, section 9.2.6) of a server that ends lines with LF. EventSource cannot send a header,
 * and a token in a URL would end up in logs.
 */
class EventReader {
    #rest = "";
    #data = [];
    #event;
    #retry;

    constructor(event, retry) {
        this.#event = event;
        this.#retry = retry;
    }

    feed(text) {
        const lines = (this.#rest + text).split("\n");
        this.#rest = lines.pop();
        for (const line of lines) this.#line(line);
    }

    #line(line) {
        if (line === "") {
            if (this.#data.length) this.#event(this.#data.join("\n"));
            this.#data = [];
            return;
        }
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "data") this.#data.push(value);
        else if (name === "retry" && /^\d+$/.test(value)) this.#retry(Number(value));
    }
}
