/// Writes CBOR as authenticators do.
package enum CBORText {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case list([CBORText])
    case written([UInt8])

    package var encoded: [UInt8] {
        switch self {
        case .int(let number): number < 0 ? Self.head(1, -1 - number) : Self.head(0, number)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .list(let items): Self.head(4, items.count) + items.flatMap(\.encoded)
        case .written(let bytes): bytes
        }
    }

    package static func map(_ members: [(Int, CBORText)]) -> [UInt8] {
        head(5, members.count) + members.flatMap { CBORText.int($0.0).encoded + $0.1.encoded }
    }

    package static func texts(_ members: [(String, CBORText)]) -> [UInt8] {
        head(5, members.count) + members.flatMap { CBORText.text($0.0).encoded + $0.1.encoded }
    }

    private static func head(_ kind: UInt8, _ number: Int) -> [UInt8] {
        switch number {
        case ..<24: [kind << 5 | UInt8(number)]
        case ..<256: [kind << 5 | 24, UInt8(number)]
        default: [kind << 5 | 25, UInt8(number >> 8), UInt8(number & 255)]
        }
    }
}
