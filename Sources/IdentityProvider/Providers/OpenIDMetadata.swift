import Tenants
import Verification

/// What is used of a provider's metadata (OpenID Connect Discovery 1.0 section 3).
struct OpenIDMetadata: Sendable, Equatable {
    let authorizeURL: String
    let tokenURL: String
    let userInfoURL: String?
    /// How clients may prove that they are; without it, by `client_secret_basic`.
    let clientProofs: [String]
    /// Whether each response names the issuer (RFC 9207 section 3).
    let namesIssuer: Bool

    /// Why metadata cannot be used; for the operator.
    enum Fault: String, Error, Sendable, Equatable {
        case noObject = "it is no JSON object"
        case otherIssuer = "it is another issuer's: \"issuer\" must be the configured one to the letter"
        case noEndpoint = "an endpoint is missing or not https (http only on loopback)"
        case noPKCE = "the provider supports PKCE, but not S256"
    }

    /// - Parameters:
    ///   - issuer: As configured. Metadata that names another would let one provider speak for another.
    ///   - allowsPlain: Whether it came over http on loopback itself, and may lead there.
    init(_ body: [UInt8], issuer: String, allowsPlain: Bool) throws(Fault) {
        guard let object = (try? JSONParser.parse(body))?.object else { throw .noObject }
        guard let named = object["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else { throw .otherIssuer }
        func address(_ name: String) -> String? {
            object[name]?.string.flatMap { ProviderAddress.isTrusted($0, allowsPlain: allowsPlain) ? $0 : nil }
        }
        guard let authorizeURL = address("authorization_endpoint"), let tokenURL = address("token_endpoint") else {
            throw .noEndpoint
        }
        let userInfoURL = address("userinfo_endpoint")
        guard userInfoURL != nil || object["userinfo_endpoint"] == nil else { throw .noEndpoint }
        if let methods = object["code_challenge_methods_supported"]?.stringOrStrings, !methods.contains("S256") {
            throw .noPKCE
        }
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
        self.userInfoURL = userInfoURL
        clientProofs =
            object["token_endpoint_auth_methods_supported"]?.stringOrStrings
            ?? [NamedProvider.ClientProof.basic.rawValue]
        namesIssuer = object["authorization_response_iss_parameter_supported"]?.bool ?? false
    }
}
