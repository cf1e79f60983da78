package import Authorization
package import HTTPCore
package import NIOCore
package import Tenants

/// What the head for a backend is made from, besides the head as received.
package struct ForwardingContext {
    /// The tenant's rules.
    package let rules: ForwardingRules
    package let peer: Peer
    package let requestID: RequestID
    /// For a `traceparent` if the client sent no valid one, or the request is traced.
    package var traceID: (UInt64, UInt64)
    package var spanID: UInt64
    /// The client's protocol.
    package let version: HTTPVersion
    /// For a WebSocket.
    package let handshake: WebSocketUpgrade?
    /// Whether the gateway reads the response, which must then be uncompressed.
    package let wantsPlainAnswer: Bool
    /// Whether the request is traced, so that its `traceparent` is always ours.
    package var isTraced = false

    package init(
        rules: ForwardingRules,
        peer: Peer,
        requestID: RequestID,
        traceID: (UInt64, UInt64),
        spanID: UInt64,
        version: HTTPVersion,
        handshake: WebSocketUpgrade? = nil,
        wantsPlainAnswer: Bool = false
    ) {
        self.rules = rules
        self.peer = peer
        self.requestID = requestID
        self.traceID = traceID
        self.spanID = spanID
        self.version = version
        self.handshake = handshake
        self.wantsPlainAnswer = wantsPlainAnswer
    }
}

