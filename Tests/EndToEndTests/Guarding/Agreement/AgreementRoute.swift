import Tenants
import Verification

/// What a route said to a request.
enum AgreementAnswer: Equatable, CustomStringConvertible {
    /// - Parameter subject: What the backend was told of the caller; nil: nothing.
    case forwarded(subject: String?)
    /// - Parameter code: Nil where the route does not tell it.
    case refused(Int, String?)

    var description: String {
        switch self {
        case .forwarded(let subject): "forward \(subject ?? "nobody")"
        case .refused(let status, let code): "refuse \(status) \(code ?? "?")"
        }
    }

    /// Whether this is the other answer, as far as it tells.
    func agrees(with other: AgreementAnswer) -> Bool {
        guard case .refused(let status, let code) = self, case .refused(let otherStatus, let otherCode) = other else {
            return self == other
        }
        return status == otherStatus && (code == otherCode || code == nil || otherCode == nil)
    }
}

/// A way to the backend of a gateway: its own listener, or another proxy's that asks it.
struct AgreementRoute: Sendable {
    private static let mark = "X-Agreement-Case"

    let name: String
    let address: HostPort
    let fixture: GatewayFixture

    func answers(_ cases: [AgreementCase], _ tokens: [String?]) async throws -> [AgreementAnswer] {
        var answers: [AgreementAnswer] = []
        for (request, token) in zip(cases, tokens) { answers.append(try await answer(request, token)) }
        return answers
    }

    func answer(_ request: AgreementCase, _ token: String?) async throws -> AgreementAnswer {
        let mark = "\(name)-\(request.number)-\(request.target)"
        let sent = request.fields + (token.map { [request.tokenField($0)] } ?? []) + [(name: Self.mark, value: mark)]
        let head = fixture.head(
            request.target,
            method: request.method,
            host: request.tenant.host,
            fields: sent.map { "\($0.name): \($0.value)" } + ["Connection: close"]
        )
        let client = RawClient(try await Wire.connect(to: address))
        do {
            try await client.send(head)
            let response = try await client.response(to: request.method)
            await client.close()
            let received = fixture.backend.requests.last { $0.fields[Self.mark] == [mark] }
            guard let received else { return .refused(response.status, Problem(response)?.code) }
            return .forwarded(subject: received.fields["X-User-Id"].first)
        } catch {
            await client.close()
            throw error
        }
    }
}
