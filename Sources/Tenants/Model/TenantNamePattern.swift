import ConfigurationText

/// A pattern of tenants' names: each `*` stands for any number of characters, none among them.
public struct TenantNamePattern: Sendable, Hashable, CustomStringConvertible {
    /// Bytes.
    static let maximumLength = 63

    public let description: String
    private let bytes: [UInt8]

    /// nil for a text that no tenant's name could match: empty, too long, or with other characters than names have.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetterDigit(or: "-_*") })
        else { return nil }
        description = text
        bytes = Array(text.utf8)
    }

    /// Compares byte for byte.
    public func matches(_ name: String) -> Bool {
        let name = Array(name.utf8)
        var (at, place) = (0, 0)
        // The last star, and the place in the name where what follows it is tried.
        var star: (at: Int, place: Int)?
        while place < name.count {
            if at < bytes.count, bytes[at] == UInt8(ascii: "*") {
                star = (at, place)
                at += 1
            } else if at < bytes.count, bytes[at] == name[place] {
                (at, place) = (at + 1, place + 1)
            } else if let last = star {
                star = (last.at, last.place + 1)
                (at, place) = (last.at + 1, last.place + 1)
            } else {
                return false
            }
        }
        return bytes[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
