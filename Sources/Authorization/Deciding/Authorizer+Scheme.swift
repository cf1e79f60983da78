import HTTPCore
import Tenants

/// `gateway.redirect_https`.
extension Authorizer {
    /// Where certificate authorities look for the answer to a challenge: over plain HTTP, when there may be no
    /// certificate yet (RFC 8555 section 8.3).
    private static let challenges = Array("/.well-known/acme-challenge/".utf8)

    /// Sends a client that came over plain HTTP to the same URL over TLS.
    ///
    /// Only to hosts of tenants, so that no other site's name is sent back; and before all else, so that a token that
    /// was sent in plain text gets no further.
    func checkScheme(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        guard redirectsToHTTPS else { return nil }
        let (decisionContext, request) = (input.decisionContext, input.request)
        let source = decisionContext.source
        guard source.isReceivedHere || source.isRehearsal,
            ClientScheme.read(input.head, bytes, decisionContext) == .http, !Self.isChallenge(request.request, bytes)
        else { return nil }
        let location = Self.secureURL(request, bytes)
        decisionContext.explanation?
            .note(.route, "the client came over plain http: 308 to https on the same host (gateway.redirect_https)")
        return .redirect(location: location, request.tenant)
    }

    private static func isChallenge(_ request: CanonicalRequest, _ bytes: Span<UInt8>) -> Bool {
        // In any other reading it is a path of the app.
        guard request.path == .asReceived || request.path == .rewritten, request.reducedPath == nil else {
            return false
        }
        return request.withMatchedPath(bytes) { path in
            guard path.count > challenges.count else { return false }
            return challenges.indices.allSatisfy { path[$0] == challenges[$0] }
        }
    }

    /// The requested URL over TLS on its default port: path and query as received, the host without its port.
    private static func secureURL(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> String {
        var url = Array("https://".utf8)
        url += request.received.host
        if case .literal = request.path {
            url.append(UInt8(ascii: "/"))
        } else {
            url += bytes.copy(request.target.path)
        }
        url += bytes.copy(request.target.query)
        return String(decoding: url, as: UTF8.self)
    }
}
