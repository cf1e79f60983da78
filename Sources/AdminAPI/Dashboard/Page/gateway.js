/** Why the gateway did not do what it was asked, in its own words (RFC 9457). */
class Problem extends Error {
    constructor(status, code, title, detail) {
        super(detail ? `${title}: ${detail}` : title);
        this.status = status;
        this.code = code;
    }

    static async of(response) {
        const told = await response.json().catch(() => ({}));
        return new Problem(response.status, told.code ?? "", told.title ?? `Status ${response.status}`, told.detail);
    }
}

/** Nobody is there any more to hear what came of a question: the page was locked. */
class Locked extends Error {}

/** The admin API. The token goes into a header, so that no page of another site can have it sent. */
class Gateway {
    /** Milliseconds without a byte, heartbeats included, after which a stream is taken for dead. */
    static silence = 10_000;
    static longestPause = 10_000;

    #token = sessionStorage.getItem("gatehouse-token");
    #stream = null;
    /** Of all that is asked until the page is locked. */
    #asking = new AbortController();

    get hasToken() { return this.#token !== null; }
    get isListening() { return this.#stream !== null; }

    /** Takes the token for as long as the tab is open; null forgets it. */
    set token(token) {
        this.#token = token;
        if (token === null) sessionStorage.removeItem("gatehouse-token");
        else sessionStorage.setItem("gatehouse-token", token);
    }

    /** What the gateway answers. Throws a `Problem` where it refuses, `Locked` where the page was locked meanwhile. */
    async ask(method, path, body) {
        const { signal } = this.#asking;
        try {
            const response = await this.#fetch(method, path, body, signal);
            if (!response.ok) throw await Problem.of(response);
            return await response.json();
        } catch (error) {
            throw signal.aborted ? new Locked() : error;
        }
    }

    /** Forgets the token, and ends all that is asked for with it. */
    lock() {
        this.stop();
        this.token = null;
        this.#asking.abort();
        this.#asking = new AbortController();
    }

    /**
     * Listens to reports until `stop()`, and again whenever the stream ends. `heard.report` is told each
     * report, `heard.state` `live` or `lost` with words, `heard.refused` a 401 or 403.
     */
    async listen(heard) {
        this.stop();
        const stream = this.#stream = { abort: new AbortController(), pause: 1000, retry: 1000 };
        while (this.#stream === stream) {
            try {
                await this.#read(stream, heard);
                stream.pause = stream.retry;
            } catch (error) {
                if (this.#stream !== stream) return;
                if (error.status === 401 || error.status === 403) {
                    this.stop();
                    heard.refused(error);
                    return;
                }
                heard.state("lost", error instanceof Problem ? error.message : "no connection");
                stream.pause = Math.min(stream.pause * 2, Gateway.longestPause);
            }
            stream.abort = new AbortController();
            await new Promise(done => setTimeout(done, stream.pause));
        }
    }

    stop() {
        this.#stream?.abort.abort();
        this.#stream = null;
    }

    #fetch(method, path, body, signal) {
        const headers = {};
        if (this.#token !== null) headers.Authorization = `Bearer ${this.#token}`;
        if (body) headers["Content-Type"] = "application/json";
        return fetch(path, { method, headers, signal, cache: "no-store", body: body && JSON.stringify(body) });
    }

    async #read(stream, heard) {
        const abort = stream.abort;
        const response = await this.#fetch("GET", "api/events", undefined, abort.signal);
        if (!response.ok) throw await Problem.of(response);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        const events = new EventReader(data => {
            stream.pause = stream.retry;
            heard.state("live", "live");
            heard.report(JSON.parse(data));
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
 * Server-sent events as HTML's "9.2.6 Interpreting an event stream" has them, from one server that ends its lines by LF.
 * The browser's own EventSource cannot send a header, and a token in a URL would end up in logs.
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
