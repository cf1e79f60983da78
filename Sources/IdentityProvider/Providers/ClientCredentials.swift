import Tenants
import Verification

/// How the gateway shows a named provider's token endpoint that it is the client.
struct ClientCredentials: Sendable {
    let parameters: [(name: String, value: String)]
    let fields: [EndpointResponse.Field]

    /// - Parameter supported: What the provider supports (`token_endpoint_auth_methods_supported`).
    init(_ provider: NamedProvider, supported: [String]) {
        guard let secret = provider.clientSecret else {
            parameters = [("client_id", provider.clientID)]
            fields = []
            return
        }
        let text = String(decoding: secret.bytes, as: UTF8.self)
        switch provider.clientProof ?? Self.proof(supported) {
        case .basic:
            // RFC 6749 section 2.3.1: both are encoded as in a form first.
            let pair = "\(FormText.encoded(provider.clientID)):\(FormText.encoded(text))"
            parameters = []
            fields = [.init("Authorization", "Basic \(StandardBase64.encode(Array(pair.utf8)))")]
        case .post:
            parameters = [("client_id", provider.clientID), ("client_secret", text)]
            fields = []
        }
    }

    private static func proof(_ supported: [String]) -> NamedProvider.ClientProof {
        supported.contains(NamedProvider.ClientProof.post.rawValue)
            && !supported.contains(NamedProvider.ClientProof.basic.rawValue) ? .post : .basic
    }
}

/// The secret stays out of descriptions.
extension ClientCredentials: CustomStringConvertible, CustomReflectable {
    var description: String { "<client credentials, redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
