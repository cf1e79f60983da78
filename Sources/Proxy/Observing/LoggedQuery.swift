import Authorization
import Tenants
import Verification

/// The query of a request as logged if `gateway.log.query` asks for it: without values that grant access.
enum LoggedQuery {
    private static let hidden = Array("<redacted>".utf8)

    /// Parameters whose values are not written, in lower case. The tenant's own `query:NAME` is hidden too.
    private static let names: Set<String> = [
        // Of our login: a page's whole address, with parameters of its own.
        "after", "auth", "authorization", "code", "key", "nonce", "otp", "pass", "pin", "pwd", "sid", "sig", "state",
        "ticket",
    ]
    /// A name that contains one of these is hidden too.
    private static let partsOfNames = [
        "api-key", "api_key", "apikey", "access_key", "assertion", "credential", "jwt", "passphrase", "passwd",
        "password", "samlresponse", "secret", "session", "signature", "token", "verifier",
    ]

    /// - Parameters:
    ///   - query: With its `?`; may be empty.
    ///   - tenant: The tenant whose tokens may be in it; nil if none was found.
    /// - Returns: Escaped for a JSON string.
    static func text(_ bytes: Span<UInt8>, _ query: Range<Int>, _ tenant: Tenant?) -> [UInt8] {
        guard !query.isEmpty else { return [] }
        var text: [UInt8] = []
        var isHidden = false
        var start = query.lowerBound + 1
        while start <= query.upperBound {
            var end = start
            while end < query.upperBound, bytes[end] != UInt8(ascii: "&"), bytes[end] != UInt8(ascii: ";") { end += 1 }
            // The `?`, `&` or `;` as received. Backends differ on whether `;` is a separator or part of the value: it
            // begins a new name, but what follows a hidden value may still belong to that value.
            let separator = bytes[start - 1]
            text.append(separator)
            if separator != UInt8(ascii: ";") { isHidden = false }
            isHidden = append(bytes, start..<end, tenant, isHidden: isHidden, to: &text)
            start = end + 1
        }
        return text
    }

    /// - Parameter isHidden: Whether to hide everything.
    /// - Returns: Whether its value is hidden.
    private static func append(
        _ bytes: Span<UInt8>,
        _ parameter: Range<Int>,
        _ tenant: Tenant?,
        isHidden: Bool,
        to text: inout [UInt8]
    ) -> Bool {
        var equals = parameter.lowerBound
        while equals < parameter.upperBound, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
        let name = parameter.lowerBound..<equals
        // A token may also be the whole parameter.
        if isHidden || isToken(bytes, name) {
            text += hidden
            return true
        }
        JSONText.escape(bytes.extracting(name), into: &text)
        guard equals < parameter.upperBound else { return false }
        text.append(UInt8(ascii: "="))
        let value = (equals + 1)..<parameter.upperBound
        if isToken(bytes, value) || isSecret(bytes, name, tenant) {
            text += hidden
            return true
        }
        JSONText.escape(bytes.extracting(value), into: &text)
        return false
    }

    /// Whether it looks like a JSON Web Token: every one begins with `{"` in base64url.
    private static func isToken(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.count >= 3 && bytes.isExactly("eyJ", range.lowerBound..<(range.lowerBound + 3))
    }

    private static func isSecret(_ bytes: Span<UInt8>, _ name: Range<Int>, _ tenant: Tenant?) -> Bool {
        for source in tenant?.authenticate.from ?? [] {
            if case .query(let theirs) = source, QueryParameters.isName(bytes, name, theirs) { return true }
        }
        let text = decoded(bytes, name)
        return names.contains(text) || partsOfNames.contains { text.contains($0) }
    }

    /// In lower case.
    private static func decoded(_ bytes: Span<UInt8>, _ name: Range<Int>) -> String {
        var text: [UInt8] = []
        var position = name.lowerBound
        while position < name.upperBound {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < name.upperBound,
                let high = bytes[position + 1].hexValue, let low = bytes[position + 2].hexValue
            {
                text.append(high << 4 | low)
                position += 3
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self).lowercased()
    }
}
