import Authorization
import ExtAuthz
import ProxyTestSupport
import Tenants
import Testing
import UpstreamTestSupport

@testable import Gateway

/// Envoy's queries to one loop, without a socket.
final class ExtAuthzPipeline {
    static let envoy = "10.0.0.1"
    let fixture: EmbeddedWorker
    private let peer: Peer

    init(_ tenants: [Tenant]) throws {
        fixture = EmbeddedWorker(tenants)
        peer = try RequestPipeline.peer(Self.envoy, trusted: true)
    }

    /// The response; nil if it did not come at once.
    func ask(_ request: QueriedRequest) -> CheckReply? {
        var answer: CheckReply?
        ExtAuthzQuery(fixture.worker, peer) { answer = $0 }.decide(request)
        return answer
    }

    func changes(_ request: QueriedRequest) throws -> RequestChanges {
        guard case .granted(let changes) = try #require(ask(request)) else {
            throw Unexpected(description: "no grant")
        }
        return changes
    }

    func denial(_ request: QueriedRequest) throws -> Denial {
        guard case .denied(let status, let fields, let body) = try #require(ask(request)) else {
            throw Unexpected(description: "no refusal")
        }
        let pairs = fields.map { (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
        return Denial(status: status, fields: pairs, body: String(decoding: body, as: UTF8.self))
    }

    struct Denial {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: String
    }

    struct Unexpected: Error {
        var description: String
    }

    /// GET of `path` at `app.test`, of a client that is connected to Envoy.
    static func request(
        _ path: String = "/",
        method: String = "GET",
        host: String = "app.test",
        token: String? = nil,
        version: String = "HTTP/2",
        fields: [(String, String)] = [],
        source: String? = "203.0.113.7"
    ) -> QueriedRequest {
        let authorization = token.map { [("authorization", "Bearer \($0)")] } ?? []
        return QueriedRequest(
            method: Array(method.utf8),
            path: Array(path.utf8),
            host: Array(host.utf8),
            scheme: Array("https".utf8),
            version: version,
            fields: (authorization + fields).map { AuthzField(name: Array($0.0.utf8), value: Array($0.1.utf8)) },
            source: source.map { Array($0.utf8) }
        )
    }
}

extension RequestChanges {
    var setTexts: [String] {
        self.set.map { String(decoding: $0.name + Array(": ".utf8) + $0.value, as: UTF8.self) }
    }

    var removeTexts: [String] { remove.map { String(decoding: $0, as: UTF8.self) } }
}
