import Tenants
import Time
import Verification

/// Reads a provider's response.
enum RefreshResponseReader {
    /// The end of the year 9999, the last that an HTTP date can have.
    private static let lastSecond = 253_402_300_799.0

    static func result(_ response: RefreshHTTPResponse, _ rules: RefreshRules, at now: UnixTime) -> RefreshCallResult {
        switch response.status {
        case 200..<300:
            guard let tokens = tokens(response.body, rules, at: now) else { return .failed(.garbledAnswer) }
            return .tokens(tokens)
        // Request Timeout, Too Early and Too Many Requests are about the moment, not the session.
        case 408, 425, 429, 500..<600: return .failed(.providerFailed)
        // The provider refuses the gateway as a client, not the session.
        case 400..<500 where blamesClient(response.body, rules): return .failed(.providerFailed)
        case 400..<500: return .refused
        // A redirect is not followed: the token would go to another server.
        default: return .failed(.garbledAnswer)
        }
    }

    /// RFC 6749 section 5.2: only `invalid_grant` is about the refresh token.
    private static func blamesClient(_ body: [UInt8], _ rules: RefreshRules) -> Bool {
        guard case .oauth2 = rules.call.strategy, let error = (try? JSONParser.parse(body))?.object?["error"]?.string
        else { return false }
        return error != "invalid_grant"
    }

    /// - Returns: Nil if the document has no access token, or an invalid refresh token or cookie value.
    private static func tokens(_ body: [UInt8], _ rules: RefreshRules, at now: UnixTime) -> ReceivedTokens? {
        guard let document = try? JSONParser.parse(body),
            let accessToken = text(at: rules.call.accessToken, in: document), TokenText.isAccessToken(accessToken)
        else { return nil }
        var tokens = ReceivedTokens(accessToken: accessToken, refreshToken: nil, cookies: [])
        if let pointer = rules.call.refreshToken, isThere(pointer, in: document) {
            guard let token = text(at: pointer, in: document), TokenText.isRefreshToken(token) else { return nil }
            tokens.refreshToken = token
        }
        for cookie in rules.delivery.cookies where isThere(cookie.value, in: document) {
            guard let value = text(at: cookie.value, in: document), TokenText.isCookieValue(value) else { return nil }
            let end = expiry(of: value, at: cookie.value, in: document, rules.call, now)
            tokens.cookies.append(Renewal.Cookie(name: cookie.name, value: value, expiresAt: end))
        }
        return tokens
    }

    private static func isThere(_ pointer: JSONPointer, in document: JSONValue) -> Bool {
        switch pointer.value(in: document) {
        case nil, .null?: false
        case .bool?, .number?, .string?, .array?, .object?: true
        }
    }

    private static func text(at pointer: JSONPointer, in document: JSONValue) -> [UInt8]? {
        pointer.value(in: document)?.string.map { Array($0.utf8) }
    }
}

// MARK: How long a cookie lives

extension RefreshResponseReader {
    /// - Returns: Nil if neither the value nor the response says.
    private static func expiry(
        of value: [UInt8],
        at pointer: JSONPointer,
        in document: JSONValue,
        _ call: RefreshCall,
        _ now: UnixTime
    ) -> UnixTime? {
        if let end = ownExpiry(of: value) { return end }
        if pointer == call.refreshToken {
            return end(after: ["refresh_expires_in", "refresh_token_expires_in"], beside: pointer, in: document, now)
        }
        if pointer == call.accessToken { return end(after: ["expires_in"], beside: pointer, in: document, now) }
        return nil
    }

    /// The unverified claim `exp` of a token: it only decides how long the client keeps its cookie.
    private static func ownExpiry(of value: [UInt8]) -> UnixTime? {
        guard let claims = try? UnverifiedToken(value).claims() else { return nil }
        return claims["exp"]?.double.map(UnixTime.init).flatMap(plausible)
    }

    /// The first of these members beside a token that is a number of seconds (RFC 6749 section 5.1; those for refresh
    /// tokens are conventions).
    private static func end(
        after names: [String],
        beside token: JSONPointer,
        in document: JSONValue,
        _ now: UnixTime
    ) -> UnixTime? {
        guard let slash = token.text.utf8.lastIndex(of: UInt8(ascii: "/")),
            let object = JSONPointer(String(token.text[..<slash]))?.value(in: document)?.object
        else { return nil }
        for name in names {
            // Some providers send 0 for a token that does not expire.
            if let seconds = object[name]?.double, seconds > 0 { return plausible(now + seconds) }
        }
        return nil
    }

    private static func plausible(_ time: UnixTime) -> UnixTime? {
        (0...lastSecond).contains(time.seconds) ? time : nil
    }
}
