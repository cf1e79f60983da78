import Verification

/// A file of `keys_dir`, as members of a JWK Set. A key without a `kid` gets the file's name without its extension.
enum KeyFile {
    enum Kind {
        case pem, jwk
    }

    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// nil for a file name without a known extension.
    static func kind(of name: String) -> Kind? {
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return nil }
        switch name[dot...] {
        case ".pem": return .pem
        case ".jwk", ".jwks": return .jwk
        default: return nil
        }
    }

    /// The public keys of a PEM file; nil if it has none. They have no `kid`, so they must be the only ones.
    static func publicKeys(_ name: String, in directory: String, _ files: any FileReading) -> KeySet? {
        guard case .pem? = kind(of: name), let bytes = try? files.read(KeyDirectory.path(name, in: directory)) else {
            return nil
        }
        return try? KeySet(pem: bytes)
    }

    static func read(_ name: String, in directory: String, _ files: any FileReading) throws(Problem) -> [JSONValue] {
        let stem = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try files.read(KeyDirectory.path(name, in: directory))
        } catch {
            throw Problem(description: "it cannot be read: \(error)")
        }
        switch kind(of: name) {
        case .pem: return [.object(try publicHalf(bytes, keyID: stem))]
        case .jwk: return try members(bytes, keyID: stem)
        case nil: return []
        }
    }

    /// The public half of a private key.
    private static func publicHalf(_ pem: [UInt8], keyID: String) throws(Problem) -> JSONObject {
        guard let key = try? SigningKey(pem: pem), var jwk = key.publicJWK() else {
            throw Problem(
                description:
                    "no private key in PEM that can be used; beside other keys give a public key as a .jwk file"
            )
        }
        jwk["kid"] = .string(keyID)
        return jwk
    }

    private static func members(_ json: [UInt8], keyID: String) throws(Problem) -> [JSONValue] {
        guard let value = try? JSONParser.parse(json), case .object(var object) = value else {
            throw Problem(description: "no JWK and no JWK Set")
        }
        if let keys = object["keys"]?.array { return keys }
        if object["kid"] == nil { object["kid"] = .string(keyID) }
        return [.object(object)]
    }
}
