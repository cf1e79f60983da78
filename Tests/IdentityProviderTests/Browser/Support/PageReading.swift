@testable import IdentityProvider

/// A page parsed strictly: tags in order, with their attributes, and the text between them.
struct PageReading {
    struct Tag: Equatable {
        var name: String
        var attributes: [String: String] = [:]
        var isEnd = false
    }

    private(set) var tags: [Tag] = []
    private(set) var text = ""
    /// The content of `style`.
    private(set) var style = ""
    /// Whether tags are properly nested.
    private(set) var isBalanced = true

    private static let void: Set = ["meta", "br", "path", "input"]

    init(_ response: EndpointResponse) {
        self.init(response.text)
    }

    init(_ html: String) {
        var rest = Substring(html)
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            let between = String(rest[..<start])
            if open.last == "style" { style += between } else { text += Self.unescaped(between) }
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else {
                isBalanced = false
                return
            }
            let tag = Self.tag(rest[..<end])
            rest = rest[rest.index(after: end)...]
            tags.append(tag)
            if tag.isEnd {
                isBalanced = isBalanced && open.popLast() == tag.name
            } else if !Self.void.contains(tag.name), tag.name != "!doctype" {
                open.append(tag.name)
            }
        }
        isBalanced = isBalanced && open.isEmpty
    }

    func all(_ name: String) -> [Tag] { tags.filter { $0.name == name && !$0.isEnd } }

    var links: [String] { all("a").compactMap { $0.attributes["href"] } }

    private static func tag(_ text: Substring) -> Tag {
        var text = text
        let isEnd = text.first == "/"
        if isEnd { text.removeFirst() }
        let name = text.prefix { $0 != " " }.lowercased()
        var tag = Tag(name: name, isEnd: isEnd)
        text = text.dropFirst(name.count).drop { $0 == " " }
        while !text.isEmpty, text.first != "/" {
            let attribute = text.prefix { $0 != "=" && $0 != " " }
            text = text.dropFirst(attribute.count)
            guard text.hasPrefix("=\"") else {
                tag.attributes[String(attribute)] = ""
                text = text.drop { $0 == " " || $0 == "=" }
                continue
            }
            text = text.dropFirst(2)
            let value = text.prefix { $0 != "\"" }
            tag.attributes[String(attribute)] = unescaped(String(value))
            text = text.dropFirst(value.count + 1).drop { $0 == " " }
        }
        return tag
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        let names = ["lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'", "amp;": "&"]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[rest.index(after: start)...]
            guard let (name, character) = names.first(where: { rest.hasPrefix($0.key) }) else {
                result += "&"
                continue
            }
            result += character
            rest = rest.dropFirst(name.count)
        }
        return result + rest
    }
}
