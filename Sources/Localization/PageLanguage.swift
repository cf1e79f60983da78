package import Tenants

/// The language of a page: one of those that the pages are written in, or one of the tenant's own texts.
package struct PageLanguage: Sendable, Equatable {
    package enum BuiltIn: String, Sendable, CaseIterable {
        case english = "en"
        case german = "de"
        case spanish = "es"
        case french = "fr"
        case japanese = "ja"
    }

    package static let english = PageLanguage("en", of: nil)

    /// Those that are written from right to left, by their primary subtags.
    private static let rightToLeft: Set<String> = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]
    /// More than people choose, and than any browser sends.
    private static let mostRanges = 32
    /// RFC 5646 section 4.4.1.
    private static let longestRange = 35
    /// Of the beginnings that are looked for: language, script, region and a variant. Each is compared with every language of
    /// the tenant, for requests of anybody.
    private static let mostSubtags = 4

    /// As in `lang` (RFC 5646).
    package let tag: String
    package let builtIn: BuiltIn
    /// The tenant's texts, each in place of those before it.
    package let own: [PageTexts.Language]

    package var isRightToLeft: Bool { Self.rightToLeft.contains(Self.primary(tag).lowercased()) }

    /// - Parameter texts: The tenant's own.
    private init(_ tag: String, of texts: PageTexts?) {
        let builtIn = BuiltIn(rawValue: Self.primary(tag).lowercased()) ?? .english
        let further = Self.truncations(tag.lowercased()).reversed().filter { $0 != builtIn.rawValue }
        own = ([builtIn.rawValue] + further).compactMap { tag in
            texts?.languages.first { $0.foldedTag == tag }
        }
        self.tag = tag
        self.builtIn = builtIn
    }

    /// The preferred one by `Accept-Language` (RFC 9110 section 12.5.4): that of the greatest weight, the first of
    /// several; English if there is none.
    ///
    /// - Parameter texts: The tenant's own.
    package init(accepted field: String?, of texts: PageTexts? = nil) {
        var best: (tag: String, weight: Int) = (BuiltIn.english.rawValue, 0)
        for range in (field ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.mostRanges)
            .prefix(Self.mostRanges)
        {
            let parts = Substring(range).split(separator: ";")
            let name = (parts.first ?? "").trimmingSpaces.lowercased()
            guard let tag = Self.tag(for: name, texts) else { continue }
            let weight = Self.weight(parts.dropFirst())
            if weight > best.weight { best = (tag, weight) }
        }
        self.init(best.tag, of: texts)
    }

    /// What a range asks for: the range itself, the longest beginning of it that there is (RFC 4647 section 3.4), or
    /// else a language that it is the beginning of.
    ///
    /// - Parameter range: In lower case.
    private static func tag(for range: String, _ texts: PageTexts?) -> String? {
        guard !range.isEmpty, range.utf8.count <= longestRange else { return nil }
        let own = texts?.languages ?? []
        for beginning in truncations(range) {
            if let language = own.first(where: { $0.foldedTag == beginning }) { return language.tag }
            if let language = BuiltIn(rawValue: beginning) { return language.rawValue }
        }
        let primary = primary(range)
        return own.first { Self.primary($0.foldedTag) == primary }?.tag
    }

    /// `zh-hant-tw`, `zh-hant`, `zh`. Of many subtags the whole, and beginnings of at most ``mostSubtags``.
    private static func truncations(_ tag: String) -> [String] {
        guard !tag.isEmpty else { return [] }
        let subtags = tag.split(separator: "-", maxSplits: mostSubtags, omittingEmptySubsequences: false)
        let beginnings = (1..<max(subtags.count, 1)).reversed().map { subtags[..<$0].joined(separator: "-") }
        return [tag] + beginnings.filter { !$0.isEmpty }
    }

    private static func primary(_ tag: String) -> String { String(tag.prefix { $0 != "-" }) }

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
