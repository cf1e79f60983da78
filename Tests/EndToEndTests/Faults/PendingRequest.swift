import Testing

extension GatewaySetup {
    /// A gateway in which the server of `app` fails. `patient`, on `patient.test`, has the same server and waits for it
    /// longer than any test; `neighbour`, on `neighbour.test`, has a healthy server of its own. All three are served by
    /// one event loop.
    ///
    /// - Parameter backend: Further keys of `app`'s backend.
    static func failing(server: String = "{backend}", backend: String = "", gateway: String = "") -> GatewaySetup {
        let others = [
            tenant("neighbour", "servers: [\"{other}\"]"),
            tenant("patient", "servers: [\"\(server)\"], timeouts: { connect: 60s, response: 60s }"),
        ]
        let further = backend.isEmpty ? "" : ", \(backend)"
        return GatewaySetup(
            gateway: gateway,
            tenant: "backend: { servers: [\"\(server)\"]\(further) }",
            others: others.joined(separator: "\n")
        )
    }

    private static func tenant(_ name: String, _ backend: String) -> String {
        """
        \(name):
          hosts: [\(name).test]
          backend: { \(backend) }
          authenticate:
            issuers: [{ issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }]
          access:
            - { path: /open/**, allow: anyone }
        """
    }
}

extension GatewayFixture {
    /// Expects the other tenant's requests to succeed.
    func expectNeighbourServed(times: Int = 5, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<times {
            for request in try await sendBoth("/open/x", host: "neighbour.test") {
                let response = try await request.response()
                #expect(response.status == 200, "over \(request.version)", sourceLocation: sourceLocation)
                #expect(response.body.text == "ok", "over \(request.version)", sourceLocation: sourceLocation)
                await request.close()
            }
        }
    }

    /// The same request over HTTP/1.1 and over HTTP/2, each on a connection of its own.
    func sendBoth(
        _ path: String,
        host: String = "app.test",
        method: String = "GET",
        body: String? = nil
    ) async throws -> [PendingRequest] {
        let first = try await connect()
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        try await first.send(head(path, method: method, host: host, fields: length) + (body ?? ""))
        let second = try await http2()
        let stream = try await second.open(path, method: method, authority: host, body: body.map { Array($0.utf8) })
        return [.http1(first, method: method), .http2(second, stream: stream, method: method)]
    }

    /// Waits until `count` attempts at `app`'s server have this outcome.
    func expectCounted(_ outcome: String, _ count: Double) async throws {
        let labels = ["tenant": "app", "outcome": outcome]
        _ = try await metrics { $0.value("gatehouse_backend_requests_total", labels) == count }
    }

    /// Waits for `count` of `app`'s requests to be counted with this code and status.
    func expectRefused(_ code: String, _ status: Int, _ count: Double) async throws {
        _ = try await metrics { metrics in
            metrics.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": code]) == count
                && metrics.value("gatehouse_requests_total", ["tenant": "app", "status": "\(status)"]) == count
        }
    }
}

/// A request under way, over either version.
enum PendingRequest: Sendable {
    case http1(RawClient, method: String)
    case http2(HTTP2Client, stream: Int, method: String)

    var version: String {
        switch self {
        case .http1: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    func response() async throws -> RawResponse {
        switch self {
        case .http1(let client, let method): try await client.response(to: method)
        case .http2(let client, let stream, let method): try await client.response(on: stream, to: method)
        }
    }

    /// Expects the beginning of a response, and a visibly premature end.
    func expectCut(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        switch self {
        case .http1(let client, let method):
            let head = try await client.head(to: method)
            #expect(head.status == 200, sourceLocation: sourceLocation)
            await #expect(throws: Truncated.self, sourceLocation: sourceLocation) {
                try await client.body(head.framing)
            }
        case .http2(let client, let stream, _):
            guard case .fields(let fields, end: false) = try await client.event(on: stream) else {
                Issue.record("no answer was begun over HTTP/2", sourceLocation: sourceLocation)
                return
            }
            #expect(try HTTP2Client.head(fields).status == 200, sourceLocation: sourceLocation)
            var last = try await client.event(on: stream)
            while case .data(_, end: false) = last { last = try await client.event(on: stream) }
            #expect(last == .reset(.internalError), sourceLocation: sourceLocation)
        }
    }

    func close() async {
        switch self {
        case .http1(let client, _): await client.close()
        case .http2(let client, _, _): await client.raw.close()
        }
    }
}
