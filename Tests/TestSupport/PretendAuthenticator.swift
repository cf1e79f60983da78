@testable package import Verification

/// An authenticator with a real key, and the browser that it is used in.
package struct PretendAuthenticator {
    /// Bits of the authenticator data (WebAuthn Level 2 section 6.1).
    package struct Flags: OptionSet {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let userPresent = Flags(rawValue: 1 << 0)
        package static let userVerified = Flags(rawValue: 1 << 2)
        package static let backupEligible = Flags(rawValue: 1 << 3)
        package static let backedUp = Flags(rawValue: 1 << 4)
        package static let hasCredential = Flags(rawValue: 1 << 6)
    }

    /// A response as bytes, as a browser gives it.
    package struct Response {
        package var clientData: [UInt8]
        /// The attestation object, or the authenticator data.
        package var authenticatorData: [UInt8]
        /// Empty for a registration.
        package var signature: [UInt8] = []
    }

    package static let origin = "https://shop.test"
    package static let relyingParty = "shop.test"
    package static let challenge = (0..<32).map { UInt8($0) }

    package let algorithm: SignatureAlgorithm
    package var flags: Flags = [.userPresent, .userVerified]
    package var count: UInt32 = 0
    package var relyingParty = Self.relyingParty
    package var origin = Self.origin
    package var challenge = Self.challenge
    package var model = [UInt8](repeating: 7, count: 16)
    package var id = (0..<16).map { UInt8(0xA0 + $0) }
    private let key: OpenSSLKey

    package init(_ algorithm: SignatureAlgorithm = .es256) throws {
        self.algorithm = algorithm
        let parameters: OpenSSLKey.GenerationParameters =
            switch algorithm {
            case .es256: .ellipticCurve(.p256)
            case .edDSA: .ed25519
            default: .rsa(bits: 2048)
            }
        guard let key = OpenSSLKey(generating: parameters) else { throw PasskeyFailure.unsupportedKey }
        self.key = key
    }

    package static func expectation(verified: Bool = true) -> PasskeyExpectation {
        PasskeyExpectation(
            challenge: challenge,
            origins: [origin],
            relyingParty: relyingParty,
            requiresUserVerification: verified
        )
    }

    package func clientData(_ type: String, _ changes: JSONObject = [:]) -> [UInt8] {
        var object: JSONObject = [
            "type": .string(type), "challenge": .string(Base64URL.encode(challenge)), "origin": .string(origin),
        ]
        for member in changes.members { object[member.name] = member.value }
        return JSONWriter.bytes(of: object)
    }

    /// In COSE.
    package var publicKey: [UInt8] {
        switch key.publicKey {
        case .ellipticCurve(_, let x, let y):
            CBORText.map([(1, .int(2)), (3, .int(-7)), (-1, .int(1)), (-2, .bytes(x)), (-3, .bytes(y))])
        case .ed25519(let x): CBORText.map([(1, .int(1)), (3, .int(-8)), (-1, .int(6)), (-2, .bytes(x))])
        case .rsa(let n, let e): CBORText.map([(1, .int(3)), (3, .int(-257)), (-1, .bytes(n)), (-2, .bytes(e))])
        case nil: []
        }
    }

    package func signature(over bytes: [UInt8]) -> [UInt8] { key.signature(over: bytes, algorithm) ?? [] }

    package func data(withCredential: Bool) -> [UInt8] {
        var flags = flags
        if withCredential { flags.insert(.hasCredential) }
        var bytes = SHA256.digest(Array(relyingParty.utf8)) + [flags.rawValue]
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        if withCredential { bytes += model + [UInt8(id.count >> 8), UInt8(id.count & 255)] + id + publicKey }
        return bytes
    }

    /// - Parameter isAttested: Whether the credential's own key signs (`packed`).
    package func registered(_ clientData: [UInt8]? = nil, isAttested: Bool = false) -> Response {
        let clientData = clientData ?? self.clientData("webauthn.create")
        let data = data(withCredential: true)
        var statement: [(String, CBORText)] = []
        if isAttested {
            let identifier = COSEKey.algorithms.first { $0.algorithm == algorithm }?.identifier ?? 0
            let signature = signature(over: data + SHA256.digest(clientData))
            statement = [("alg", .int(identifier)), ("sig", .bytes(signature))]
        }
        return Response(
            clientData: clientData,
            authenticatorData: Self.attestation(isAttested ? "packed" : "none", statement, data)
        )
    }

    /// An attestation object.
    package static func attestation(_ format: String, _ statement: [(String, CBORText)], _ data: [UInt8]) -> [UInt8] {
        CBORText.texts([
            ("fmt", .text(format)), ("attStmt", .written(CBORText.texts(statement))), ("authData", .bytes(data)),
        ])
    }

    package func asserted(_ clientData: [UInt8]? = nil, withCredential: Bool = false) -> Response {
        let clientData = clientData ?? self.clientData("webauthn.get")
        let data = data(withCredential: withCredential)
        return Response(
            clientData: clientData,
            authenticatorData: data,
            signature: signature(over: data + SHA256.digest(clientData))
        )
    }

    package func registration(_ clientData: [UInt8]? = nil, isAttested: Bool = false) -> PasskeyRegistration {
        let response = registered(clientData, isAttested: isAttested)
        return PasskeyRegistration(clientData: response.clientData, attestation: response.authenticatorData)
    }

    package func assertion(_ clientData: [UInt8]? = nil, withCredential: Bool = false) -> PasskeyAssertion {
        let response = asserted(clientData, withCredential: withCredential)
        return PasskeyAssertion(
            clientData: response.clientData,
            authenticatorData: response.authenticatorData,
            signature: response.signature
        )
    }
}
