/// The fields of a head or of trailers, in order and with their duplicates.
struct FieldLines: Sendable, CustomStringConvertible {
    private(set) var lines: [(name: String, value: String)] = []

    /// Every value of the field, whatever the case of its name (RFC 9110 section 5.1).
    subscript(name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var names: [String] { lines.map { $0.name.lowercased() } }

    var description: String { lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }

    /// Members of a comma-separated list field (RFC 9110 section 5.6.1), lower case.
    func list(_ name: String) -> [String] {
        self[name].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingSpaces.lowercased() }
            .filter { !$0.isEmpty }
    }

    /// Reads up to the empty line.
    ///
    /// - Throws: ``Malformed`` for obs-fold, white space before the colon or a name that is no token; ``Truncated`` for
    ///   an end before the empty line.
    static func read(from reader: ByteReader) async throws -> FieldLines {
        var fields = FieldLines()
        while let line = try await reader.line() {
            if line.isEmpty { return fields }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
                throw Malformed("no field line: \(line.text)")
            }
            let name = line[..<colon]
            guard name.allSatisfy(isTokenByte) else { throw Malformed("no field name: \(line.text)") }
            fields.lines.append((Array(name).text, Array(line[(colon + 1)...]).text.trimmingSpaces))
        }
        throw Truncated(missing: 2)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension StringProtocol {
    /// Without OWS (RFC 9110 section 5.6.3) on both ends.
    var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = String(self)
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
