public import Time
public import Verification

/// A passkey of an account.
public struct AccountPasskey: Sendable, Equatable {
    /// The maximum number for one account.
    public static let most = 16
    /// Bytes of a name that are kept.
    static let longestName = 64

    public var credential: PasskeyCredential
    /// Given by its owner.
    public var name: String
    public let addedAt: UnixTime
    /// When it last signed in; nil for never.
    public var usedAt: UnixTime?

    public init(credential: PasskeyCredential, name: String, addedAt: UnixTime, usedAt: UnixTime? = nil) {
        self.credential = credential
        self.name = name
        self.addedAt = addedAt
        self.usedAt = usedAt
    }
}

extension AccountPasskey {
    /// The user handle of an account (WebAuthn Level 2 section 5.4.3): 32 bytes that reveal nothing of its owner.
    public static func userHandle(ofSubject subject: String) -> [UInt8] {
        SHA256.digest(Array("gatehouse passkey\0".utf8) + subject.utf8)
    }

    /// How its owner was authenticated with it (RFC 8176): a key in hardware, or one that is copied between devices; by
    /// its presence and by a PIN, finger or face.
    static func methods(of credential: PasskeyCredential) -> [String] {
        [credential.isBackupEligible ? "swk" : "hwk", "user", "mfa"]
    }
}

// MARK: - In the store

extension AccountPasskey {
    var json: JSONObject {
        var object: JSONObject = [
            "id": .bytes(credential.id),
            "key": .bytes(credential.publicKey),
            "count": .number(JSONNumber(Int(credential.signatureCount))),
            "eligible": .bool(credential.isBackupEligible),
            "backed_up": .bool(credential.isBackedUp),
            "model": .bytes(credential.model),
            "name": .string(name),
            "added": .time(addedAt),
        ]
        if let usedAt { object["used"] = .time(usedAt) }
        return object
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(_ object: JSONObject) {
        guard let id = object["id"]?.bytes, let key = object["key"]?.bytes,
            let count = object["count"]?.double.flatMap({ UInt32(exactly: $0) }),
            let isEligible = object["eligible"]?.bool, let isBackedUp = object["backed_up"]?.bool,
            let model = object["model"]?.bytes, let name = object["name"]?.string, let addedAt = object["added"]?.time
        else { return nil }
        let credential = PasskeyCredential(
            id: id,
            publicKey: key,
            signatureCount: count,
            isBackupEligible: isEligible,
            isBackedUp: isBackedUp,
            model: model
        )
        self.init(credential: credential, name: name, addedAt: addedAt, usedAt: object["used"]?.time)
    }
}
