/// An e-mail address from a provider.
enum ProviderEmail {
    /// RFC 5321 section 4.5.3.1 with its erratum 1690.
    private static let longest = 254
    private static let longestLocalPart = 64
    /// The domain from which Apple forwards mail for people who hide their address.
    private static let relayDomain = "privaterelay.appleid.com"
    /// Characters that would end the address, begin another, or make it a name with an address; any other visible
    /// character is left to the mail server.
    private static let separators = Set("@,;:<>()[]\"\\".utf8)

    /// Whether `text` is a single address, in ASCII and without quoting.
    static func isValid(_ text: String) -> Bool {
        guard PlainText.isVisible(text, longest: longest), let (local, domain) = parts(of: text) else { return false }
        return (1...longestLocalPart).contains(local.count) && !local.contains(where: separators.contains)
            && domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    /// - Parameter text: A valid address. The domain is compared case-insensitively.
    static func isRelay(_ text: String) -> Bool {
        guard let (_, domain) = parts(of: text) else { return false }
        return domain.elementsEqual(relayDomain.utf8) { $0 | 0x20 == $1 }
    }

    private static func parts(of text: String) -> (local: Substring.UTF8View, domain: Substring.UTF8View)? {
        guard let at = text.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        return (text.utf8[..<at], text.utf8[text.utf8.index(after: at)...])
    }

    /// RFC 1123 section 2.1.
    private static func isLabel(_ label: some Collection<UInt8>) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
