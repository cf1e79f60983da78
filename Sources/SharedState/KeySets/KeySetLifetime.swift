import NIOHTTP1

/// How long an answer of a provider is fresh.
enum KeySetLifetime {
    /// Seconds. No provider is asked more often in the ordinary course of things, whatever it says.
    static let shortest = 300.0
    /// Seconds. A key that was withdrawn is trusted no longer than this.
    static let longest = 86_400.0

    /// `max-age` less `Age` (RFC 9111 sections 4.2.1 and 4.2.3), in seconds and within the bounds; the shortest if the
    /// provider says nothing, or that the answer is not to be kept.
    static func seconds(_ fields: HTTPHeaders) -> Double {
        var maximumAge: Double?
        for directive in fields[canonicalForm: "cache-control"] {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.lowercased() else { continue }
            if name == "no-store" || name == "no-cache" { return shortest }
            guard name == "max-age", parts.count == 2, let age = deltaSeconds(parts[1]) else { continue }
            // Said twice, the smaller counts (RFC 9111 section 4.2.1).
            maximumAge = min(maximumAge ?? age, age)
        }
        guard let maximumAge else { return shortest }
        let age = fields.first(name: "age").flatMap { deltaSeconds(Substring($0)) } ?? 0
        return clamped(maximumAge - age)
    }

    static func clamped(_ seconds: Double) -> Double { min(max(seconds, shortest), longest) }

    /// RFC 9111 section 1.2.2; quotes are put up with.
    private static func deltaSeconds(_ text: Substring) -> Double? {
        let digits = text.drop { $0 == " " || $0 == "\"" }.prefix { $0 != " " && $0 != "\"" }
        guard !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return Double(digits)
    }
}
