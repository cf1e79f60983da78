/// The URL that a client has asked for, as the client sees it: what its proof has to name (RFC 9449 section 4.3).
enum RequestedURL {
    /// Without its query. The path is the one received, before a prefix is taken off.
    static func text(_ question: DecisionQuestion, _ bytes: Span<UInt8>) -> String {
        let target = question.request.target
        let host = target.authority ?? question.head.host.map { question.head.fields[$0].value } ?? 0..<0
        var url = Array(scheme(question, bytes).utf8)
        url += "://".utf8
        url += bytes.copy(host)
        url += bytes.copy(target.path)
        return String(decoding: url, as: UTF8.self)
    }

    /// That of the connection, unless a trusted proxy in front of it says otherwise.
    private static func scheme(_ question: DecisionQuestion, _ bytes: Span<UInt8>) -> String {
        let peer = question.circumstances.peer
        let isSecure = ClientScheme.read(question.head, bytes, peer).isSecure
        return isSecure ?? (peer.map { $0.tls != nil } ?? true) ? "https" : "http"
    }
}
