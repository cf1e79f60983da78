package import Verification

/// Real keys as providers publish them.
package enum SampleKeys {
    /// A set of this many new P-256 keys.
    package static func keySet(_ count: Int = 1) throws -> [UInt8] {
        let keys = try (0..<count).compactMap { _ in
            try SigningKey.generate(.p256).publicJWK(algorithm: .es256).map { JSONValue.object($0) }
        }
        let object: JSONObject = ["keys": .array(keys)]
        return JSONWriter.bytes(of: object)
    }

    package static func parsed(_ keySet: [UInt8]) throws -> KeySet { try KeySet(jwks: keySet, origin: .url) }
}
