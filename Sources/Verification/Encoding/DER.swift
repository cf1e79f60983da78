/// The few shapes of DER (X.690) that keys and ECDSA signatures need.
enum DER {
    private static let integerTag: UInt8 = 0x02
    private static let bitStringTag: UInt8 = 0x03
    private static let octetStringTag: UInt8 = 0x04
    private static let sequenceTag: UInt8 = 0x30

    static func sequence(_ content: [UInt8]) -> [UInt8] {
        element(sequenceTag, content)
    }

    /// An INTEGER from big-endian bytes without a sign.
    static func unsignedInteger(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var content = Array(bytes.drop { $0 == 0 })
        // The top bit is DER's sign, so a number that has it set gets a zero in front; so does zero itself.
        if content.first.map({ $0 & 0x80 != 0 }) ?? true { content.insert(0, at: 0) }
        return element(integerTag, content)
    }

    static func octetString(_ content: [UInt8]) -> [UInt8] {
        element(octetStringTag, content)
    }

    /// A context-specific, constructed element (X.690 section 8.14).
    static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        element(0xA0 | number, content)
    }

    static func publicKeyInfo(algorithm: [UInt8], key: [UInt8]) -> [UInt8] {
        sequence(sequence(algorithm) + element(bitStringTag, [0] + key))
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var output = [tag]
        switch content.count {
        case ..<0x80: output.append(UInt8(content.count))
        case ..<0x100: output += [0x81, UInt8(content.count)]
        default: output += [0x82, UInt8(content.count >> 8 & 0xFF), UInt8(content.count & 0xFF)]
        }
        return output + content
    }
}
