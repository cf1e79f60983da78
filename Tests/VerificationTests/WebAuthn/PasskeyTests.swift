import TestSupport
import Testing

@testable import Verification

/// Making a passkey and signing in with it.
struct PasskeyTests {
    private static let expectation = PretendAuthenticator.expectation()

    @Test(arguments: [SignatureAlgorithm.es256, .edDSA, .rs256], [false, true])
    func passkeyThatWasMadeSignsIn(_ algorithm: SignatureAlgorithm, isAttested: Bool) throws {
        var authenticator = try PretendAuthenticator(algorithm)
        let passkey = try authenticator.registration(isAttested: isAttested).credential(Self.expectation)
        #expect(passkey.id == authenticator.id && passkey.model == authenticator.model)
        #expect(passkey.signatureCount == 0 && !passkey.isBackupEligible)
        authenticator.count = 5
        let used = try authenticator.assertion().verify(passkey, Self.expectation)
        #expect(used.signatureCount == 5)
        // The same response again is one whose counter did not grow.
        #expect(throws: PasskeyFailure.counterWentBack) {
            try authenticator.assertion().verify(used, Self.expectation)
        }
    }

    @Test func authenticatorThatDoesNotCountSignsInAgain() throws {
        let authenticator = try PretendAuthenticator()
        let passkey = try authenticator.registration().credential(Self.expectation)
        for _ in 0..<2 { #expect(try authenticator.assertion().verify(passkey, Self.expectation) == passkey) }
    }

    /// What a browser says must be of this site, request and ceremony.
    @Test func clientDataOfOtherCeremoniesIsRefused() throws {
        let authenticator = try PretendAuthenticator()
        let passkey = try authenticator.registration().credential(Self.expectation)
        func get(_ changes: JSONObject) -> [UInt8] { authenticator.clientData("webauthn.get", changes) }
        let cases: [(clientData: [UInt8], PasskeyFailure)] = [
            (authenticator.clientData("webauthn.create"), .wrongCeremony),
            (get(["origin": "https://evil.test"]), .wrongOrigin("https://evil.test")),
            (get(["origin": "http://shop.test"]), .wrongOrigin("http://shop.test")),
            (get(["origin": "https://shop.test:8443"]), .wrongOrigin("https://shop.test:8443")),
            (get(["challenge": "AQID"]), .wrongChallenge),
            (get(["crossOrigin": true]), .framed), (get(["crossOrigin": "no"]), .framed),
            (get(["topOrigin": "https://evil.test"]), .framed),
            (get(["tokenBinding": ["status": "present", "id": "x"]]), .tokenBound),
            (Array("{}".utf8), .malformed("clientDataJSON")), ([], .malformed("clientDataJSON")),
        ]
        for (clientData, failure) in cases {
            #expect(throws: failure) { try authenticator.assertion(clientData).verify(passkey, Self.expectation) }
        }
        #expect(throws: PasskeyFailure.wrongCeremony) {
            try authenticator.registration(get([:])).credential(Self.expectation)
        }
        _ = try authenticator.assertion(get(["tokenBinding": ["status": "supported"]])).verify(
            passkey,
            Self.expectation
        )
    }

    @Test func authenticatorMustBeUsedForThisSiteByItsOwner() throws {
        var authenticator = try PretendAuthenticator()
        let passkey = try authenticator.registration().credential(Self.expectation)
        authenticator.relyingParty = "evil.test"
        #expect(throws: PasskeyFailure.wrongRelyingParty) {
            try authenticator.assertion().verify(passkey, Self.expectation)
        }
        authenticator.relyingParty = PretendAuthenticator.relyingParty
        authenticator.flags = [.userVerified]
        #expect(throws: PasskeyFailure.userNotPresent) {
            try authenticator.assertion().verify(passkey, Self.expectation)
        }
        authenticator.flags = [.userPresent]
        #expect(throws: PasskeyFailure.userNotVerified) {
            try authenticator.assertion().verify(passkey, Self.expectation)
        }
        _ = try authenticator.assertion().verify(passkey, PretendAuthenticator.expectation(verified: false))
    }

    /// Only what is made has a credential in what the authenticator signs.
    @Test func assertionWithCredentialIsRefused() throws {
        let authenticator = try PretendAuthenticator()
        let passkey = try authenticator.registration().credential(Self.expectation)
        #expect(throws: PasskeyFailure.malformed("authenticatorData")) {
            try authenticator.assertion(withCredential: true).verify(passkey, Self.expectation)
        }
    }

    @Test func anothersKeyIsRefused() throws {
        let (alice, mallory) = (try PretendAuthenticator(), try PretendAuthenticator())
        let passkey = try alice.registration().credential(Self.expectation)
        #expect(throws: PasskeyFailure.badSignature) { try mallory.assertion().verify(passkey, Self.expectation) }
    }

    @Test func backupStatesThatCannotBeAreRefused() throws {
        var authenticator = try PretendAuthenticator()
        authenticator.flags.insert(.backedUp)
        #expect(throws: PasskeyFailure.malformed("flags")) {
            try authenticator.registration().credential(Self.expectation)
        }
        authenticator.flags.insert(.backupEligible)
        let passkey = try authenticator.registration().credential(Self.expectation)
        #expect(passkey.isBackupEligible && passkey.isBackedUp)
        authenticator.flags.remove(.backedUp)
        #expect(try !authenticator.assertion().verify(passkey, Self.expectation).isBackedUp)
        authenticator.flags.remove(.backupEligible)
        #expect(throws: PasskeyFailure.backupEligibilityChanged) {
            try authenticator.assertion().verify(passkey, Self.expectation)
        }
    }

    @Test func attestationOfAnotherCredentialIsRefused() throws {
        let (alice, mallory) = (try PretendAuthenticator(), try PretendAuthenticator())
        let clientData = alice.clientData("webauthn.create")
        let data = alice.data(withCredential: true)
        let signature = mallory.signature(over: data + SHA256.digest(clientData))
        func registration(_ format: String, _ statement: [(String, CBORText)]) -> PasskeyRegistration {
            let object = PretendAuthenticator.attestation(format, statement, data)
            return PasskeyRegistration(clientData: clientData, attestation: object)
        }
        let cases: [(PasskeyRegistration, PasskeyFailure)] = [
            (registration("packed", [("alg", .int(-7)), ("sig", .bytes(signature))]), .badAttestation),
            (registration("packed", [("sig", .bytes(signature))]), .badAttestation),
            (registration("packed", [("alg", .int(-8)), ("sig", .bytes(signature))]), .badAttestation),
            (registration("none", [("alg", .int(-7))]), .badAttestation),
            (registration("tpm", []), .unsupportedAttestation("tpm")),
        ]
        for (registration, failure) in cases {
            #expect(throws: failure) { try registration.credential(Self.expectation) }
        }
    }

    /// Whatever one byte of a response is changed to, it is refused: everything is signed, or compared.
    @Test func changedResponsesAreRefused() throws {
        let authenticator = try PretendAuthenticator(.edDSA)
        let passkey = try authenticator.registration().credential(Self.expectation)
        let response = authenticator.asserted()
        var random = SplitMix64(seed: 9)
        for _ in 0..<500 {
            var parts = [response.clientData, response.authenticatorData, response.signature]
            let part = Int.random(in: 0..<3, using: &random)
            let index = Int.random(in: 0..<parts[part].count, using: &random)
            parts[part][index] ^= UInt8.random(in: 1...255, using: &random)
            let assertion = PasskeyAssertion(clientData: parts[0], authenticatorData: parts[1], signature: parts[2])
            #expect(throws: PasskeyFailure.self) { try assertion.verify(passkey, Self.expectation) }
        }
    }
}
