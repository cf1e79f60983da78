import Tenants
import Verification

/// The site at which a tenant's passkeys are made and used.
struct PasskeySite: Sendable {
    /// Milliseconds that people have to confirm with an authenticator.
    static let patience = 300_000

    let rules: PasskeyRules

    /// Whether browsers use these passkeys on the page of a request.
    func isFor(_ request: EndpointRequest) -> Bool {
        // An IPv6 address has colons of its own, and no passkeys.
        rules.apply(toHost: request.authority.prefix { $0 != ":" })
    }

    func expectation(_ challenge: [UInt8], of request: EndpointRequest) -> PasskeyExpectation {
        // Behind a proxy that does not tell, it may have been either; browsers make passkeys over https alone, except
        // on the same machine.
        let origins =
            request.isSchemeKnown
            ? [request.origin] : ["https://\(request.authority)", "http://\(request.authority)"]
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
