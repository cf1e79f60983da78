/// Names of fields that a draft sets.
enum FieldName {
    /// Whether `identity.headers` may have it.
    static func mayCarryClaim(_ name: String) -> Bool {
        let folded = folded(name)
        return isToken(name) && !reserved.contains(folded) && !reservedStarts.contains { folded.hasPrefix($0) }
    }

    /// Whether `headers.request` may set or remove it.
    static func mayBeChanged(_ name: String) -> Bool {
        let folded = folded(name)
        return mayCarryClaim(name) && folded != "x-real-ip" && !folded.hasPrefix("x-forwarded")
            && folded != "http2-settings"
    }

    /// Two names are one field to apps that take `_` for `-`.
    static func folded(_ name: String) -> String { name.lowercased().replacing("_", with: "-") }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    private static let reserved: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "keep-alive",
        "proxy-connection", "proxy-authorization", "proxy-authenticate", "te", "trailer", "upgrade", "expect",
        "authorization", "cookie", "set-cookie", "x-request-id", "forwarded", "traceparent", "tracestate", "via",
        "date",
        "x-client-certificate-subject",
    ]
    private static let reservedStarts = ["x-forwarded-", "sec-websocket-", "x-verified-"]
}

extension [DraftHeader] {
    /// Without fields that are named before.
    var firstOfEachName: [DraftHeader] {
        var seen: Set<String> = []
        return filter { seen.insert(FieldName.folded($0.name)).inserted }
    }
}

extension [DraftText] {
    /// Names of fields, without those that are named before or carry a claim.
    func firstOfEachField(without headers: [DraftHeader]) -> [DraftText] {
        var seen = Set(headers.map { FieldName.folded($0.name) })
        return filter { seen.insert(FieldName.folded($0.text)).inserted }
    }
}
