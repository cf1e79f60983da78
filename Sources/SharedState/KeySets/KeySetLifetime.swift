import NIOHTTP1

/// How long a provider's response is fresh.
enum KeySetLifetime {
    /// Seconds between two routine fetches at least, whatever the provider says.
    static let shortest = 300.0
    /// Seconds for which a withdrawn key is trusted at most.
    static let longest = 86_400.0

    /// `max-age` less `Age` (RFC 9111 sections 4.2.1 and 4.2.3) in seconds, within the bounds; the shortest if there is
    /// none, or the response must not be cached.
    static func seconds(_ fields: HTTPHeaders) -> Double {
        var maximumAge: Double?
        for directive in fields[canonicalForm: "cache-control"] {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.lowercased() else { continue }
            if name == "no-store" || name == "no-cache" { return shortest }
            guard name == "max-age", parts.count == 2, let age = deltaSeconds(parts[1]) else { continue }
            // Of duplicates the smaller counts (RFC 9111 section 4.2.1).
            maximumAge = min(maximumAge ?? age, age)
        }
        guard let maximumAge else { return shortest }
        let age = fields.first(name: "age").flatMap { deltaSeconds(Substring($0)) } ?? 0
        return clamped(maximumAge - age)
    }

    static func clamped(_ seconds: Double) -> Double { min(max(seconds, shortest), longest) }

    /// RFC 9111 section 1.2.2; quotes are tolerated.
    private static func deltaSeconds(_ text: Substring) -> Double? {
        let digits = text.drop { $0 == " " || $0 == "\"" }.prefix { $0 != " " && $0 != "\"" }
        guard !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return Double(digits)
    }
}
