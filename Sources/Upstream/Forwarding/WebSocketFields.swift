import Authorization
import HTTPCore

/// The WebSocket fields of a head that asks for one (RFC 6455 section 4.2.1) or accepts one (section 4.2.2).
///
/// A singleton field that occurs twice counts as invalid, and an alias (`Sec_WebSocket_Key`) as another field: the two
/// ends must not read different ones.
struct WebSocketFields {
    /// The client's key, if it sent exactly one valid key.
    private(set) var key: [UInt8]?
    private var accept: [UInt8]?
    private var isVersionSupported = false
    private var upgrades = 0
    private var upgradesToWebSocket = false
    private var connectionNamesUpgrade = false
    private var keys = 0
    private var accepts = 0
    private var versions = 0
    private let hasBody: Bool
    private let isHTTP10: Bool

    /// - Parameters:
    ///   - head: Of either direction.
    ///   - bytes: The bytes that the head was parsed from.
    init(_ head: MessageHead, _ bytes: Span<UInt8>) {
        hasBody = head.isChunked || head.contentLength.map { $0 > 0 } ?? false
        isHTTP10 = head.minorVersion == 0
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            if !field.isAlias { note(field, bytes) }
        }
    }

    private mutating func note(_ field: HeadField, _ bytes: Span<UInt8>) {
        let value = bytes.extracting(field.value)
        if field.known == .upgrade {
            upgrades += 1
            upgradesToWebSocket = WebSocketHandshake.isUpgradeToWebSocket(value)
        } else if field.known == .connection {
            connectionNamesUpgrade = connectionNamesUpgrade || WebSocketHandshake.namesUpgrade(value)
        } else if bytes.isFieldName(field.name, "sec-websocket-key") {
            keys += 1
            key = keys == 1 && WebSocketHandshake.isKey(value) ? value.withUnsafeBufferPointer(Array.init) : nil
        } else if bytes.isFieldName(field.name, "sec-websocket-accept") {
            accepts += 1
            accept = accepts == 1 ? value.withUnsafeBufferPointer(Array.init) : nil
        } else if bytes.isFieldName(field.name, "sec-websocket-version") {
            versions += 1
            isVersionSupported = versions == 1 && WebSocketHandshake.isSupportedVersion(value)
        }
    }

    /// Whether the connection is to become a WebSocket and nothing else: `Upgrade: websocket` and `Connection: upgrade`
    /// on HTTP/1.1. Without these a request is an ordinary one, whatever its other fields (RFC 9110 section 7.8).
    var switchesToWebSocket: Bool {
        !isHTTP10 && upgrades == 1 && upgradesToWebSocket && connectionNamesUpgrade
    }

    /// Why a request that ``switchesToWebSocket`` is refused; nil if it is valid. The caller checks the method, which
    /// must be `GET`.
    ///
    /// A 426 must have `Sec-WebSocket-Version: 13` (RFC 6455 section 4.4).
    var violation: HTTPViolation? {
        if let violation = violationWithoutKey { return violation }
        return key == nil ? .badRequest("Sec-WebSocket-Key is not one key of 16 bytes in base64") : nil
    }

    /// The same for an extended CONNECT, which has no key (RFC 8441 section 5), and no body but the tunnel.
    var violationWithoutKey: HTTPViolation? {
        // One end would take its bytes for frames and the other for a body.
        guard !hasBody else { return .badRequest("a request for a WebSocket has a body") }
        guard keys == 0 || key != nil else {
            return .badRequest("Sec-WebSocket-Key is not one key of 16 bytes in base64")
        }
        guard isVersionSupported else {
            return HTTPViolation(status: 426, reason: "Sec-WebSocket-Version is not 13")
        }
        return nil
    }

    /// Whether this is the head of a 101 that accepts the WebSocket requested with `key` (RFC 6455 section 4.1). If
    /// not, the backend does not speak WebSocket, and nothing it sends afterwards may reach the client.
    func grants(key: [UInt8]) -> Bool {
        guard switchesToWebSocket, let accept else { return false }
        return WebSocketHandshake.isAccept(accept.span, for: key)
    }
}
