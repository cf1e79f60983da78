/// The example of RFC 6455 section 1.3: every handshake of these tests uses its key.
enum Handshake {
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// A client's fields (section 4.1).
    static let fields = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)",
    ]

    /// The fields but for one, and with others.
    static func fields(without name: String = "", and others: [String] = []) -> [String] {
        fields.filter { !$0.hasPrefix("\(name): ") } + others
    }

    /// A server's response (section 4.2.2).
    ///
    /// - Parameter fields: Further lines, each with its CRLF.
    static func granted(accept: String = accept, fields: String = "") -> String {
        """
        HTTP/1.1 101 Switching Protocols\r
        Connection: Upgrade\r
        Upgrade: websocket\r
        Sec-WebSocket-Accept: \(accept)\r
        \(fields)\r

        """
    }
}
