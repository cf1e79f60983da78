package import HTTPCore

/// What a client speaks with the outermost of our proxies: the scheme of the request's own origin.
package enum ClientScheme: Equatable {
    case http
    case https
    /// Behind a proxy that does not say it, or with no connection at all.
    case unknown

    /// As the nearest trusted proxy has seen it, where there is one. What it says twice, or neither of the two, says
    /// nothing.
    ///
    /// - Parameter peer: Nil where there is no connection: the head is taken at its word then.
    package static func read(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer?) -> ClientScheme {
        if let peer, !peer.isTrustedProxy { return peer.tls == nil ? .http : .https }
        var told: ClientScheme?
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].known == .xForwarded {
            let field = fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, "x-forwarded-proto") else { continue }
            guard told == nil else { return .unknown }
            if bytes.isCaseInsensitively("https", field.value) {
                told = .https
            } else {
                told = bytes.isCaseInsensitively("http", field.value) ? .http : .unknown
            }
        }
        return told ?? (peer?.tls == nil ? .unknown : .https)
    }

    /// Nil where nobody knows.
    package var isSecure: Bool? {
        switch self {
        case .http: false
        case .https: true
        case .unknown: nil
        }
    }
}
