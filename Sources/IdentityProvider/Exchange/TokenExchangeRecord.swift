import Time
import Verification

/// The store's record of an exchange of an ID token that works once, Apple's or a named provider's: enough to recognize a
/// retry, and nothing that read access to the store could be used to sign in with.
///
/// Apps that lose the response send the same request again. Each within a minute of the first gets the same response.
/// After that the token is spent: a later sender is more likely to have found it than to be its owner.
struct TokenExchangeRecord: Sendable, Equatable {
    /// Seconds from the first exchange for which it may be repeated.
    static let window = 60.0
    private static let version = 1.0

    let firstSeenAt: UnixTime
    let nonceSHA256: [UInt8]
    /// Only the identity token opens it; nil if the backend responds.
    let sealedResponse: [UInt8]?

    init(nonce: String?, sealedResponse: [UInt8]?, at now: UnixTime) {
        firstSeenAt = now
        nonceSHA256 = Self.hash(nonce)
        self.sealedResponse = sealedResponse
    }

    /// Whether an exchange of the same token is a retry of the recorded one.
    ///
    /// - Parameters:
    ///   - nonce: As sent by the app.
    ///   - now: This instance's clock, which may be behind that of the instance that saw the first.
    func allowsRetry(nonce: String?, at now: UnixTime) -> Bool {
        ConstantTime.areEqual(nonceSHA256, Self.hash(nonce)) && abs(now - firstSeenAt) <= Self.window
    }

    /// No nonce is distinct from every nonce.
    private static func hash(_ nonce: String?) -> [UInt8] {
        SHA256.digest(nonce.map { [1] + Array($0.utf8) } ?? [0])
    }
}

// MARK: - In the store

extension TokenExchangeRecord {
    var json: [UInt8] {
        var object: JSONObject = [
            "version": 1,
            "nonce": .bytes(nonceSHA256),
            "first_seen_at": .time(firstSeenAt),
        ]
        if let sealedResponse { object["answer"] = .bytes(sealedResponse) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil if it is not a record.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["version"]?.double == Self.version,
            let firstSeenAt = object["first_seen_at"]?.double,
            let nonceSHA256 = object["nonce"]?.bytes
        else { return nil }
        self.firstSeenAt = UnixTime(firstSeenAt)
        self.nonceSHA256 = nonceSHA256
        switch object["answer"] {
        case nil: sealedResponse = nil
        case let value?:
            guard let sealed = value.bytes else { return nil }
            sealedResponse = sealed
        }
    }
}
