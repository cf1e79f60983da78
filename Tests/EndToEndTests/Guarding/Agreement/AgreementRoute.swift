import Tenants
import Verification

/// The result of a request on a route.
enum AgreementResult: Equatable, CustomStringConvertible {
    /// - Parameter subject: The caller that the backend saw; nil: none.
    case forwarded(subject: String?)
    /// - Parameter code: Nil if the route does not show it.
    case refused(Int, String?)

    var description: String {
        switch self {
        case .forwarded(let subject): "forward \(subject ?? "nobody")"
        case .refused(let status, let code): "refuse \(status) \(code ?? "?")"
        }
    }

    /// Whether both results agree, as far as they are known.
    func agrees(with other: AgreementResult) -> Bool {
        guard case .refused(let status, let code) = self, case .refused(let otherStatus, let otherCode) = other else {
            return self == other
        }
        return status == otherStatus && (code == otherCode || code == nil || otherCode == nil)
    }
}

/// A route to the backend: the gateway's own listener, or that of a proxy that queries it.
struct AgreementRoute: Sendable {
    private static let mark = "X-Agreement-Case"

    let name: String
    let address: HostPort
    let fixture: GatewayFixture

    func results(_ cases: [AgreementCase], _ tokens: [String?]) async throws -> [AgreementResult] {
        var results: [AgreementResult] = []
        for (request, token) in zip(cases, tokens) { results.append(try await result(request, token)) }
        return results
    }

    func result(_ request: AgreementCase, _ token: String?) async throws -> AgreementResult {
        let mark = "\(name)-\(request.number)-\(request.target)"
        let sent = request.fields + (token.map { [request.tokenField($0)] } ?? []) + [(name: Self.mark, value: mark)]
        let head = fixture.head(
            request.target,
            method: request.method,
            host: request.tenant.host,
            fields: sent.map { "\($0.name): \($0.value)" } + ["Connection: close"]
        )
        // Of thousands of requests only those after this moment are looked through.
        let before = fixture.backend.requests.count
        let client = RawClient(try await Wire.connect(to: address))
        do {
            try await client.send(head)
            let response = try await client.response(to: request.method)
            await client.close()
            let received = fixture.backend.requests.dropFirst(before).last { $0.fields[Self.mark] == [mark] }
            guard let received else { return .refused(response.status, Problem(response)?.code) }
            return .forwarded(subject: received.fields["X-User-Id"].first)
        } catch {
            await client.close()
            throw error
        }
    }
}
