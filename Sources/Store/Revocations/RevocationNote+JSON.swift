import FoundationEssentials
import Verification

/// The stored form of notes: a readable JSON object, with a hand-written encoder and parser. A start may read a million
/// of them, which takes Foundation's decoder ten times as long as all the rest.
extension RevocationNote {
    /// UTF-8, on one line.
    var json: [UInt8] {
        var bytes: [UInt8] = []
        var separator = UInt8(ascii: "{")
        for (name, value) in [("kind", kind), ("id", id), ("issuer", issuer), ("reason", reason)] {
            guard let value else { continue }
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            Self.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            Self.write(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                bytes += Array("\\u00".utf8) + [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Parses ``json``, or any equivalent JSON.
    init?(json: Span<UInt8>) {
        if let note = Self.readPlainly(json) {
            self = note
        } else {
            let data = Data(json.indices.map { json[$0] })
            guard let note = try? JSONDecoder().decode(RevocationNote.self, from: data) else { return nil }
            self = note
        }
    }

    /// The fast path: JSON without escapes, white space or unknown members, which is nearly all of it.
    private static func readPlainly(_ json: Span<UInt8>) -> RevocationNote? {
        var note = RevocationNote(kind: "")
        var hasKind = false
        var position = 0
        guard json.count > 2, json[0] == UInt8(ascii: "{"), json[json.count - 1] == UInt8(ascii: "}") else {
            return nil
        }
        repeat {
            position += 1
            guard let name = plainText(json, &position), position < json.count, json[position] == UInt8(ascii: ":")
            else {
                return nil
            }
            position += 1
            guard let value = plainText(json, &position), position < json.count else { return nil }
            switch name {
            case "kind":
                note.kind = value
                hasKind = true
            case "id": note.id = value
            case "issuer": note.issuer = value
            case "reason": note.reason = value
            default: return nil
            }
        } while json[position] == UInt8(ascii: ",")
        return hasKind && position == json.count - 1 ? note : nil
    }

    private static func plainText(_ json: Span<UInt8>, _ position: inout Int) -> String? {
        guard position < json.count, json[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        while end < json.count, json[end] != UInt8(ascii: "\"") {
            if json[end] == UInt8(ascii: "\\") || json[end] < 0x20 { return nil }
            end += 1
        }
        guard end < json.count, let text = try? UTF8Span(validating: json.extracting(start..<end)) else { return nil }
        position = end + 1
        return String(copying: text)
    }
}
