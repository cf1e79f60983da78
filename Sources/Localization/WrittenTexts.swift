package import Tenants

/// Texts of pages in one language, each a property. ``PageTextPlace/mark`` stands for a name.
package protocol WrittenTexts: Sendable {
    associatedtype Name: PageText

    static func builtIn(_ language: PageLanguage.BuiltIn) -> Self
    static func property(_ name: Name) -> WritableKeyPath<Self, String>
    static var own: KeyPath<PageTexts.Language, [Name: String]> { get }
}

extension WrittenTexts {
    /// The built-in texts with the tenant's own in place.
    package init(_ language: PageLanguage) {
        var texts = Self.builtIn(language.builtIn)
        for own in language.own {
            for (name, text) in own[keyPath: Self.own] { texts[keyPath: Self.property(name)] = text }
        }
        self = texts
    }
}

/// A text with a name in its place.
package enum FilledText {
    /// As plain text.
    package static func plain(_ text: String, _ name: String) -> String { filled(text, name) }

    /// As HTML, isolated because the name's writing direction is unknown.
    package static func html(_ text: String, _ name: String) -> String {
        html(text, html: "<bdi>\(HTMLText.escaped(name))</bdi>")
    }

    /// - Parameter name: HTML.
    package static func html(_ text: String, html name: String) -> String { filled(HTMLText.escaped(text), name) }

    private static func filled(_ text: String, _ name: String) -> String {
        let mark = Array(PageTextPlace.mark.utf8)
        let bytes = text.utf8
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index...].starts(with: mark) {
                return "\(text[..<index])\(name)\(text[bytes.index(index, offsetBy: mark.count)...])"
            }
            index = bytes.index(after: index)
        }
        return text
    }
}
