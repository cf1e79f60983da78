import Tenants
import Verification

extension ExchangeEndpoints {
    /// Signs in the holder of a named provider's ID token, which works once: `{ "id_token", "nonce"? }`.
    func exchange(
        _ request: EndpointRequest,
        _ provider: NamedProvider,
        _ rules: NamedProvider.Exchange
    ) async throws(EarlySignInResponse) -> Exchanged {
        let exchange = try await mappingErrors(EarlySignInResponse.init) { () async throws(EndpointRefusal) in
            let body = try ExchangeBody(request, members: ["id_token", "nonce", "email"])
            guard let token = try body.text("id_token") else {
                throw .missing("send the provider's ID token: { \"id_token\": …, \"nonce\": … }")
            }
            let nonce = try body.text("nonce")
            let checked = try await checks.namedIdentity(provider, idToken: token, nonce: nonce, at: request.now)
            if rules.then == .forward { try body.checkEmail(checked.identity) }
            return TokenExchange(request: request, nonce: nonce, identityToken: token, token: checked)
        }
        switch rules.then {
        case .forward: return try await forward(exchange)
        case .issue: return try await issue(exchange)
        }
    }
}

extension SignIn {
    /// The provider whose ID tokens are posted to a path.
    ///
    /// - Parameter path: As the client sent it. It is compared as the table of endpoints does at its most lenient, so that
    ///   no spelling of a path that is an endpoint finds none here.
    func named(at path: String) -> NamedProvider? {
        guard let wanted = Self.folded(path) else { return nil }
        return named.first { $0.exchange.flatMap { Self.folded($0.path.description) } == wanted }
    }

    private static func folded(_ path: String) -> [UInt8]? {
        guard var bytes = PercentEncoding.decode(path.utf8) else { return nil }
        if bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes.map(\.lowercasedASCII)
    }
}
