package import HTTPCore
package import Tenants

/// Looks for a token at the locations that a tenant names, in their order.
package enum TokenFinder {
    package enum Finding: Equatable {
        case missing
        /// The token's bytes, and the index of its source.
        case token(Range<Int>, index: Int)
        /// Two different tokens in one location: an attempt to have the gateway check one and the backend use the
        /// other.
        case several
    }

    /// - Parameter takesProofs: Whether to look for the DPoP scheme too.
    package static func find(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        query: Range<Int>,
        in sources: [TokenSource],
        takesProofs: Bool = false
    ) -> Finding {
        for index in sources.indices {
            switch found(sources[index], head, bytes, query: query, takesProofs: takesProofs) {
            case .missing: continue
            case .token(let range): return .token(range, index: index)
            case .several: return .several
            }
        }
        return .missing
    }

    /// The tokens at all locations after one, in their order.
    ///
    /// - Parameter index: Of that location among `sources`.
    /// - Returns: Nil if one of them has several different tokens.
    static func findAll(
        after index: Int,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        query: Range<Int>,
        in sources: [TokenSource],
        takesProofs: Bool
    ) -> [PresentedRange]? {
        var tokens: [PresentedRange] = []
        for index in (index + 1)..<sources.count {
            switch found(sources[index], head, bytes, query: query, takesProofs: takesProofs) {
            case .missing: continue
            case .token(let range): tokens.append(PresentedRange(range: range, source: index))
            case .several: return nil
            }
        }
        return tokens
    }

    /// What there is at one location.
    @inline(__always)
    private static func found(
        _ source: TokenSource,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        query: Range<Int>,
        takesProofs: Bool
    ) -> Found {
        switch source {
        case .bearer: bearer(head, bytes, takesProofs: takesProofs)
        case .cookie(let name): cookie(name, head, bytes)
        case .query(let name): self.query(name, query, bytes)
        case .header(let name): header(name, head, bytes)
        }
    }

    /// In one location.
    private enum Found {
        case missing
        case token(Range<Int>)
        case several
    }

    /// Whether the token in the head came as `Authorization: DPoP TOKEN`.
    static func isBoundScheme(of token: Range<Int>, _ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].known == .authorization {
            let value = fields[index].value
            guard value.contains(token.lowerBound) else { continue }
            return self.token(after: "dpop", in: value, bytes) == token
        }
        return false
    }

    /// `Authorization: Bearer TOKEN` (RFC 6750 section 2.1) and `DPoP TOKEN` (RFC 9449 section 7.1).
    private static func bearer(_ head: RequestHead, _ bytes: Span<UInt8>, takesProofs: Bool) -> Found {
        var finding = Found.missing
        var count = 0
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].known == .authorization {
            count += 1
            guard count == 1 else { return .several }
            let value = fields[index].value
            if let token = token(after: "bearer", in: value, bytes) {
                finding = .token(token)
            } else if takesProofs, let token = token(after: "dpop", in: value, bytes) {
                finding = .token(token)
            }
        }
        return finding
    }

    /// - Parameter scheme: In lower case; case is ignored (RFC 9110 section 11.1).
    private static func token(after scheme: StaticString, in value: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int>? {
        let length = scheme.utf8CodeUnitCount
        guard value.count > length + 1 else { return nil }
        let end = value.lowerBound + length
        guard bytes.isCaseInsensitively(scheme, value.lowerBound..<end), bytes[end] == UInt8(ascii: " ") else {
            return nil
        }
        var start = end
        while start < value.upperBound, bytes[start] == UInt8(ascii: " ") { start += 1 }
        return start..<value.upperBound
    }

    private static func cookie(_ name: String, _ head: RequestHead, _ bytes: Span<UInt8>) -> Found {
        var found: Range<Int>?
        for index in 0..<head.fieldCount where head.fields[index].known == .cookie {
            var isAmbiguous = false
            Cookies.forEach(bytes, head.fields[index].value) { pair in
                guard bytes.isEqual(pair.name, to: name), !pair.value.isEmpty else { return }
                if let earlier = found, !bytes.isEqual(earlier, pair.value) { isAmbiguous = true }
                found = pair.value
            }
            if isAmbiguous { return .several }
        }
        return found.map(Found.token) ?? .missing
    }

    private static func query(_ name: String, _ query: Range<Int>, _ bytes: Span<UInt8>) -> Found {
        var found: Range<Int>?
        var isAmbiguous = false
        QueryParameters.forEach(bytes, query) { parameter in
            guard QueryParameters.isName(bytes, parameter.name, name), !parameter.value.isEmpty else { return }
            if let earlier = found, !bytes.isEqual(earlier, parameter.value) { isAmbiguous = true }
            found = parameter.value
        }
        return isAmbiguous ? .several : found.map(Found.token) ?? .missing
    }

    private static func header(_ name: String, _ head: RequestHead, _ bytes: Span<UInt8>) -> Found {
        if WebSocketProtocols.isName(name) { return subprotocol(name, head, bytes) }
        var found: Range<Int>?
        let hash = FieldLine.hash(ofName: name)
        for index in 0..<head.fieldCount where head.fields[index].hash == hash {
            let field = head.fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, equalTo: name), !field.value.isEmpty else { continue }
            if let earlier = found, !bytes.isEqual(earlier, field.value) { return .several }
            found = field.value
        }
        return found.map(Found.token) ?? .missing
    }

    private static func subprotocol(_ name: String, _ head: RequestHead, _ bytes: Span<UInt8>) -> Found {
        var found: Range<Int>?
        var isAmbiguous = false
        let hash = FieldLine.hash(ofName: name)
        for index in 0..<head.fieldCount where head.fields[index].hash == hash {
            let field = head.fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, equalTo: name) else { continue }
            WebSocketProtocols.forEach(bytes, field.value) { member in
                if let earlier = found, !bytes.isEqual(earlier, member) { isAmbiguous = true }
                found = member
            } other: { _ in
            }
        }
        return isAmbiguous ? .several : found.map(Found.token) ?? .missing
    }
}

