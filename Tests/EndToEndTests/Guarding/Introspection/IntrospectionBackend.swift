import Foundation
import Synchronization
import TestSupport
import Verification

/// An authorization server's introspection endpoint (RFC 7662) over plain TCP. It accepts only what the RFC allows: the
/// method, the gateway's credentials, the form.
final class IntrospectionBackend: Sendable {
    static let clientID = "gate fixture"
    static let clientSecret = "s:e/cret+of the tests"

    private struct State {
        /// Raw responses by token; other tokens are not active.
        var responses: [String: String] = [:]
        var asked: [String] = []
        var complaints: [String] = []
        var gate: Gate?
    }

    private let state = Mutex(State())

    /// The introspected tokens in order.
    var asked: [String] { state.withLock { $0.asked } }

    var complaints: [String] { state.withLock { $0.complaints } }

    /// Makes a token active with these claims.
    func activate(_ token: String, _ claims: JSONObject = [:]) {
        var members: JSONObject = [
            "active": true, "sub": "alice", "aud": "app", "token_type": "Bearer", "exp": TestIssuer.fromNow(3600),
        ]
        for claim in claims.members { members[claim.name] = claim.value }
        let body = JSONWriter.text(of: .object(members))
        respond(
            to: token,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// - Parameter raw: The whole response; empty: the connection is closed instead.
    func respond(to token: String, _ raw: String) {
        state.withLock { $0.responses[token] = raw }
    }

    /// Responses wait until it opens.
    func wait(at gate: Gate?) {
        state.withLock { $0.gate = gate }
    }

    var script: BackendScript {
        BackendScript { [self] exchange in
            let body = try await exchange.body().bytes
            guard let token = self.token(exchange.head, body) else {
                return try await exchange.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
            }
            let (response, gate) = state.withLock { state in
                state.asked.append(token)
                return (state.responses[token], state.gate)
            }
            try await gate?.passed()
            let inactive = "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"active\":false}"
            guard response != "" else { return await exchange.close() }
            try await exchange.send(response ?? inactive)
        }
    }

    private func token(_ head: RequestHead, _ body: [UInt8]) -> String? {
        let credentials = Data("gate+fixture:s%3Ae%2Fcret%2Bof+the+tests".utf8).base64EncodedString()
        let wanted: [(String, [String])] = [
            ("Authorization", ["Basic \(credentials)"]), ("Accept", ["application/json"]),
            ("Content-Type", ["application/x-www-form-urlencoded"]),
        ]
        var complaints = wanted.filter { head.fields[$0.0] != $0.1 }.map { "\($0.0): \(head.fields[$0.0])" }
        if head.method != "POST" || head.target != "/introspect?tenant=1" {
            complaints.append("\(head.method) \(head.target)")
        }
        let pairs = body.text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        if pairs.map(\.first) != ["token", "token_type_hint"] || pairs.last?.last != "access_token" {
            complaints.append("a form with \(pairs.compactMap(\.first))")
        }
        state.withLock { $0.complaints += complaints }
        guard complaints.isEmpty, let text = pairs.first?.last else { return nil }
        return text.replacing("+", with: " ").removingPercentEncoding
    }
}

/// A gateway whose opaque tokens an ``IntrospectionBackend`` knows.
///
/// - Parameters:
///   - keys: Further keys of `introspection`.
///   - tenant: Further keys of the tenant.
func withIntrospection(
    _ keys: String = "cache: 1h",
    tenant: String = "",
    gateway: String = "",
    backend script: BackendScript = .ok,
    _ test: (GatewayFixture, IntrospectionBackend, RecordingBackend) async throws -> Void
) async throws {
    let stub = IntrospectionBackend()
    let server = try await RecordingBackend.start(stub.script)
    let setup = GatewaySetup(
        gateway: gateway,
        tenant: """
            introspection:
              url: "http://127.0.0.1:\(server.port)/introspect?tenant=1"
              client_id: "\(IntrospectionBackend.clientID)"
              client_secret: "\(IntrospectionBackend.clientSecret)"
              audiences: [app]
            \(keys.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
            \(tenant)
            """
    )
    try await attempt {
        try await withGateway(setup, backend: script) { fixture async throws in
            fixture.keepSecret(IntrospectionBackend.clientSecret)
            try await test(fixture, stub, server)
        }
    } finally: {
        await server.stop()
    }
}
