import Time
import Verification

/// The result of a refresh, as instances share it through the store. What is read back is checked like a response from
/// the network.
struct RefreshRecord: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case renewed(accessToken: [UInt8], cookies: [Renewal.Cookie])
        /// The session is over.
        case refused(RefreshFailure)
        case unavailable(RefreshFailure)
    }

    var content: Content
    /// The SHA-256 of the credential that was presented: a failure is for this one only. Nil: it is for the session.
    var presented: [UInt8]?
    var madeAt: UnixTime
    var usableUntil: UnixTime
    /// Credentials of the session's earlier refreshes, whose holders get the new tokens too.
    var earlier: [Earlier] = []

    struct Earlier: Sendable, Equatable {
        /// The SHA-256.
        var presented: [UInt8]
        var until: UnixTime
    }

    /// Seconds for which a result is usable.
    static let lifetime = 30.0
    /// Seconds without another call after a failure that may pass.
    static let pauseAfterFailure = 3.0

    var isRenewed: Bool {
        if case .renewed = content { true } else { false }
    }

    /// Whether the session is over.
    var isRefused: Bool {
        if case .refused = content { true } else { false }
    }

    /// The SHA-256 of the new access token.
    var newDigest: [UInt8]? {
        guard case .renewed(let accessToken, _) = content else { return nil }
        return Self.digest(accessToken)
    }

    /// Its name in announcements.
    var event: String {
        switch content {
        case .renewed: Hexadecimal.text((newDigest ?? []).prefix(8))
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }

    /// Whether a client with this refresh token in its cookie gets the new tokens: it is the one that was refreshed, or
    /// the new one. The access token alone is no proof, since more parties see it than the cookie.
    ///
    /// - Parameter name: The cookie's.
    func isFor(_ refreshToken: [UInt8], cookie name: String, at now: UnixTime) -> Bool {
        guard case .renewed(_, let cookies) = content else { return false }
        if cookies.contains(where: { $0.name == name && $0.value == refreshToken }) { return true }
        let digest = Self.digest(refreshToken)
        return presented == digest || earlier.contains { $0.presented == digest && now < $0.until }
    }

    /// The earlier credentials of the next refresh, if that presents this one's refresh token.
    func lineage(at now: UnixTime) -> [Earlier] {
        var lineage = earlier
        if let presented { lineage.append(Earlier(presented: presented, until: madeAt + Self.lifetime)) }
        return Array(lineage.filter { now < $0.until }.suffix(Self.mostEarlier))
    }

    private static let mostEarlier = 8

    static func digest(_ bytes: [UInt8]) -> [UInt8] { SHA256.digest(bytes) }

    /// A failure, for requests with the same credential.
    static func failure(_ content: Content, presented: [UInt8]?, at now: UnixTime) -> RefreshRecord {
        let lasts = if case .refused = content { lifetime } else { pauseAfterFailure }
        return RefreshRecord(content: content, presented: presented, madeAt: now, usableUntil: now + lasts)
    }
}

// MARK: - JSON

extension RefreshRecord {
    private static let version = 1.0

    var json: [UInt8] {
        var object: JSONObject = ["version": 1]
        object["made_at"] = JSONNumber(madeAt.seconds).map(JSONValue.number)
        object["usable_until"] = JSONNumber(usableUntil.seconds).map(JSONValue.number)
        object["presented"] = presented.map { .string(Hexadecimal.text($0)) }
        if !earlier.isEmpty { object["earlier"] = .array(earlier.map(\.json)) }
        switch content {
        case .renewed(let accessToken, let cookies):
            object["access_token"] = .string(String(decoding: accessToken, as: UTF8.self))
            object["cookies"] = .array(cookies.map(\.json))
        case .refused(let reason): object["refused"] = .string(reason.rawValue)
        case .unavailable(let reason): object["unavailable"] = .string(reason.rawValue)
        }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil if it is not a valid record.
    init?(json: [UInt8]) {
        guard let object = (try? JSONParser.parse(json))?.object, object["version"]?.double == Self.version,
            let madeAt = object["made_at"]?.double, let usableUntil = object["usable_until"]?.double
        else { return nil }
        if let token = object["access_token"]?.string {
            // It is written into header fields and cookies.
            guard !token.isEmpty, TokenText.isCookieValue(Array(token.utf8)) else { return nil }
            var cookies: [Renewal.Cookie] = []
            for value in object["cookies"]?.array ?? [] {
                guard let cookie = Renewal.Cookie(json: value) else { return nil }
                cookies.append(cookie)
            }
            content = .renewed(accessToken: Array(token.utf8), cookies: cookies)
        } else if let reason = object["refused"]?.string.flatMap(RefreshFailure.init) {
            content = .refused(reason)
        } else if let reason = object["unavailable"]?.string.flatMap(RefreshFailure.init) {
            content = .unavailable(reason)
        } else {
            return nil
        }
        presented = object["presented"]?.string.flatMap(Hexadecimal.bytes)
        self.madeAt = UnixTime(madeAt)
        self.usableUntil = UnixTime(usableUntil)
        earlier = (object["earlier"]?.array ?? []).compactMap(Earlier.init)
    }
}

extension RefreshRecord.Earlier {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["presented": .string(Hexadecimal.text(presented))]
        object["until"] = JSONNumber(until.seconds).map(JSONValue.number)
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let presented = json.object?["presented"]?.string.flatMap(Hexadecimal.bytes),
            let until = json.object?["until"]?.double
        else { return nil }
        self.init(presented: presented, until: UnixTime(until))
    }
}

extension Renewal.Cookie {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "value": .string(String(decoding: value, as: UTF8.self))]
        object["expires_at"] = expiresAt.flatMap { JSONNumber($0.seconds) }.map(JSONValue.number)
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let object = json.object, let name = object["name"]?.string, let value = object["value"]?.string,
            TokenText.isCookieValue(Array(value.utf8)), !name.isEmpty, !name.contains("="),
            TokenText.isCookieValue(Array(name.utf8))
        else { return nil }
        self.init(name: name, value: Array(value.utf8), expiresAt: object["expires_at"]?.double.map(UnixTime.init))
    }
}
