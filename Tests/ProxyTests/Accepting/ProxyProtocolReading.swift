@testable import Proxy

extension ProxyProtocol {
    static func read(_ bytes: [UInt8]) -> Outcome { read(bytes.span) }
    static func read(_ text: String) -> Outcome { read(Array(text.utf8)) }
}

extension ProxyProtocol.Endpoint {
    init(_ address: String, _ port: UInt16) {
        self.init(address: Array(address.utf8), port: port)
    }
}

/// A version 2 header, field by field.
struct ProxyHeaderBytes {
    var versionAndCommand: UInt8 = 0x21
    var family: UInt8 = 0x11
    var addresses: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0xdc, 0x04, 0x01, 0xbb]
    var extensions: [UInt8] = []

    var bytes: [UInt8] {
        let block = addresses + extensions
        return [0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, versionAndCommand, family]
            + [UInt8(block.count >> 8), UInt8(block.count & 0xff)] + block
    }

    mutating func append(_ type: UInt8, _ value: [UInt8]) {
        extensions += [type, UInt8(value.count >> 8), UInt8(value.count & 0xff)] + value
    }

    /// The header with a valid checksum at its end.
    var bytesWithChecksum: [UInt8] {
        var header = self
        header.append(3, [0, 0, 0, 0])
        var bytes = header.bytes
        var crc = CRC32C()
        for byte in bytes { crc.append(byte) }
        for index in 0..<4 {
            bytes[bytes.count - 4 + index] = UInt8(truncatingIfNeeded: crc.value >> UInt32(24 - index * 8))
        }
        return bytes
    }
}
