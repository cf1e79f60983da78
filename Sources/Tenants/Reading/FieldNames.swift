/// Field names that have a meaning in HTTP or in the gateway.
enum FieldNames {
    /// In lower case, with `-` for `_`: backends that read fields as environment variables cannot distinguish them.
    static func folded(_ name: String) -> String {
        String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    /// Whether a field is for framing, for the connection or for credentials, or is set by the gateway.
    ///
    /// - Parameter name: Folded.
    static func isReserved(_ name: String) -> Bool {
        reserved.contains(name) || name.hasPrefix("x-forwarded-") || name.hasPrefix("sec-websocket-")
            || name.hasPrefix("x-verified-")
    }

    /// Whether clients or caches act on a field of a response.
    ///
    /// - Parameter name: Folded.
    static func isReservedInResponses(_ name: String) -> Bool {
        reservedInResponses.contains(name) || name.hasPrefix("access-control-") || name.hasPrefix("content-")
            || name.hasPrefix("cross-origin-") || name.hasPrefix("ratelimit-")
    }

    private static let reserved: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "keep-alive",
        "proxy-connection", "proxy-authorization", "proxy-authenticate", "te", "trailer", "upgrade", "expect",
        "authorization", "cookie", "set-cookie", "x-request-id", "forwarded", "traceparent", "tracestate", "via",
        "date", "x-client-certificate-subject",
    ]

    private static let reservedInResponses: Set<String> = [
        "accept-ranges", "age", "allow", "alt-svc", "authentication-info", "cache-control", "clear-site-data", "etag",
        "expires", "last-modified", "link", "location", "permissions-policy", "pragma", "ratelimit", "referrer-policy",
        "refresh", "retry-after", "server", "server-timing", "strict-transport-security", "vary", "www-authenticate",
        "x-content-type-options", "x-frame-options",
    ]
}
