/// The pseudo-header fields of a request (RFC 9113 section 8.3.1, RFC 8441 section 4).
public struct HTTP2RequestPseudo: Sendable {
    public enum Kind: Sendable {
        case ordinary
        /// A tunnel to a host, which has neither scheme nor path (RFC 9113 section 8.5).
        case connect
        /// A WebSocket (RFC 8441 section 5).
        case webSocket
    }

    private(set) var kind = Kind.ordinary
    public private(set) var method = 0..<0
    public private(set) var path = 0..<0
    public private(set) var authority: Range<Int>?
    /// How many fields of the list are pseudo-header fields.
    private(set) var count = 0

    init(_ list: borrowing HeaderList) throws(HTTP2Malformed) {
        let bytes = list.bytes.span
        var method: Range<Int>?
        var scheme: Range<Int>?
        var path: Range<Int>?
        var protocolName: Range<Int>?
        let fields = list.fields
        while count < fields.count, bytes.isPseudo(fields[count].name) {
            let (name, value) = (fields[count].name, fields[count].value)
            if bytes.isExactly(":method", name) {
                try Self.set(&method, value)
            } else if bytes.isExactly(":scheme", name) {
                try Self.set(&scheme, value)
            } else if bytes.isExactly(":path", name) {
                try Self.set(&path, value)
            } else if bytes.isExactly(":authority", name) {
                try Self.set(&authority, value)
            } else if bytes.isExactly(":protocol", name) {
                try Self.set(&protocolName, value)
            } else {
                throw HTTP2Malformed("a pseudo-header field is unknown")
            }
            try HTTP2FieldRules.checkValue(bytes, value)
            count += 1
        }
        guard let method, bytes.isToken(method) else { throw HTTP2Malformed("there is no :method, or it is no token") }
        self.method = method
        try checkAuthority(bytes)
        if bytes.isExactly("CONNECT", method), protocolName == nil {
            guard scheme == nil, path == nil, authority?.isEmpty == false else {
                throw HTTP2Malformed("CONNECT goes with :authority only")
            }
            kind = .connect
            return
        }
        try checkTarget(bytes, scheme, path)
        if let protocolName { try setProtocol(bytes, protocolName) }
    }

    private static func set(_ range: inout Range<Int>?, _ value: Range<Int>) throws(HTTP2Malformed) {
        guard range == nil else { throw HTTP2Malformed("a pseudo-header field comes twice") }
        range = value
    }

    /// RFC 9113 section 8.3.1 forbids user information. The router validates the host.
    private func checkAuthority(_ bytes: Span<UInt8>) throws(HTTP2Malformed) {
        guard let authority else { return }
        for position in authority where bytes[position] == UInt8(ascii: "@") || bytes[position] <= 0x20 {
            throw HTTP2Malformed(":authority has user information or white space")
        }
    }

    private mutating func checkTarget(
        _ bytes: Span<UInt8>,
        _ scheme: Range<Int>?,
        _ path: Range<Int>?
    ) throws(HTTP2Malformed) {
        guard let scheme, bytes.isCaseInsensitively("https", scheme) || bytes.isCaseInsensitively("http", scheme) else {
            throw HTTP2Malformed(":scheme is neither http nor https")
        }
        guard let path, !path.isEmpty else { throw HTTP2Malformed("there is no :path") }
        let isAsterisk = bytes.isExactly("*", path) && bytes.isExactly("OPTIONS", method)
        guard isAsterisk || bytes[path.lowerBound] == UInt8(ascii: "/") else {
            throw HTTP2Malformed(":path does not begin with a slash")
        }
        // White space would end the target of the request line.
        for position in path where bytes[position] <= 0x20 || bytes[position] == 0x7f {
            throw HTTP2Malformed(":path has white space or a control character")
        }
        self.path = path
    }

    private mutating func setProtocol(_ bytes: Span<UInt8>, _ name: Range<Int>) throws(HTTP2Malformed) {
        guard bytes.isExactly("CONNECT", method), authority?.isEmpty == false else {
            throw HTTP2Malformed(":protocol goes with CONNECT and :authority only")
        }
        kind = bytes.isCaseInsensitively("websocket", name) ? .webSocket : .connect
    }
}

extension Span where Element == UInt8 {
    func isPseudo(_ name: Range<Int>) -> Bool { !name.isEmpty && self[name.lowerBound] == UInt8(ascii: ":") }

    fileprivate func isToken(_ range: Range<Int>) -> Bool {
        for position in range where !self[position].isTokenByte { return false }
        return !range.isEmpty
    }
}
