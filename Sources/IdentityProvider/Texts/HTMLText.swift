import Tenants

/// Escapes text for a page, in an element or a quoted attribute.
enum HTMLText {
    static func escaped(_ text: String) -> String { HTMLEscaping.escaped(text) }
}
