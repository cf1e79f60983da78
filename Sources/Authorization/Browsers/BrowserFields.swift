package import HTTPCore

/// Request fields that browsers set themselves, and no script or form can set: forbidden request headers (Fetch
/// standard section 2.2.2).
package struct BrowserFields {
    private static let originHash = FieldLine.hash(ofName: "origin")
    private static let siteHash = FieldLine.hash(ofName: "sec-fetch-site")
    private static let keyHash = FieldLine.hash(ofName: "sec-websocket-key")
    private static let versionHash = FieldLine.hash(ofName: "sec-websocket-version")

    /// The value of `Origin`.
    package private(set) var origin: Range<Int>?
    /// The value of `Sec-Fetch-Site`.
    package private(set) var fetchSite: Range<Int>?
    /// Whether one of them occurs twice, or under a name that backends may read as the same.
    package private(set) var isAmbiguous = false
    /// Whether it is the handshake of a WebSocket. A proxy that sends a decision query has dropped the hop-by-hop
    /// fields; the end-to-end ones remain.
    private(set) var asksForWebSocket = false

    package init(_ head: RequestHead, _ bytes: Span<UInt8>) {
        let hashes = (Self.originHash, Self.siteHash, Self.keyHash, Self.versionHash)
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if field.known == .upgrade {
                asksForWebSocket = asksForWebSocket || Self.namesWebSocket(bytes.extracting(field.value))
            } else if field.hash == hashes.0, bytes.isFieldName(field.name, "origin") {
                isAmbiguous = isAmbiguous || origin != nil || field.isAlias
                origin = field.value
            } else if field.hash == hashes.1, bytes.isFieldName(field.name, "sec-fetch-site") {
                isAmbiguous = isAmbiguous || fetchSite != nil || field.isAlias
                fetchSite = field.value
            } else if field.hash == hashes.2 || field.hash == hashes.3 {
                asksForWebSocket =
                    asksForWebSocket || bytes.isFieldName(field.name, "sec-websocket-key")
                    || bytes.isFieldName(field.name, "sec-websocket-version")
            }
        }
    }

    /// `websocket` anywhere in the list, with any version.
    private static func namesWebSocket(_ value: Span<UInt8>) -> Bool {
        var isNamed = false
        value.forEachListMember(0..<value.count) { member in
            let name = member.lowerBound..<min(member.lowerBound + 9, member.upperBound)
            isNamed = isNamed || value.isCaseInsensitively("websocket", name)
        }
        return isNamed
    }
}
