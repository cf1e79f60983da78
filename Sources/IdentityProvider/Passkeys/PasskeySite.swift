import Tenants
import Verification

/// The site at which a tenant's passkeys are made and used.
struct PasskeySite: Sendable {
    /// Milliseconds that people have to confirm with an authenticator.
    static let patience = 300_000

    let rules: PasskeyRules
    /// Hosts with their ports where passkeys are used over TLS: those that the configuration names. A request names its own
    /// host, and whoever relays another site's response would name that site's.
    private let authorities: Set<String>

    init(_ rules: PasskeyRules, of tenant: Tenant) {
        self.rules = rules
        var authorities: Set<String> = []
        for case .exact(let host) in tenant.hosts { authorities.insert(host) }
        for url in [tenant.signIn?.web?.after, tenant.issuer?.url].compactMap(\.self) {
            guard url.hasPrefix("https://") else { continue }
            authorities.insert(url.dropFirst(8).prefix { !"/?#".contains($0) }.lowercased())
        }
        self.authorities = authorities
    }

    /// Whether browsers use these passkeys on the page of a request.
    func isFor(_ request: EndpointRequest) -> Bool {
        // An IPv6 address has colons of its own, and no passkeys.
        rules.apply(toHost: request.authority.prefix { $0 != ":" })
            && (isLocal(request) || authorities.contains(Self.withoutDefaultPort(request.authority)))
    }

    /// Browsers make passkeys without TLS, and on any port, on the same machine alone.
    private func isLocal(_ request: EndpointRequest) -> Bool { request.authority.prefix { $0 != ":" } == "localhost" }

    private static func withoutDefaultPort(_ authority: String) -> String {
        authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
    }

    func expectation(_ challenge: [UInt8], of request: EndpointRequest) -> PasskeyExpectation {
        let secure = "https://\(Self.withoutDefaultPort(request.authority))"
        let origins = isLocal(request) ? [secure, "http://\(request.authority)"] : [secure]
        return PasskeyExpectation(
            challenge: challenge,
            origins: origins,
            relyingParty: rules.relyingParty,
            requiresUserVerification: true
        )
    }

    /// The options for a new passkey (WebAuthn Level 2 section 5.4, in the JSON of Level 3 section 5.1.8): one that is
    /// found without a name, by an authenticator that checks who uses it.
    func creationOptions(_ challenge: [UInt8], for account: Account) -> JSONObject {
        let displayed = account.name ?? account.email ?? rules.name
        let algorithms = PasskeyCredential.offeredAlgorithms.map { identifier in
            JSONValue.object(["type": "public-key", "alg": .number(JSONNumber(identifier))])
        }
        let known = account.passkeys.map { passkey in
            JSONValue.object(["type": "public-key", "id": .bytes(passkey.credential.id)])
        }
        return [
            "rp": .object(["id": .string(rules.relyingParty), "name": .string(rules.name)]),
            "user": .object([
                "id": .bytes(AccountPasskey.userHandle(ofSubject: account.subject)),
                "name": .string(account.email ?? displayed), "displayName": .string(displayed),
            ]),
            "challenge": .bytes(challenge),
            "pubKeyCredParams": .array(algorithms),
            "timeout": .number(JSONNumber(Self.patience)),
            "excludeCredentials": .array(known),
            "authenticatorSelection": .object([
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ]),
            "attestation": "none",
        ]
    }
}
