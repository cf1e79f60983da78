import ConfigurationText

/// The methods of requests that are in use. Others are allowed, but are mostly misspelled.
enum MethodNames {
    /// The IANA registry of HTTP methods, and `PURGE` of caches.
    private static let known = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD", "LABEL",
        "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS",
        "ORDERPATCH", "PATCH", "POST", "PRI", "PROPFIND", "PROPPATCH", "PURGE", "PUT", "QUERY", "REBIND", "REPORT",
        "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]

    /// Warns if a rule is for a method that hardly any request has.
    ///
    /// - Parameters:
    ///   - method: In capitals.
    ///   - shown: The value as messages show it.
    static func check(_ method: String, shown: String, at place: ReportingPosition) {
        guard !known.contains(method) else { return }
        let nearest = EditDistance.nearest(to: method.lowercased(), among: known.map { $0.lowercased() })
        let remedy = nearest.map { "did you mean \($0.uppercased())?" } ?? "look whether clients really send it"
        place.warning("\(shown) is no known method: \(remedy)")
    }
}
