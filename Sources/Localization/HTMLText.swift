import Tenants

/// Escapes text for a page, in an element or a quoted attribute.
package enum HTMLText {
    package static func escaped(_ text: String) -> String { HTMLEscaping.escaped(text) }
}
