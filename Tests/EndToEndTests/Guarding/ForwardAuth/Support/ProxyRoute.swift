import Counting
import Tenants
import TestSupport

/// A route to the backend through a proxy that queries the gateway.
struct ProxyRoute: Sendable {
    /// The result of a request.
    struct Outcome: Sendable {
        var response: RawResponse
        /// The request at the backend; nil: none arrived.
        var received: RecordedRequest?

        var status: Int { response.status }

        /// The refusal's code, if the proxy passes on the document.
        var code: String? { Problem(response)?.code }

        /// The identity fields that the backend saw.
        func identity(_ names: [String] = ["X-User-Id", "X-User-Email", "X-User-Role"]) -> [String: [String]] {
            guard let received else { return [:] }
            return names.reduce(into: [:]) { identity, name in
                let values = received.fields[name]
                if !values.isEmpty { identity[name] = values }
            }
        }
    }

    /// Identifies this request at the backend.
    private static let mark = "X-Test-Mark"

    let proxy: RealProxy
    let fixture: GatewayFixture

    /// A new connection to the proxy.
    func connect() async throws -> RawClient {
        fixture.keep(RawClient(try await Wire.connect(to: proxy.address)))
    }

    /// One request on a connection of its own.
    ///
    /// - Parameter fields: Whole field lines, without their CRLF.
    func send(
        _ target: String,
        method: String = "GET",
        host: String = "app.test",
        token: String? = nil,
        fields: [String] = [],
        body: String = ""
    ) async throws -> Outcome {
        let mark = "\(UInt64.random(in: 0 ... .max))"
        var lines = fields + ["\(Self.mark): \(mark)", "Connection: close"]
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        let client = RawClient(try await Wire.connect(to: proxy.address))
        do {
            try await client.send(fixture.head(target, method: method, host: host, token: token, fields: lines) + body)
            let response = try await client.response(to: method)
            await client.close()
            let received = fixture.backend.requests.last { $0.fields[Self.mark] == [mark] }
            return Outcome(response: response, received: received)
        } catch {
            await client.close()
            throw error
        }
    }
}

/// A gateway that trusts a real proxy in front of it.
func withProxy(
    _ kind: RealProxy.Kind,
    _ setup: GatewaySetup = GatewaySetup(),
    backend script: BackendScript = .ok,
    trusting proxies: String = "127.0.0.1/32",
    _ test: (ProxyRoute) async throws -> Void
) async throws {
    var setup = setup
    setup.gateway += "\ntrusted_proxies: [\(proxies)]"
    if kind == .envoyByGRPC { setup.gateway += "\next_authz: { address: \"127.0.0.1:0\" }" }
    try await withGateway(setup, backend: script) { fixture async throws in
        let proxy = try await RealProxy.start(
            kind,
            gateway: fixture.address,
            grpc: fixture.extAuthzAddress,
            backend: fixture.backend.port
        )
        try await attempt {
            try await test(ProxyRoute(proxy: proxy, fixture: fixture))
        } finally: {
            try? await proxy.stop()
        }
    }
}
