import Authorization
import HTTPCore
import IdentityProvider
import NIOCore
import Tenants
import Time

/// Builds an endpoint's request from a request head.
struct EndpointRequestReader {
    let endpoint: Endpoint
    let routed: RoutedRequest
    let head: RequestHead
    let peer: Peer
    let trustedProxies: [AddressRange]
    let requestID: RequestID

    /// - Parameters:
    ///   - bytes: The bytes of the head.
    /// - Returns: Nil if one location has several tokens; another reader might use a different one.
    func read(_ bytes: Span<UInt8>, at now: UnixTime) -> EndpointRequest? {
        guard let tokens = tokens(bytes) else { return nil }
        let query = routed.target.query
        let scheme = ClientScheme.read(head, bytes, peer)
        let authority = routed.target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        return EndpointRequest(
            endpoint: endpoint,
            method: text(bytes, head.method),
            path: text(bytes, routed.target.path),
            query: query.count > 1 ? text(bytes, (query.lowerBound + 1)..<query.upperBound) : nil,
            isSecure: scheme.isSecure ?? (peer.tls != nil),
            isSchemeKnown: scheme != .unknown,
            authority: text(bytes, authority).lowercased(),
            fields: fields(bytes),
            presentedToken: tokens.first,
            furtherTokens: Array(tokens.dropFirst()),
            clientAddress: Self.clientAddress(head, bytes, peer, trustedProxies: trustedProxies)?.bytes ?? [],
            clientCertificateThumbprint: peer.clientCertificateThumbprint,
            id: requestID.text,
            now: now
        )
    }

    /// The tokens at all locations, in their order.
    ///
    /// - Returns: Nil if one location has several.
    private func tokens(_ bytes: Span<UInt8>) -> [PresentedToken]? {
        var tokens: [PresentedToken] = []
        for source in routed.tenant.tenant.authenticate.from {
            switch TokenFinder.find(
                head,
                bytes,
                query: routed.target.query,
                in: [source],
                takesProofs: routed.tenant.proving != nil
            ) {
            case .missing: continue
            case .several: return nil
            case .token(let range, _):
                var cookie: String?
                if case .cookie(let name) = source { cookie = name }
                tokens.append(PresentedToken(token: text(bytes, range), cookie: cookie))
            }
        }
        return tokens
    }

    private func fields(_ bytes: Span<UInt8>) -> EndpointRequest.Fields {
        let browser = BrowserFields(head, bytes)
        var fields = EndpointRequest.Fields(
            origin: browser.origin.map { text(bytes, $0) },
            secFetchSite: browser.fetchSite.map { text(bytes, $0) },
            isOriginAmbiguous: browser.isAmbiguous
        )
        for index in 0..<head.fieldCount where !head.fields[index].isAlias {
            let field = head.fields[index]
            let value = text(bytes, field.value)
            switch field.known {
            case .authorization: fields.authorization = value
            case .cookie: fields.cookies.append(value)
            case .other where bytes.isFieldName(field.name, "content-type"): fields.contentType = value
            case .other where bytes.isFieldName(field.name, "user-agent"): fields.userAgent = value
            case .other where bytes.isFieldName(field.name, "accept-language"): fields.acceptLanguage = value
            case .other where bytes.isFieldName(field.name, "dpop"): fields.proofs.append(value)
            case .other where bytes.isFieldName(field.name, "sec-fetch-mode"): fields.secFetchMode = value
            case .other where bytes.isFieldName(field.name, "sec-fetch-dest"): fields.secFetchDest = value
            case .other, .host, .contentLength, .transferEncoding, .connection, .expect, .upgrade, .te, .trailer,
                .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .forwarded,
                .xForwarded, .xRealIP, .xRequestID, .traceparent, .tracestate, .date, .clientCertificateSubject:
                break
            }
        }
        return fields
    }

    /// The client's address, as the trusted proxies before this gateway report it.
    static func clientAddress(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ peer: Peer,
        trustedProxies: [AddressRange]
    ) -> IPAddress? {
        var address = peer.text
        if peer.isTrustedProxy, let client = ClientAddress.read(head, bytes, trustedProxies: trustedProxies) {
            address = client
        }
        return IPAddress(String(decoding: address, as: UTF8.self))
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: bytes.copy(range), as: UTF8.self)
    }
}
