import Time
import Verification

/// A ring in the store. It is sealed, as it contains private keys.
extension SigningKeyring {
    private static let version = 1.0

    var json: [UInt8] {
        let keys = keys.map { key -> JSONValue in
            var object: JSONObject = ["kid": .string(key.keyID)]
            object["pem"] = key.key.privateKeyPEM.map(JSONValue.string)
            object["created_at"] = .time(key.createdAt)
            object["active_from"] = key.activeFrom.map(JSONValue.time)
            return .object(object)
        }
        return JSONWriter.bytes(of: ["version": 1, "keys": .array(keys)] as JSONObject)
    }

    /// - Returns: Nil if it is no key ring for `algorithm`.
    init?(json: [UInt8], _ algorithm: SignatureAlgorithm) {
        guard let object = try? JSONParser.parse(json).object, object["version"]?.double == Self.version,
            let elements = object["keys"]?.array
        else { return nil }
        let keys = elements.compactMap { $0.object.flatMap(Key.init(json:)) }
        guard keys.count == elements.count else { return nil }
        self.init(algorithm: algorithm, keys: keys)
    }
}

extension SigningKeyring.Key {
    fileprivate init?(json: JSONObject) {
        guard let pem = json["pem"]?.string, let key = try? SigningKey(pem: Array(pem.utf8)),
            let keyID = key.thumbprint, json["kid"] == .string(keyID), let createdAt = json["created_at"]?.double
        else { return nil }
        let activeFrom = json["active_from"]?.double.map(UnixTime.init)
        self.init(keyID: keyID, key: key, createdAt: UnixTime(createdAt), activeFrom: activeFrom)
    }
}
