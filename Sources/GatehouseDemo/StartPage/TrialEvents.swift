import NIOCore
import Verification

/// What a trial tells of itself while it runs: one JSON object a line.
struct TrialEvents: Sendable {
    /// Fields of responses that say something of the gateway or the session.
    private static let shownFields: Set<String> = [
        "content-type", "www-authenticate", "x-refreshed-token", "set-cookie", "retry-after", "location",
    ]

    private let stream: AsyncStream<ByteBuffer>.Continuation

    init(_ stream: AsyncStream<ByteBuffer>.Continuation) {
        self.stream = stream
    }

    func note(_ text: String) {
        send(["type": "note", "text": .string(text)])
    }

    /// - Parameters:
    ///   - title: What the request is for.
    ///   - curl: The same request for a shell.
    func request(_ request: TrialRequest, title: String, curl: String) {
        let sent = request.text ?? request.body.map { JSONWriter.text(of: .object($0)) }
        let body = sent.map { ShownText.shortened($0) }
        send([
            "type": "request", "title": .string(title), "method": .string(request.method),
            "url": .string("http://\(request.host)\(request.path)"), "fields": fields(request.fields),
            "body": body.map(JSONValue.string) ?? .null, "curl": .string(curl),
        ])
    }

    /// - Parameter report: Of the admin API.
    func decision(_ report: JSONObject) {
        var event: JSONObject = ["type": "decision"]
        for name in ["decision", "status", "code"] { event[name] = report[name] ?? .null }
        // The last step repeats the decision.
        event["steps"] = .array((report["steps"]?.array ?? []).dropLast())
        send(event)
    }

    func response(_ response: TrialResponse) {
        let shown = response.fields.filter { Self.shownFields.contains($0.name.lowercased()) }
        send([
            "type": "response", "status": .number(JSONNumber(response.status)), "reason": .string(response.reason),
            "fields": fields(shown), "body": .string(ShownText.shortened(response.body)),
        ])
    }

    /// How many requests of a flood got which status up to now.
    func count(_ statuses: [Int: Int], of total: Int) {
        let counts = statuses.sorted { $0.key < $1.key }.map { status, count -> JSONValue in
            ["status": .number(JSONNumber(status)), "count": .number(JSONNumber(count))]
        }
        send(["type": "count", "statuses": .array(counts), "total": .number(JSONNumber(total))])
    }

    /// The state of an app's session has changed.
    func session(_ session: JSONObject) {
        send(["type": "session", "session": .object(session)])
    }

    func failure(_ text: String) {
        send(["type": "failure", "text": .string(text)])
    }

    private func fields(_ fields: [(name: String, value: String)]) -> JSONValue {
        .array(
            fields.map { name, value in
                // The admin token is no longer than other words.
                let shown =
                    name == "Authorization" ? ShownText.shortened(value, longest: 20) : ShownText.shortened(value)
                return .array([.string(name), .string(shown)])
            }
        )
    }

    private func send(_ event: JSONObject) {
        stream.yield(ByteBuffer(string: JSONWriter.text(of: .object(event)) + "\n"))
    }
}
