import HTTPCore

/// The requested URL as the client sees it, which its proof must name (RFC 9449 section 4.3).
enum RequestedURL {
    /// Without its query. The path is the one received, before a prefix is stripped.
    static func text(_ request: CanonicalRequest, _ bytes: Span<UInt8>, _ peer: Peer?) -> String {
        let (head, target) = (request.head, request.target)
        let host = target.authority ?? head.host.map { head.fields[$0].value } ?? 0..<0
        var url = Array(scheme(head, bytes, peer).utf8)
        url += "://".utf8
        url += bytes.copy(host)
        url += bytes.copy(target.path)
        return String(decoding: url, as: UTF8.self)
    }

    /// That of the connection, unless a trusted proxy in front of it says otherwise.
    private static func scheme(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer?) -> String {
        let isSecure = ClientScheme.read(head, bytes, peer).isSecure
        return isSecure ?? (peer.map { $0.tls != nil } ?? true) ? "https" : "http"
    }
}