/// A token in a head, and the index of the location where it is.
struct PresentedRange: Equatable {
    var range: Range<Int>
    var source: Int
}

/// The pairs of a Cookie field (RFC 6265 section 4.2.1), split at every `;` as user agents write them.
package enum Cookies {
    package struct Pair {
        package var name: Range<Int>
        /// Without white space and without one pair of quotes.
        package var value: Range<Int>
        /// The whole pair between the semicolons.
        package var whole: Range<Int>
    }

    package static func forEach(_ bytes: Span<UInt8>, _ field: Range<Int>, _ body: (Pair) -> Void) {
        var start = field.lowerBound
        while start < field.upperBound {
            var end = start
            while end < field.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
            let whole = start..<end
            var equals = start
            while equals < end, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
            if equals == end, !bytes.trimmed(whole).isEmpty {
                // A value without a name, as user agents parse it (RFC 6265bis section 5.7).
                body(Pair(name: start..<start, value: bytes.trimmed(whole), whole: whole))
            } else if equals < end {
                let name = bytes.trimmed(start..<equals)
                var value = bytes.trimmed((equals + 1)..<end)
                if value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "\""),
                    bytes[value.upperBound - 1] == UInt8(ascii: "\"")
                {
                    value = (value.lowerBound + 1)..<(value.upperBound - 1)
                }
                body(Pair(name: name, value: value, whole: whole))
            }
            start = end + 1
        }
    }
}

/// The parameters of a query, split at `&`. Values are not decoded, since a token has no character that needs it; names
/// are decoded for comparison, as the backend decodes them.
package enum QueryParameters {
    package struct Parameter {
        package var name: Range<Int>
        package var value: Range<Int>
        package var whole: Range<Int>
    }

    /// Whether the decoded name at `range` is `name`.
    package static func isName(_ bytes: Span<UInt8>, _ range: Range<Int>, _ name: String) -> Bool {
        var position = range.lowerBound
        for wanted in name.utf8 {
            guard position < range.upperBound else { return false }
            var byte = bytes[position]
            if byte == UInt8(ascii: "%"), position + 2 < range.upperBound, let high = bytes[position + 1].hexValue,
                let low = bytes[position + 2].hexValue
            {
                byte = high << 4 | low
                position += 2
            }
            guard byte == wanted else { return false }
            position += 1
        }
        return position == range.upperBound
    }

    /// - Parameter query: With its `?`; may be empty.
    package static func forEach(_ bytes: Span<UInt8>, _ query: Range<Int>, _ body: (Parameter) -> Void) {
        guard !query.isEmpty else { return }
        var start = query.lowerBound + 1
        while start <= query.upperBound {
            var end = start
            while end < query.upperBound, bytes[end] != UInt8(ascii: "&") { end += 1 }
            var equals = start
            while equals < end, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
            body(Parameter(name: start..<equals, value: min(equals + 1, end)..<end, whole: start..<end))
            start = end + 1
        }
    }
}

extension Span where Element == UInt8 {
    package func isEqual(_ range: Range<Int>, to text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var position = range.lowerBound
        for byte in text.utf8 {
            guard self[position] == byte else { return false }
            position += 1
        }
        return true
    }

    package func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where self[left.lowerBound + offset] != self[right.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether the field name at `range` is `name`, with case ignored and `_` read as `-`.
    package func isFieldName(_ range: Range<Int>, equalTo name: String) -> Bool {
        guard range.count == name.utf8.count else { return false }
        var position = range.lowerBound
        for byte in name.utf8 {
            guard self[position].asFieldNameByte == byte.asFieldNameByte else { return false }
            position += 1
        }
        return true
    }

    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last, self[first].isOptionalWhiteSpace { first += 1 }
        while first < last, self[last - 1].isOptionalWhiteSpace { last -= 1 }
        return first..<last
    }
}
