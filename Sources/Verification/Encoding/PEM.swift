/// The textual encoding of keys (RFC 7468).
enum PEM {
    struct Block: Equatable {
        let label: String
        let content: [UInt8]
    }

    /// The blocks of a text, in order; what stands between them is explanatory text. Nil if a block is broken.
    static func blocks(_ text: [UInt8]) -> [Block]? {
        guard let text = String(validating: text, as: UTF8.self) else { return nil }
        var blocks: [Block] = []
        var label: String?
        var body: [UInt8] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if let begun = label {
                if line == "-----END \(begun)-----" {
                    guard let content = decodeBase64(body) else { return nil }
                    blocks.append(Block(label: begun, content: content))
                    label = nil
                    body = []
                } else {
                    body += line.utf8
                }
            } else if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                label = String(line.dropFirst("-----BEGIN ".count).dropLast("-----".count))
            }
        }
        return label == nil ? blocks : nil
    }

    /// A block as text with lines of 64 characters.
    static func text(label: String, _ content: [UInt8]) -> String {
        var encoded = Array(Base64URL.encode(content).utf8).map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while encoded.count % 4 != 0 { encoded.append(UInt8(ascii: "=")) }
        var text = "-----BEGIN \(label)-----\n"
        for start in stride(from: 0, to: encoded.count, by: 64) {
            text += String(decoding: encoded[start..<min(start + 64, encoded.count)], as: UTF8.self) + "\n"
        }
        return text + "-----END \(label)-----\n"
    }

    /// Plain base64 with its padding, as base64url without it.
    private static func decodeBase64(_ body: [UInt8]) -> [UInt8]? {
        var characters: [UInt8] = []
        for byte in body {
            switch byte {
            case UInt8(ascii: "+"): characters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): characters.append(UInt8(ascii: "_"))
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            default: characters.append(byte)
            }
        }
        guard characters.count % 4 == 0 else { return nil }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        return Base64URL.decode(Array(characters.dropLast(padding)))
    }
}
