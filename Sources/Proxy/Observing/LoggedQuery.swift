import Authorization
import Tenants
import Verification

/// The query of a request as the access log has it where `gateway.log.query` asks for one: without the values that let
/// somebody in.
enum LoggedQuery {
    private static let hidden = Array("<redacted>".utf8)

    /// Parameters whose values are not written, in lower case. Of the tenant's own `query:NAME` none is either.
    private static let names: Set<String> = [
        "auth", "authorization", "code", "key", "nonce", "otp", "pass", "pin", "pwd", "sid", "sig", "state", "ticket",
    ]
    /// What such a name may have in it, wherever.
    private static let partsOfNames = [
        "api-key", "api_key", "apikey", "access_key", "assertion", "credential", "jwt", "passphrase", "passwd",
        "password", "samlresponse", "secret", "session", "signature", "token", "verifier",
    ]

    /// - Parameters:
    ///   - query: With its `?`; may be empty.
    ///   - tenant: Whose tokens may be in it; nil for a request that is nobody's.
    /// - Returns: Ready to stand in a JSON string.
    static func text(_ bytes: Span<UInt8>, _ query: Range<Int>, _ tenant: Tenant?) -> [UInt8] {
        guard !query.isEmpty else { return [] }
        var text: [UInt8] = []
        var isHidden = false
        var start = query.lowerBound + 1
        while start <= query.upperBound {
            var end = start
            while end < query.upperBound, bytes[end] != UInt8(ascii: "&"), bytes[end] != UInt8(ascii: ";") { end += 1 }
            // The `?`, `&` or `;` as it came. Some backends take `;` for a separator and some for a part of the value:
            // it begins a new name, and what comes after a hidden value may still belong to that.
            let separator = bytes[start - 1]
            text.append(separator)
            if separator != UInt8(ascii: ";") { isHidden = false }
            isHidden = append(bytes, start..<end, tenant, isHidden: isHidden, to: &text)
            start = end + 1
        }
        return text
    }

    /// - Parameter isHidden: Whether nothing of it is to be written.
    /// - Returns: Whether its value is not written.
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
        // A token may also stand there by itself.
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
