/// The parameters of a query or a form (`application/x-www-form-urlencoded`), without duplicates (RFC 6749 section
/// 3.1).
struct FormParameters: Sendable {
    private var values: [String: String] = [:]

    init(_ text: some StringProtocol) throws(StandInRefusal) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "") else {
                throw .request("a parameter is not percent-encoded UTF-8")
            }
            guard values.updateValue(value, forKey: name) == nil else { throw .request("\(name) is there twice") }
        }
    }

    /// Nil if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func require(_ name: String) throws(StandInRefusal) -> String {
        guard let value = self[name] else { throw .request("\(name) is missing") }
        return value
    }

    /// `name=value` pairs, joined by `&`.
    static func text(of fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

/// Why the stand-in refuses a request (RFC 6749 section 5.2).
struct StandInRefusal: Error, Equatable {
    let status: Int
    let error: String
    let reason: String

    static func request(_ reason: String) -> StandInRefusal {
        StandInRefusal(status: 400, error: "invalid_request", reason: reason)
    }

    static func grant(_ reason: String) -> StandInRefusal {
        StandInRefusal(status: 400, error: "invalid_grant", reason: reason)
    }
}
