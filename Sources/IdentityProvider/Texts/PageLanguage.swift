/// The languages that pages are written in.
enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case japanese = "ja"

    /// More than people choose, and than any browser sends.
    private static let mostRanges = 32

    /// The preferred one of these by `Accept-Language` (RFC 9110 section 12.5.4): that of the greatest weight, the
    /// first of several; English if there is none.
    init(accepted field: String?) {
        var best: (language: PageLanguage, weight: Int) = (.english, 0)
        for range in (field ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.mostRanges)
            .prefix(Self.mostRanges)
        {
            let parts = Substring(range).split(separator: ";")
            let name = (parts.first ?? "").trimmingSpaces.prefix { $0 != "-" }.lowercased()
            guard let language = PageLanguage(rawValue: name) else { continue }
            let weight = Self.weight(parts.dropFirst())
            if weight > best.weight { best = (language, weight) }
        }
        self = best.language
    }

    /// In thousandths (RFC 9110 section 12.4.2); 0 for a malformed one.
    private static func weight(_ parameters: some Sequence<Substring>) -> Int {
        for parameter in parameters {
            let text = parameter.trimmingSpaces
            guard text.hasPrefix("q=") || text.hasPrefix("Q=") else { continue }
            guard let value = Double(text.dropFirst(2)), (0...1).contains(value) else { return 0 }
            return Int(value * 1000)
        }
        return 1000
    }
}