/// The head for the backend, which takes a ``Grant`` to make.
///
/// Kept field lines are copied as received, in as few pieces as possible. The gateway's own fields are written last,
/// after every copy of them that the client sent has been dropped.
package enum BackendRequest {
    /// Bytes that are added to a head besides the identity fields.
    private static let ownFieldsLength = 640

    package static func write(
        _ grant: Grant,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        context: ForwardingContext,
        to out: inout ByteBuffer
    ) {
        let identityLength = grant.caller?.identityLines.count ?? 0
        out.writeHead(about: head.length + identityLength + ownFieldsLength) { out in
            write(grant, head, bytes, context, to: &out)
        }
    }

    private static func write(
        _ grant: Grant,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: ForwardingContext,
        to out: inout HeadWriter
    ) {
        writeRequestLine(grant, head, bytes, context.rules, to: &out)
        let hasTraceparent = writeKeptFields(grant, head, bytes, context, to: &out)
        if let authority = grant.request.target.authority { writeHost(bytes, authority, to: &out) }
        writeFraming(head.framing, to: &out)
        if let handshake = context.handshake { writeUpgrade(handshake, to: &out) }
        if grant.request.tenant.needsClientCertificate, let subject = context.peer.tls?.clientSubject {
            writeSubject(subject, to: &out)
        }
        if let lines = grant.caller?.identityLines { out.writeBytes(lines.span.bytes) }
        if !grant.signInLines.isEmpty { out.writeBytes(grant.signInLines) }
        let set = context.rules.setLines
        if !set.isEmpty { out.writeBytes(set) }
        writeIdentifiers(head, bytes, context, hasTraceparent: hasTraceparent, to: &out)
        writeForwarding(head, bytes, grant, context, to: &out)
        out.writeStaticString("\r\n")
    }

    // MARK: The request line

    private static func writeRequestLine(
        _ grant: Grant,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ rules: ForwardingRules,
        to out: inout HeadWriter
    ) {
        let request = grant.request
        out.writeBytes(bytes.extracting(head.method).bytes)
        out.writeStaticString(" ")
        let isAsterisk = request.target.isAsterisk
        if !isAsterisk, let rewrite = request.route?.rewrite {
            request.request.withForwardedPath(bytes) { path in
                rewrite.forEachPiece(of: path) { out.writeBytes($0.bytes) }
            }
        } else {
            writePath(request, bytes, without: isAsterisk ? [] : rules.strippedPrefix, to: &out)
        }
        if !request.target.query.isEmpty {
            let strips = request.tenant.tenant.identity.token == .strip
            request.forEachPieceOfQuery(bytes, withoutTokens: strips) { out.writeBytes($0.bytes) }
        }
        out.writeStaticString(" HTTP/1.1\r\n")
    }

    private static func writePath(
        _ request: RoutedRequest,
        _ bytes: Span<UInt8>,
        without prefix: [UInt8],
        to out: inout HeadWriter
    ) {
        request.request.withForwardedPath(bytes) { path in
            let rest = path.extracting(afterPrefix(prefix, path)..<path.count)
            // `/app` under the prefix `/app` is the backend's root.
            if rest.count == 0 { out.writeStaticString("/") }
            out.writeBytes(rest.bytes)
        }
    }

    /// The index in `path` after the prefix. Counted in segments, since an escaped segment is longer than its meaning;
    /// and past further slashes, since some servers read a host after two leading slashes.
    private static func afterPrefix(_ prefix: [UInt8], _ path: Span<UInt8>) -> Int {
        guard !prefix.isEmpty else { return 0 }
        let slash = UInt8(ascii: "/")
        var segments = prefix.count { $0 == slash }
        var position = 0
        while position < path.count {
            if path[position] == slash {
                if segments == 0 { break }
                segments -= 1
            }
            position += 1
        }
        while position + 1 < path.count, path[position + 1] == slash { position += 1 }
        return position
    }

    // MARK: Fields as received

    /// Returns whether a `traceparent` is among them.
    private static func writeKeptFields(
        _ grant: Grant,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: ForwardingContext,
        to out: inout HeadWriter
    ) -> Bool {
        let filter = FieldFilter(
            grant,
            context.rules,
            head,
            bytes,
            isTrusted: context.peer.isTrustedProxy,
            wantsPlainAnswer: context.wantsPlainAnswer,
            isTraced: context.isTraced
        )
        var kept = ForwardedLines()
        // A local copy: reading through the head would retain and release the array for each field.
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            switch filter.verdict(on: field, bytes) {
            case .keep: kept.keep(field, bytes, to: &out)
            case .drop: break
            case .dropTokenProtocol: writeProtocolsWithoutToken(field, bytes, to: &out)
            case .dropTokenCookie:
                writeCookie(field, bytes, without: context.rules.withheldCookies, to: &out)
            }
        }
        kept.finish(bytes, to: &out)
        return filter.keepsTraceparent
    }

    private static func writeCookie(
        _ field: HeadField,
        _ bytes: Span<UInt8>,
        without tokens: [TokenSource],
        to out: inout HeadWriter
    ) {
        var separator: StaticString = "Cookie: "
        forEachKeptCookie(field, bytes, tokens: tokens) { cookie in
            out.writeStaticString(separator)
            out.writeBytes(bytes.extracting(cookie).bytes)
            separator = "; "
        }
        if separator.utf8CodeUnitCount == 2 { out.writeStaticString("\r\n") }
    }

    private static func writeProtocolsWithoutToken(_ field: HeadField, _ bytes: Span<UInt8>, to out: inout HeadWriter) {
        var separator: StaticString = "Sec-WebSocket-Protocol: "
        forEachKeptProtocol(field, bytes) { member in
            out.writeStaticString(separator)
            out.writeBytes(bytes.extracting(member).bytes)
            separator = ", "
        }
        if separator.utf8CodeUnitCount == 2 { out.writeStaticString("\r\n") }
    }

    /// How the names of the gateway's own cookies begin.
    private static let ownCookies = ["__Host-gatehouse-", "gatehouse-"]

    /// The cookies of a field except tokens and the gateway's own, each with its name.
    ///
    /// - Parameter sources: Where the tokens are.
    package static func forEachKeptCookie(
        _ field: HeadField,
        _ bytes: Span<UInt8>,
        tokens sources: [TokenSource],
        _ body: (Range<Int>) -> Void
    ) {
        Cookies.forEach(bytes, field.value) { pair in
            let holdsToken = sources.contains { source in
                guard case .cookie(let name) = source else { return false }
                return bytes.isEqual(pair.name, to: name)
            }
            let isOwn = ownCookies.contains { beginning in
                let end = pair.name.lowerBound + beginning.utf8.count
                return end <= pair.name.upperBound && bytes.isEqual(pair.name.lowerBound..<end, to: beginning)
            }
            if !holdsToken, !isOwn { body(bytes.trimmed(pair.whole)) }
        }
    }

    /// The WebSocket subprotocols of a field except tokens.
    package static func forEachKeptProtocol(_ field: HeadField, _ bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        WebSocketProtocols.forEach(bytes, field.value) { _ in
        } other: {
            body($0)
        }
    }

    // MARK: The gateway's own fields

    private static func writeHost(_ bytes: Span<UInt8>, _ authority: Range<Int>, to out: inout HeadWriter) {
        out.writeStaticString("Host: ")
        out.writeBytes(bytes.extracting(authority).bytes)
        out.writeStaticString("\r\n")
    }

    private static func writeFraming(_ framing: RequestFraming, to out: inout HeadWriter) {
        switch framing {
        case .none: break
        case .length(let length):
            out.writeStaticString("Content-Length: ")
            out.writeDecimal(length)
            out.writeStaticString("\r\n")
        case .chunked: out.writeStaticString("Transfer-Encoding: chunked\r\n")
        }
    }

    private static func writeUpgrade(_ handshake: WebSocketUpgrade, to out: inout HeadWriter) {
        out.writeStaticString("Connection: Upgrade\r\nUpgrade: websocket\r\n")
        guard let key = handshake.missingKey else { return }
        out.writeStaticString("Sec-WebSocket-Key: ")
        out.writeBytes(key)
        out.writeStaticString("\r\n")
    }

    /// The subject of the client's certificate. A copy that the client sent is never kept (``FieldFilter``).
    private static func writeSubject(_ subject: [UInt8], to out: inout HeadWriter) {
        out.writeStaticString("X-Client-Certificate-Subject: ")
        out.writeBytes(subject.span.bytes)
        out.writeStaticString("\r\n")
    }

    private static func writeIdentifiers(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ context: ForwardingContext,
        hasTraceparent: Bool,
        to out: inout HeadWriter
    ) {
        out.writeStaticString("X-Request-Id: ")
        out.writeRequestID(context.requestID)
        guard !hasTraceparent else {
            out.writeStaticString("\r\n")
            return
        }
        // A client's valid one that was not kept is of a later version: the part that is known goes on as version 00
        // (W3C Trace Context level 1, sections 3.2 and 4.3).
        let parent = context.isTraced ? nil : TraceParent(head, bytes)
        out.writeStaticString("\r\ntraceparent: 00-")
        out.writeHex(parent?.traceHigh ?? context.traceID.0)
        out.writeHex(parent?.traceLow ?? context.traceID.1)
        out.writeStaticString("-")
        out.writeHex(parent?.spanID ?? context.spanID)
        out.writeStaticString(parent?.isSampled ?? context.isTraced ? "-01\r\n" : "-00\r\n")
    }

    /// `Forwarded` (RFC 7239), `X-Forwarded-For`, `-Proto`, `-Host` and `Via` (RFC 9110 section 7.6.3). Lists that a
    /// trusted proxy began are continued.
    private static func writeForwarding(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ grant: Grant,
        _ context: ForwardingContext,
        to out: inout HeadWriter
    ) {
        let peer = context.peer
        let address = peer.text
        let isTLS = peer.tls != nil
        let received = peer.isTrustedProxy ? ReceivedForwarding(head, bytes) : ReceivedForwarding()
        let host = grant.request.target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        out.writeStaticString("X-Forwarded-For: ")
        out.writeList(bytes, received.addresses)
        out.writeBytes(address.span.bytes)
        if !received.hasProtocol {
            out.writeStaticString(isTLS ? "\r\nX-Forwarded-Proto: https" : "\r\nX-Forwarded-Proto: http")
        }
        if !received.hasHost {
            out.writeStaticString("\r\nX-Forwarded-Host: ")
            out.writeBytes(bytes.extracting(host).bytes)
        }
        out.writeStaticString("\r\nForwarded: ")
        out.writeList(bytes, received.forwarded)
        out.writeStaticString(peer.isIPv6 ? "for=\"[" : "for=")
        out.writeBytes(address.span.bytes)
        if peer.isIPv6 { out.writeStaticString("]\"") }
        out.writeStaticString(isTLS ? ";proto=https;host=\"" : ";proto=http;host=\"")
        out.writeBytes(bytes.extracting(host).bytes)
        out.writeStaticString("\"\r\nVia: ")
        out.writeStaticString(context.version.received)
        out.writeStaticString(" gatehouse\r\n")
    }
}

/// What a trusted proxy in front of the gateway reported of the path so far.
private struct ReceivedForwarding {
    private(set) var addresses: [Range<Int>] = []
    private(set) var forwarded: [Range<Int>] = []
    private(set) var hasProtocol = false
    private(set) var hasHost = false

    init() {}

    init(_ head: RequestHead, _ bytes: Span<UInt8>) {
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            guard !field.isAlias, !field.value.isEmpty else { continue }
            if field.known == .forwarded { forwarded.append(field.value) }
            guard field.known == .xForwarded else { continue }
            if bytes.isFieldName(field.name, "x-forwarded-for") {
                addresses.append(field.value)
            } else if bytes.isFieldName(field.name, "x-forwarded-proto") {
                hasProtocol = true
            } else if bytes.isFieldName(field.name, "x-forwarded-host") {
                hasHost = true
            }
        }
    }
}

extension HeadWriter {
    fileprivate mutating func writeList(_ bytes: Span<UInt8>, _ members: [Range<Int>]) {
        for member in members {
            writeBytes(bytes.extracting(member).bytes)
            writeStaticString(", ")
        }
    }
}
