import Time
import Verification

/// Sessions in the store: a JSON object. It contains no token, only hashes, and successors that only an old token
/// opens.
extension IssuerSession {
    /// The format version of a record.
    enum Version: Double, Sendable {
        /// Without scopes of its own, and in no list of its subject.
        case first = 1
        case second = 2
    }

    var json: [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Int(Version.second.rawValue))),
            "sid": .string(id),
            "sub": .string(subject),
            "claims": .object(claims),
            "scopes": .array(scopes.map(JSONValue.string)),
            "created": .time(createdAt),
            "used": .time(lastUsedAt),
            "expires": .time(expiresAt),
            "key": .bytes(family.key),
            "current": .bytes(family.currentHash),
            "rotations": .array(family.rotations.map { .object($0.json) }),
        ]
        if let clientID { object["client"] = .string(clientID) }
        if let device { object["device"] = .string(device) }
        if let address { object["ip"] = .string(address) }
        if let provider { object["provider"] = .string(provider) }
        if signedInAt != createdAt { object["signed_in"] = .time(signedInAt) }
        if authenticatedAt != createdAt { object["auth_time"] = .time(authenticatedAt) }
        if isProven { object["proven"] = true }
        if beganInBrowser { object["browser"] = true }
        if let singleSignOn { object["sso"] = .string(singleSignOn) }
        if let former { object["former"] = .object(former.json) }
        if let confirmation { object["cnf"] = .object(confirmation.claim) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives, or gave in an earlier version.
    static func read(_ json: [UInt8]) -> (session: IssuerSession, version: Version)? {
        guard let object = try? JSONParser.parse(json).object,
            let version = object["v"]?.double.flatMap(Version.init(rawValue:)),
            let id = object["sid"]?.string, let subject = object["sub"]?.string,
            let claims = object["claims"]?.object, let scopes = scopes(object, claims, version),
            let createdAt = object["created"]?.time, let lastUsedAt = object["used"]?.time,
            let expiresAt = object["expires"]?.time,
            let family = RefreshFamily(object)
        else { return nil }
        let session = IssuerSession(
            id: id,
            subject: subject,
            claims: AccessTokenClaims.withoutReserved(claims),
            scopes: scopes,
            clientID: object["client"]?.string,
            device: object["device"]?.string,
            address: object["ip"]?.string,
            provider: object["provider"]?.string,
            createdAt: createdAt,
            signedInAt: object["signed_in"]?.time ?? createdAt,
            authenticatedAt: object["auth_time"]?.time ?? createdAt,
            isProven: object["proven"]?.bool ?? false,
            beganInBrowser: object["browser"]?.bool ?? false,
            singleSignOn: object["sso"]?.string,
            former: object["former"]?.object.flatMap(FormerToken.init(json:)),
            lastUsedAt: lastUsedAt,
            expiresAt: expiresAt,
            confirmation: Confirmation(object),
            family: family
        )
        return (session, version)
    }

    /// In the first version scopes were a claim like others.
    private static func scopes(_ object: JSONObject, _ claims: JSONObject, _ version: Version) -> [String]? {
        switch version {
        case .first: return claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
        case .second:
            guard let elements = object["scopes"]?.array else { return nil }
            let scopes = elements.compactMap(\.string)
            return scopes.count == elements.count ? scopes : nil
        }
    }
}

extension RefreshFamily {
    fileprivate init?(_ object: JSONObject) {
        guard let key = object["key"]?.bytes, let current = object["current"]?.bytes,
            let elements = object["rotations"]?.array
        else { return nil }
        let rotations = elements.compactMap { $0.object.flatMap(Rotation.init) }
        guard rotations.count == elements.count else { return nil }
        self.init(key: key, currentHash: current, rotations: rotations)
    }
}

extension RefreshFamily.Rotation {
    fileprivate var json: JSONObject {
        [
            "hash": .bytes(hash),
            "at": .time(at),
            "next": .bytes(sealedSuccessor),
        ]
    }

    fileprivate init?(_ object: JSONObject) {
        guard let hash = object["hash"]?.bytes, let at = object["at"]?.time, let next = object["next"]?.bytes else {
            return nil
        }
        self.init(hash: hash, at: at, sealedSuccessor: next)
    }
}
