import Time
import Verification

/// What came of a refresh, as instances tell each other through the store. Whatever is read back is checked like an
/// answer from the network.
struct RefreshRecord: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case renewed(accessToken: [UInt8], cookies: [Renewal.Cookie])
        /// The session is over.
        case refused(RefreshFailure)
        case unavailable(RefreshFailure)
    }

    var content: Content
    /// The SHA-256 of what was presented to the provider: a failure says nothing of another. Nil: it speaks of the
    /// whole session.
    var presented: [UInt8]?
    var madeAt: UnixTime
    var usableUntil: UnixTime
    /// What earlier refreshes of the session presented that stands for the new tokens, too.
    var earlier: [Earlier] = []

    struct Earlier: Sendable, Equatable {
        /// The SHA-256.
        var presented: [UInt8]
        var until: UnixTime
    }

    /// Seconds that it is good for.
    static let lifetime = 30.0
    /// Seconds that nobody tries again after a failure that may pass.
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

    /// What announcements call it.
    var event: String {
        switch content {
        case .renewed: Hexadecimal.text((newDigest ?? []).prefix(8))
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }

    /// Whether new tokens are for who presents this refresh token in a cookie: he presents what they were got with, or
    /// has them already. An access token alone proves nothing, for it is shown to more than those who keep the cookie.
    ///
    /// - Parameters:
    ///   - name: The cookie's.
    func isFor(_ refreshToken: [UInt8], cookie name: String, at now: UnixTime) -> Bool {
        guard case .renewed(_, let cookies) = content else { return false }
        if cookies.contains(where: { $0.name == name && $0.value == refreshToken }) { return true }
        let digest = Self.digest(refreshToken)
        return presented == digest || earlier.contains { $0.presented == digest && now < $0.until }
    }

    /// What stands for the tokens of the next refresh, if that presents what this one brought.
    func lineage(at now: UnixTime) -> [Earlier] {
        var lineage = earlier
        if let presented { lineage.append(Earlier(presented: presented, until: madeAt + Self.lifetime)) }
        return Array(lineage.filter { now < $0.until }.suffix(Self.mostEarlier))
    }

    private static let mostEarlier = 8

    static func digest(_ bytes: [UInt8]) -> [UInt8] { SHA256.digest(bytes) }

    /// That there are no new tokens, for who presents the same.
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
        case .refused(let trouble): object["refused"] = .string(trouble.rawValue)
        case .unavailable(let trouble): object["unavailable"] = .string(trouble.rawValue)
        }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for what is no such record.
    init?(json: [UInt8]) {
        guard let object = (try? JSONParser.parse(json))?.object, object["version"]?.double == Self.version,
            let madeAt = object["made_at"]?.double, let usableUntil = object["usable_until"]?.double
        else { return nil }
        if let token = object["access_token"]?.string {
            // It is written into fields and cookies.
            guard !token.isEmpty, TokenText.isCookieValue(Array(token.utf8)) else { return nil }
            var cookies: [Renewal.Cookie] = []
            for value in object["cookies"]?.array ?? [] {
                guard let cookie = Renewal.Cookie(json: value) else { return nil }
                cookies.append(cookie)
            }
            content = .renewed(accessToken: Array(token.utf8), cookies: cookies)
        } else if let trouble = object["refused"]?.string.flatMap(RefreshFailure.init) {
            content = .refused(trouble)
        } else if let trouble = object["unavailable"]?.string.flatMap(RefreshFailure.init) {
            content = .unavailable(trouble)
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
