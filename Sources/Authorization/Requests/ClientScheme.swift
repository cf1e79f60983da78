package import HTTPCore

/// The scheme between the client and the outermost of our proxies: that of the request's own origin.
package enum ClientScheme: Equatable {
    case http
    case https
    /// Behind a proxy that does not report it, or without a connection.
    case unknown

    /// As reported by the nearest trusted proxy, if there is one. A duplicated or unknown value counts as none.
    ///
    /// - Parameter peer: Nil if there is no connection: then the head is trusted.
    package static func read(_ head: RequestHead, _ bytes: Span<UInt8>, _ peer: Peer?) -> ClientScheme {
        if let peer, !peer.isTrustedProxy { return peer.tls == nil ? .http : .https }
        var reported: ClientScheme?
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].known == .xForwarded {
            let field = fields[index]
            guard !field.isAlias, bytes.isFieldName(field.name, "x-forwarded-proto") else { continue }
            guard reported == nil else { return .unknown }
            if bytes.isCaseInsensitively("https", field.value) {
                reported = .https
            } else {
                reported = bytes.isCaseInsensitively("http", field.value) ? .http : .unknown
            }
        }
        return reported ?? (peer?.tls == nil ? .unknown : .https)
    }

    /// Nil if unknown.
    package var isSecure: Bool? {
        switch self {
        case .http: false
        case .https: true
        case .unknown: nil
        }
    }
}
