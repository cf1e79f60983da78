import Testing
import Verification

@testable import Gateway

/// Real keys as providers publish them.
enum SampleKeys {
    /// A set of this many new P-256 keys.
    static func keySet(_ count: Int = 1) throws -> [UInt8] {
        let keys = try (0..<count).map { _ in
            JSONValue.object(try #require(try SigningKey.generate(.p256).publicJWK(algorithm: .es256)))
        }
        let object: JSONObject = ["keys": .array(keys)]
        return JSONWriter.bytes(of: object)
    }

    static func parsed(_ keySet: [UInt8]) throws -> KeySet { try KeySet(jwks: keySet, origin: .url) }

    static func record(
        _ keySet: [UInt8],
        fetchedAt: Double,
        lifetime: Double = 3600,
        location: String = "https://id.test/keys"
    ) -> KeySetRecord {
        KeySetRecord(location: location, fetchedAt: fetchedAt, freshUntil: fetchedAt + lifetime, keySet: keySet)
    }
}
