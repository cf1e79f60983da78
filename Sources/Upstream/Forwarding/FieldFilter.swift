import Authorization
import HTTPCore

/// Which received fields are forwarded to a backend.
struct FieldFilter {
    enum Verdict {
        case keep
        case drop
        /// A Cookie field, from which only the token and the gateway's own cookies are removed.
        case dropTokenCookie
        /// A list of WebSocket subprotocols, from which only the token is removed.
        case dropTokenProtocol
    }

    private let rules: ForwardingRules
    private let isTrusted: Bool
    private let writesHost: Bool
    private let expectsContinue: Bool
    /// Whether the response must come uncompressed, because the gateway reads it.
    private let wantsPlainAnswer: Bool
    /// Names that Connection lists besides `close` and `keep-alive`.
    private let connectionNames: [Range<Int>]
    /// Whether the client's trace context is complete and passed on.
    private let keepsTraceContext: Bool
    /// Whether the client's `traceparent` is passed on as received: not for a traced request, whose backend gets this
    /// gateway's span as its parent, and not for a later version of the specification.
    let keepsTraceparent: Bool

    init(
        _ grant: Grant,
        _ rules: ForwardingRules,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isTrusted: Bool,
        wantsPlainAnswer: Bool,
        isTraced: Bool
    ) {
        self.wantsPlainAnswer = wantsPlainAnswer
        self.rules = rules
        self.isTrusted = isTrusted
        writesHost = grant.request.target.authority != nil
        expectsContinue = head.expectsContinue
        connectionNames = head.connectionNames
        let traceparent = head.traceparent.map { head.fields[$0].value }
        let isWhole = traceparent.map { TraceContext.isValid(bytes, $0) } ?? false
        keepsTraceContext = isWhole
        keepsTraceparent = isWhole && !isTraced && traceparent.map { TraceContext.isCurrent(bytes, $0) } ?? false
    }

    func verdict(on field: HeadField, _ bytes: Span<UInt8>) -> Verdict {
        if rules.isIdentityField(field, bytes) || rules.isHiddenToken(field, bytes) { return .drop }
        if field.known == .other {
            if isListed(field, bytes) { return .drop }
            if wantsPlainAnswer, bytes.isFieldName(field.name, "accept-encoding") { return .drop }
            guard rules.findsSubprotocols, bytes.isFieldName(field.name, "sec-websocket-protocol") else {
                return .keep
            }
            // An alias was not checked, and a backend might take it for the field that was.
            return field.isAlias ? .drop : rules.stripsSubprotocols ? .dropTokenProtocol : .keep
        }
        if field.isAlias || field.known.endsHere { return .drop }
        switch field.known {
        case .host: return writesHost ? .drop : .keep
        case .expect: return expectsContinue ? .keep : .drop
        // Written by the gateway, including what a trusted proxy sent.
        case .forwarded, .xRequestID, .clientCertificateSubject: return .drop
        case .xForwarded:
            let isTheirs = isTrusted && !field.value.isEmpty && !bytes.isFieldName(field.name, "x-forwarded-for")
            return isTheirs ? .keep : .drop
        case .xRealIP: return isTrusted ? .keep : .drop
        case .traceparent: return keepsTraceparent ? .keep : .drop
        case .tracestate: return keepsTraceContext ? .keep : .drop
        case .authorization: return rules.stripsAuthorization || isListed(field, bytes) ? .drop : .keep
        case .cookie:
            if isListed(field, bytes) { return .drop }
            return rules.stripsCookies ? .dropTokenCookie : .keep
        case .other, .contentLength, .transferEncoding, .connection, .upgrade, .te, .trailer, .keepAlive,
            .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .date:
            return isListed(field, bytes) ? .drop : .keep
        }
    }

    /// RFC 9110 section 7.6.1: fields that Connection names are for this connection only.
    private func isListed(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        for name in connectionNames where bytes.isSameFieldName(name, field.name) {
            return true
        }
        return false
    }
}
