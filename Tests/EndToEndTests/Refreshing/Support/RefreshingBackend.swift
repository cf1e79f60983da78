import Synchronization
import TestSupport
import Verification

/// A backend that rejects some tokens as past, and issues new ones at ``refreshPath``.
final class RefreshingBackend: Sendable {
    typealias Step = @Sendable (Exchange) async throws -> Void

    private struct State {
        var past: [String] = []
        var refresh: Step = { try await $0.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }
    }

    static let refreshPath = "/auth/refresh"
    /// The response to a past token.
    static let unauthorized =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"backend\"\r\nX-Of-The-Backend: 1\r\n"
        + "Content-Length: 4\r\n\r\n"

    private let state = Mutex(State())

    // MARK: State

    /// Makes the backend reject these tokens.
    func end(_ tokens: String...) {
        state.withLock { $0.past += tokens }
    }

    func isPast(_ text: String) -> Bool {
        state.withLock { $0.past.contains { text.contains($0) } }
    }

    /// Whether the request comes with a past token, wherever that is.
    func isPast(_ head: RequestHead) -> Bool {
        isPast(head.target + "\n" + head.fields.description)
    }

    // MARK: Refresh responses

    /// The request's body is read before.
    func onRefresh(_ step: @escaping Step) {
        state.withLock { $0.refresh = step }
    }

    func give(_ response: JSONObject, status: Int = 200) {
        let text = JSONWriter.text(of: .object(response))
        onRefresh { exchange in
            try await exchange.send(
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            )
        }
    }

    /// A new access token in the form of ``GatewaySetup/refreshing(_:call:deliver:tenant:)``.
    func give(token: String) {
        give(["token": .string(token)])
    }

    // MARK: The backend

    /// 401 to past tokens; `otherwise` for all others.
    func script(otherwise good: BackendScript = .okOrHead) -> BackendScript {
        BackendScript { exchange in
            guard exchange.head.path != Self.refreshPath else {
                try await exchange.body()
                let refresh = self.state.withLock { $0.refresh }
                return try await refresh(exchange)
            }
            guard self.isPast(exchange.head) else { return try await good.run(exchange) }
            try await exchange.body()
            try await exchange.send(Self.unauthorized + (exchange.head.method == "HEAD" ? "" : "past"))
        }
    }
}

extension BackendScript {
    /// 200 with the body "ok", except for HEAD.
    static let okOrHead = BackendScript { exchange in
        try await exchange.body()
        guard exchange.head.method == "HEAD" else { return try await exchange.sendOK() }
        try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
    }
}

extension GatewaySetup {
    /// A tenant whose bearer tokens the backend refreshes itself.
    ///
    /// - Parameters:
    ///   - keys: Further keys of `refresh`.
    ///   - tenant: Further keys of the tenant.
    static func refreshing(
        _ keys: String...,
        call: String = "path: \(RefreshingBackend.refreshPath), send: bearer, access_token: /token",
        deliver: String = "header: X-Refreshed-Token",
        tenant: String = ""
    ) -> GatewaySetup {
        let all = keys + ["call: { \(call) }", "deliver: { \(deliver) }"]
        return GatewaySetup(tenant: "refresh: { \(all.joined(separator: ", ")) }\n\(tenant)")
    }

    /// A tenant whose clients have both their tokens in cookies.
    ///
    /// - Parameter tenant: Further keys of the tenant.
    static func refreshingCookies(_ keys: String..., call: String? = nil, tenant: String = "") -> GatewaySetup {
        let ordinary = "path: \(RefreshingBackend.refreshPath), send: refresh_token_json"
        let all =
            keys + [
                "from: \"cookie:refresh\"", "call: { \(call ?? ordinary) }",
                "deliver: { cookies: { access: /access_token, refresh: /refresh_token } }",
            ]
        return GatewaySetup(
            tenant: """
                authenticate: { from: ["cookie:access", bearer], issuers: [ \(TestIssuer.entry) ] }
                refresh: { \(all.joined(separator: ", ")) }
                \(tenant)
                """
        )
    }
}

/// A gateway in front of a ``RefreshingBackend``.
func withStub(
    _ setup: GatewaySetup = .refreshing(),
    values: [String: String] = [:],
    otherwise good: BackendScript = .okOrHead,
    _ test: (GatewayFixture, RefreshingBackend) async throws -> Void
) async throws {
    let stub = RefreshingBackend()
    try await withGateway(setup, backend: stub.script(otherwise: good), values: values) { fixture async throws in
        try await test(fixture, stub)
    }
}

/// What a refresh returns.
enum RefreshedTokens {
    /// An access token in the form of ``GatewaySetup/refreshing(_:call:deliver:tenant:)``.
    case token
    /// In the form of ``GatewaySetup/refreshingCookies(_:call:tenant:)``.
    case pair
}

/// A gateway in front of a ``RefreshingBackend`` that rejects the old token of a session.
///
/// - Parameter tokens: Nil: the refresh fails.
func withEndedSession(
    _ setup: GatewaySetup = .refreshing(),
    otherwise good: BackendScript = .okOrHead,
    giving tokens: RefreshedTokens? = nil,
    _ test: (GatewayFixture, RefreshingBackend, SampleSession) async throws -> Void
) async throws {
    try await withStub(setup, otherwise: good) { fixture, stub async throws in
        let session = try fixture.session()
        stub.end(session.old)
        switch tokens {
        case .token: stub.give(token: session.new)
        case .pair: stub.give(session.pair)
        case nil: break
        }
        try await test(fixture, stub, session)
    }
}

/// A gateway whose tenant refreshes at another server: `{provider}` in the setup.
func withProvider(
    _ setup: GatewaySetup,
    _ provider: BackendScript,
    _ test: (GatewayFixture, RefreshingBackend, RecordingBackend) async throws -> Void
) async throws {
    let provider = try await RecordingBackend.start(provider)
    try await attempt {
        let values = ["provider": "http://127.0.0.1:\(provider.port)"]
        try await withStub(setup, values: values) { fixture, stub async throws in
            try await test(fixture, stub, provider)
        }
    } finally: {
        await provider.stop()
    }
}
