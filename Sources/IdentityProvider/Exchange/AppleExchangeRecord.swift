import Time
import Verification

/// What the store keeps of an exchange of Apple's identity token: enough to know the same exchange again, and nothing
/// that whoever reads the store could sign in with.
///
/// Apps that lose the answer send the same request again. Each within a minute of the first gets the same answer; the
/// token is spent then, since whoever comes later with it is more likely to have found it than to have sent it.
struct AppleExchangeRecord: Sendable, Equatable {
    /// Seconds from the first exchange for which it may be repeated.
    static let window = 60.0
    private static let version = 1.0

    let firstSeenAt: UnixTime
    let nonceSHA256: [UInt8]
    /// Only the identity token opens it; nil where the backend answers.
    let sealedAnswer: [UInt8]?

    init(nonce: String?, sealedAnswer: [UInt8]?, at now: UnixTime) {
        firstSeenAt = now
        nonceSHA256 = Self.hash(nonce)
        self.sealedAnswer = sealedAnswer
    }

    /// Whether an exchange of the same token is a retry of the one that this tells of.
    ///
    /// - Parameters:
    ///   - nonce: As the app has sent it.
    ///   - now: By a clock that may be behind that of the instance which saw the first.
    func allowsRetry(nonce: String?, at now: UnixTime) -> Bool {
        ConstantTime.areEqual(nonceSHA256, Self.hash(nonce)) && abs(now - firstSeenAt) <= Self.window
    }

    /// That none was sent is not the same as any that was.
    private static func hash(_ nonce: String?) -> [UInt8] {
        SHA256.digest(nonce.map { [1] + Array($0.utf8) } ?? [0])
    }
}

// MARK: - In the store

extension AppleExchangeRecord {
    var json: [UInt8] {
        var object: JSONObject = [
            "version": 1,
            "nonce": .string(Base64URL.encode(nonceSHA256)),
        ]
        if let firstSeen = JSONNumber(firstSeenAt.seconds) { object["first_seen_at"] = .number(firstSeen) }
        if let sealedAnswer { object["answer"] = .string(Base64URL.encode(sealedAnswer)) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for what is no record.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["version"]?.double == Self.version,
            let firstSeenAt = object["first_seen_at"]?.double,
            let nonceSHA256 = object["nonce"]?.string.flatMap({ Base64URL.decode($0) })
        else { return nil }
        self.firstSeenAt = UnixTime(firstSeenAt)
        self.nonceSHA256 = nonceSHA256
        switch object["answer"] {
        case nil: sealedAnswer = nil
        case .string(let text)?:
            guard let sealed = Base64URL.decode(text) else { return nil }
            sealedAnswer = sealed
        case .null?, .bool?, .number?, .array?, .object?: return nil
        }
    }
}
