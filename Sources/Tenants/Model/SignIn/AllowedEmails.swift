/// The content of `emails_file`: one address a line. Empty lines and what follows a `#` do not count.
public struct AllowedEmails: Sendable, Equatable {
    static let longestLine = 320
    static let most = 200_000

    /// In lower case.
    private let addresses: Set<[UInt8]>

    /// - Throws: ``AllowedEmailsFault`` with the first line that is no address.
    public init(_ content: [UInt8]) throws(AllowedEmailsFault) {
        var addresses: Set<[UInt8]> = []
        for (index, line) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            let text = line.prefix { $0 != UInt8(ascii: "#") }
            guard let first = text.firstIndex(where: { !Self.isSpace($0) }),
                let last = text.lastIndex(where: { !Self.isSpace($0) })
            else { continue }
            let address = text[first...last]
            guard Self.isAddress(address) else { throw AllowedEmailsFault(line: index + 1) }
            guard addresses.count < Self.most else { throw AllowedEmailsFault(line: nil) }
            addresses.insert(address.map(Self.lowercased))
        }
        self.addresses = addresses
    }

    /// Compares ASCII letters in either case.
    public func contains(_ email: String) -> Bool { addresses.contains(email.utf8.map(Self.lowercased)) }

    private static func isAddress(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count <= longestLine, line.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let at = line.lastIndex(of: UInt8(ascii: "@"))
        else { return false }
        return at > line.startIndex && at < line.index(before: line.endIndex)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Why `emails_file` cannot be used.
public struct AllowedEmailsFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// nil: there are too many.
    let line: Int?

    /// The end of a sentence about the file; never shows an address.
    public var description: String {
        line.map { "has no e-mail address in line \($0): write one address a line" }
            ?? "has more than \(AllowedEmails.most) addresses: use \"email_domains\" or \"groups\""
    }
}
