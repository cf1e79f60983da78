/// The request as an HTTP/1.1 head.
extension QueriedRequest {
    /// The head as HTTP/1.1 (RFC 9112 section 3), with its empty line.
    ///
    /// Forwarding fields are made from Envoy's description: `X-Forwarded-For` ends with the peer of Envoy's connection,
    /// whether or not Envoy was configured to add it, so that a client that writes the field itself gains nothing;
    /// without a source there is none. `X-Forwarded-Proto` is the scheme. All other forwarding fields are left out.
    ///
    /// - Returns: Nil if a part of the request is ambiguous, or contradicts another.
    public func head() -> [UInt8]? {
        // In absolute form (RFC 9112 section 3.2.2) the path would name another host than Envoy has seen.
        guard !isContradictory, method.isVisibleASCII, path.isVisibleASCII, host.isVisibleASCII,
            path.first == UInt8(ascii: "/") || path == Self.asterisk
        else { return nil }
        guard scheme.isEmpty || Self.schemes.contains(scheme) else { return nil }
        var head: [UInt8] = []
        head.reserveCapacity(fields.reduce(256 + path.count) { $0 + $1.name.count + $1.value.count + 4 })
        head += method
        head += " ".utf8
        head += path
        head += " HTTP/1.1".utf8
        head.add("Host", host)
        var forwardedFor: [UInt8] = []
        for field in fields {
            guard field.isOneLine else { return nil }
            switch String(decoding: field.name, as: UTF8.self).lowercased() {
            case ":method": guard field.value == method else { return nil }
            case ":path": guard field.value == path else { return nil }
            case ":authority", "host": guard field.value == host else { return nil }
            case ":scheme", ":protocol": break
            case "x-forwarded-for":
                forwardedFor += field.value
                forwardedFor += ", ".utf8
            case "forwarded": break
            case let name where name.hasPrefix("x-forwarded-"): break
            case let name where name.hasPrefix(":"): return nil
            default: head.add(field.name, field.value)
            }
        }
        if let source, source.mayBeAddress { head.add("X-Forwarded-For", forwardedFor + source) }
        if !scheme.isEmpty { head.add("X-Forwarded-Proto", scheme) }
        head += "\r\n\r\n".utf8
        return head
    }

    private static let asterisk = [UInt8(ascii: "*")]
    private static let schemes = [Array("http".utf8), Array("https".utf8)]
}

extension AuthzField {
    /// Whether it can be written as one line that is read as this field. The head parser enforces the other rules for
    /// fields (RFC 9110 section 5.5).
    fileprivate var isOneLine: Bool {
        // The colon of a pseudo-header field.
        name.isVisibleASCII && !name.dropFirst().contains(UInt8(ascii: ":"))
            && !value.contains { $0 == 0x0d || $0 == 0x0a || $0 == 0 }
    }
}

extension [UInt8] {
    /// Visible ASCII, not empty.
    fileprivate var isVisibleASCII: Bool { !isEmpty && allSatisfy { $0 > 0x20 && $0 < 0x7f } }

    /// Digits, dots and colons only: it cannot be two members of a list.
    fileprivate var mayBeAddress: Bool {
        !isEmpty
            && allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }

    /// After the previous line.
    fileprivate mutating func add(_ name: some Sequence<UInt8>, _ value: [UInt8]) {
        self += "\r\n".utf8
        append(contentsOf: name)
        self += ": ".utf8
        self += value
    }

    fileprivate mutating func add(_ name: String, _ value: [UInt8]) { add(name.utf8, value) }
}
