/// The frame with which the gateway itself ends a WebSocket (RFC 6455 section 5.5.1).
public enum CloseFrame {
    /// For the backend: its client is going away (section 7.4.1).
    public static let goingAway: UInt16 = 1001
    /// For the client: its permission has ended (section 7.4.1).
    public static let policyViolation: UInt16 = 1008

    /// A control frame carries at most 125 bytes (section 5.5), of which the code takes two.
    private static let longestReason = 123

    /// A whole Close frame.
    ///
    /// - Parameters:
    ///   - code: The status code, as section 7.4 has them.
    ///   - reason: For people; cut to 123 bytes of UTF-8, between characters.
    ///   - mask: The masking key towards a backend, whose client the gateway is; it must be random (section 5.3). None
    ///     towards a client.
    public static func bytes(code: UInt16, reason: String, mask: UInt32?) -> [UInt8] {
        var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + fitting(reason)
        let finAndOpcode: UInt8 = 0x88
        let length = UInt8(payload.count)
        guard let mask else { return [finAndOpcode, length] + payload }
        let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> UInt32(24 - $0 * 8)) }
        for index in payload.indices { payload[index] ^= key[index % 4] }
        return [finAndOpcode, length | 0x80] + key + payload
    }

    private static func fitting(_ reason: String) -> [UInt8] {
        let text = Array(reason.utf8)
        guard text.count > longestReason else { return text }
        // A byte 10xxxxxx goes on with a character: half of one would make the frame invalid (section 5.6).
        let end = (0...longestReason).last { text[$0] & 0xc0 != 0x80 }
        return Array(text.prefix(end ?? 0))
    }
}
