package import HTTPCore

/// What form of a refusal a client prefers (RFC 9110 section 12.5.1), and so whether a person sits before it.
package enum PreferredForm {
    /// Members of `Accept` that are looked at; browsers send about ten.
    private static let maximumMembers = 64
    private static let acceptHash = FieldLine.hash(ofName: "accept")

    /// How much a client wants a type, and how exactly it named it.
    private struct Wish {
        /// In thousandths.
        var weight = 0
        /// 0: not named; 1: by `*/*`; 2: by `text/*`; 3: itself.
        var precision = 0

        mutating func add(_ weight: Int, precision: Int) {
            if precision > self.precision { self = Wish(weight: weight, precision: precision) }
        }
    }

    /// Whether a page is preferred to JSON: named with a higher weight, or with the same and more exactly. A client that
    /// takes anything, as most programs do, gets JSON.
    package static func isHTML(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        var html = Wish()
        var json = Wish()
        var members = 0
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == acceptHash {
            let field = fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, "accept") else { continue }
            bytes.forEachListMember(field.value) { member in
                members += 1
                guard members <= maximumMembers else { return }
                let (type, weight) = parts(of: member, bytes)
                guard let weight else { return }
                if bytes.isCaseInsensitively("*/*", type) {
                    html.add(weight, precision: 1)
                    json.add(weight, precision: 1)
                } else if bytes.isCaseInsensitively("text/*", type) {
                    html.add(weight, precision: 2)
                } else if bytes.isCaseInsensitively("application/*", type) {
                    json.add(weight, precision: 2)
                } else if bytes.isCaseInsensitively("text/html", type) {
                    html.add(weight, precision: 3)
                } else if bytes.isCaseInsensitively("application/json", type)
                    || bytes.isCaseInsensitively("application/problem+json", type)
                {
                    if json.precision < 3 || weight > json.weight { json = Wish(weight: weight, precision: 3) }
                }
            }
        }
        guard html.weight > 0 else { return false }
        return html.weight > json.weight || html.weight == json.weight && html.precision > json.precision
    }

    /// - Returns: The weight is nil if it is malformed.
    private static func parts(of member: Range<Int>, _ bytes: Span<UInt8>) -> (type: Range<Int>, weight: Int?) {
        var type: Range<Int>?
        var weight: Int? = 1000
        var start = member.lowerBound
        while start <= member.upperBound {
            var end = start
            while end < member.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
            let part = bytes.trimmed(start..<end)
            if type == nil {
                type = part
            } else if part.count >= 2, bytes.isCaseInsensitively("q=", part.lowerBound..<(part.lowerBound + 2)) {
                weight = Self.weight((part.lowerBound + 2)..<part.upperBound, bytes)
            }
            start = end + 1
        }
        return (type ?? member, weight)
    }

    /// `0` to `1` with up to three decimals (RFC 9110 section 12.4.2), in thousandths.
    private static func weight(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Int? {
        guard 1...5 ~= range.count, let whole = digit(bytes[range.lowerBound]), whole <= 1 else { return nil }
        var weight = whole * 1000
        guard range.count > 1 else { return weight }
        guard bytes[range.lowerBound + 1] == UInt8(ascii: ".") else { return nil }
        var unit = 100
        for index in (range.lowerBound + 2)..<range.upperBound {
            guard let digit = digit(bytes[index]) else { return nil }
            weight += digit * unit
            unit /= 10
        }
        return weight <= 1000 ? weight : nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int(byte - UInt8(ascii: "0")) : nil
    }
}
