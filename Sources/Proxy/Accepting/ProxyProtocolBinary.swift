import Authorization
import Tenants
import Upstream

/// Version 2 of the PROXY protocol: a block of bytes with optional extensions (its specification, section 2.2).
enum ProxyProtocolBinary {
    static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]

    private static let fixedLength = 16
    private static let checksumType: UInt8 = 0x03

    /// The high half of byte 14.
    private enum Family: UInt8 {
        case unspecified, ipv4, ipv6, unix

        /// Bytes of both addresses with their ports; nil if the sender did not know them.
        var addressesLength: Int? {
            switch self {
            case .unspecified: nil
            case .ipv4: 12
            case .ipv6: 36
            case .unix: 216
            }
        }
    }

    /// The low half of byte 14.
    private enum Transport: UInt8 {
        case unspecified, stream, datagram
    }

    static func read(_ bytes: Span<UInt8>) -> ProxyProtocol.Outcome {
        guard bytes.agrees(with: signature) else { return .absent }
        guard bytes.count > 12 else { return .needMore }
        guard bytes[12] >> 4 == 2 else { return .malformed(.unknownVersion) }
        let command = bytes[12] & 0x0f
        guard command <= 1 else { return .malformed(.unknownCommand) }
        guard bytes.count >= fixedLength else { return .needMore }
        let length = fixedLength + Int(bytes[14]) << 8 + Int(bytes[15])
        guard length <= ProxyProtocol.longestHeader else { return .malformed(.headerTooLong) }
        guard bytes.count >= length else { return .needMore }
        // LOCAL is the proxy's own connection: the rest, family included, is ignored.
        guard command == 1 else { return .header(length: length, source: nil, destination: nil) }
        return header(bytes.extracting(first: length))
    }

    private static func header(_ bytes: Span<UInt8>) -> ProxyProtocol.Outcome {
        guard let family = Family(rawValue: bytes[13] >> 4), let transport = Transport(rawValue: bytes[13] & 0x0f)
        else {
            return .malformed(.unknownFamily)
        }
        let plain = ProxyProtocol.Outcome.header(length: bytes.count, source: nil, destination: nil)
        // Addresses of unknown length may precede the extensions, so the extensions cannot be found.
        guard let addressesLength = family.addressesLength, transport != .unspecified else { return plain }
        let addressesEnd = fixedLength + addressesLength
        guard bytes.count >= addressesEnd else { return .malformed(.addressesCutShort) }
        if let malformation = checkExtensions(bytes, from: addressesEnd) { return .malformed(malformation) }
        guard transport == .stream, family != .unix else { return plain }
        let size = family == .ipv4 ? 4 : 16
        let ports = fixedLength + size * 2
        return .header(
            length: bytes.count,
            source: endpoint(bytes, addressAt: fixedLength, size, portAt: ports),
            destination: endpoint(bytes, addressAt: fixedLength + size, size, portAt: ports + 2)
        )
    }

    private static func endpoint(
        _ bytes: Span<UInt8>,
        addressAt start: Int,
        _ size: Int,
        portAt port: Int
    ) -> ProxyProtocol.Endpoint {
        let address = bytes.extracting(start..<(start + size)).withUnsafeBufferPointer(Array.init)
        return ProxyProtocol.Endpoint(
            address: IPAddress(bytes: address).text,
            port: UInt16(bytes[port]) << 8 | UInt16(bytes[port + 1])
        )
    }

    /// Walks the extensions (type, length, value), which must fill the rest. Only the checksum is evaluated.
    private static func checkExtensions(_ bytes: Span<UInt8>, from start: Int) -> ProxyProtocol.Malformation? {
        var position = start
        var checksum: Int?
        while position < bytes.count {
            guard position + 3 <= bytes.count else { return .extensionCutShort }
            let value = position + 3
            let end = value + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            guard end <= bytes.count else { return .extensionCutShort }
            if bytes[position] == checksumType {
                guard checksum == nil, end - value == 4 else { return .badChecksumField }
                checksum = value
            }
            position = end
        }
        guard let checksum else { return nil }
        return isChecksumRight(bytes, at: checksum) ? nil : .wrongChecksum
    }

    /// The checksum covers the whole header with zeros in the checksum's own bytes (section 2.2.3).
    private static func isChecksumRight(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        var crc = CRC32C()
        var received: UInt32 = 0
        for position in bytes.indices {
            let isOwn = (offset..<(offset + 4)).contains(position)
            if isOwn { received = received << 8 | UInt32(bytes[position]) }
            crc.append(isOwn ? 0 : bytes[position])
        }
        return crc.value == received
    }
}
