import Testing

@testable import Proxy

/// Version 2 of the PROXY protocol.
struct ProxyProtocolBinaryTests {
    private static let ipv6 = ProxyHeaderBytes(
        family: 0x21,
        addresses: [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
            + [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 10, 1, 2, 3] + [0x1f, 0x90, 0, 80]
    )

    private func malformation(_ header: ProxyHeaderBytes) -> ProxyProtocol.Malformation? {
        guard case .malformed(let malformation) = ProxyProtocol.read(header.bytes) else { return nil }
        return malformation
    }

    private func tellsNothing(_ header: ProxyHeaderBytes) -> Bool {
        ProxyProtocol.read(header.bytes) == .header(length: header.bytes.count, source: nil, destination: nil)
    }

    @Test func ipv4HeaderHasBothAddresses() {
        let bytes = ProxyHeaderBytes().bytes
        let expected = ProxyProtocol.Outcome.header(
            length: 28,
            source: .init("192.0.2.7", 56324),
            destination: .init("198.51.100.1", 443)
        )
        #expect(ProxyProtocol.read(bytes) == expected)
        #expect(ProxyProtocol.read(bytes + Array("GET / HTTP/1.1\r\n".utf8)) == expected)
    }

    @Test func ipv6HeaderHasBothAddresses() {
        #expect(
            ProxyProtocol.read(Self.ipv6.bytes)
                == .header(length: 52, source: .init("2001:db8::1", 8080), destination: .init("10.1.2.3", 80))
        )
    }

    @Test func localHeaderHasNoAddress() {
        #expect(tellsNothing(ProxyHeaderBytes(versionAndCommand: 0x20)))
        #expect(tellsNothing(ProxyHeaderBytes(versionAndCommand: 0x20, family: 0, addresses: [])))
        // Its family is ignored, whatever it is.
        #expect(tellsNothing(ProxyHeaderBytes(versionAndCommand: 0x20, family: 0xff, addresses: [1, 2, 3])))
    }

    @Test func otherProtocolHasNoAddress() {
        let unix = [UInt8](repeating: 0x61, count: 216)
        #expect(tellsNothing(ProxyHeaderBytes(family: 0x31, addresses: unix)))
        #expect(tellsNothing(ProxyHeaderBytes(family: 0x32, addresses: unix)))
        #expect(tellsNothing(ProxyHeaderBytes(family: 0x12)))
        #expect(tellsNothing(ProxyHeaderBytes(family: 0x22, addresses: Self.ipv6.addresses)))
        for family: UInt8 in [0x00, 0x01, 0x02, 0x10, 0x20, 0x30] {
            #expect(tellsNothing(ProxyHeaderBytes(family: family, addresses: [])))
            #expect(tellsNothing(ProxyHeaderBytes(family: family, addresses: [1, 2, 3])))
        }
    }

    @Test func headerWithUnknownValueIsMalformed() {
        for byte: UInt8 in [0x01, 0x11, 0x31, 0xf1] {
            #expect(malformation(ProxyHeaderBytes(versionAndCommand: byte)) == .unknownVersion)
        }
        for byte: UInt8 in [0x22, 0x2f] {
            #expect(malformation(ProxyHeaderBytes(versionAndCommand: byte)) == .unknownCommand)
        }
        for byte: UInt8 in [0x41, 0xf1, 0x13, 0x1f] {
            #expect(malformation(ProxyHeaderBytes(family: byte)) == .unknownFamily)
        }
    }

    @Test func headerShorterThanItsAddressesIsMalformed() {
        for (family, length) in [(UInt8(0x11), 12), (0x12, 12), (0x21, 36), (0x31, 216)] {
            let cut = ProxyHeaderBytes(family: family, addresses: [UInt8](repeating: 0, count: length - 1))
            #expect(malformation(cut) == .addressesCutShort)
            #expect(malformation(ProxyHeaderBytes(family: family, addresses: [])) == .addressesCutShort)
        }
    }

    @Test func extensionsAreSkipped() {
        var header = ProxyHeaderBytes()
        header.append(0x02, Array("example.com".utf8))
        header.append(0x04, [])
        header.append(0xea, [UInt8](repeating: 3, count: 300))
        guard case .header(let length, let source, _) = ProxyProtocol.read(header.bytes) else {
            Issue.record("not a header")
            return
        }
        #expect(length == 28 + 14 + 3 + 303)
        #expect(source == .init("192.0.2.7", 56324))
    }

    @Test(
        arguments: [[0x02], [0x02, 0], [0x02, 0, 1], [0x04, 0, 0, 0x04, 0, 2, 1], [0x04, 0xff, 0xff]] as [[UInt8]]
    )
    func extensionsOfWrongLengthAreMalformed(extensions: [UInt8]) {
        #expect(malformation(ProxyHeaderBytes(extensions: extensions)) == .extensionCutShort)
    }

    @Test func headerLengthIsLimited() {
        var longest = ProxyHeaderBytes()
        longest.append(0x04, [UInt8](repeating: 0, count: 4096 - 28 - 3))
        #expect(longest.bytes.count == 4096)
        guard case .header(4096, _?, _?) = ProxyProtocol.read(longest.bytes) else {
            Issue.record("the longest header is refused")
            return
        }
        var longer = ProxyHeaderBytes()
        longer.append(0x04, [UInt8](repeating: 0, count: 4096 - 28 - 2))
        // At once, before the rest has arrived.
        #expect(ProxyProtocol.read(Array(longer.bytes[..<16])) == .malformed(.headerTooLong))
        #expect(malformation(longer) == .headerTooLong)
    }

    @Test func incompleteHeaderNeedsMore() {
        for bytes in [ProxyHeaderBytes().bytes, Self.ipv6.bytes, ProxyHeaderBytes().bytesWithChecksum] {
            for end in bytes.indices { #expect(ProxyProtocol.read(Array(bytes[..<end])) == .needMore) }
        }
    }

    @Test func wrongSignatureIsNotHeader() {
        for index in 0..<12 {
            var bytes = ProxyHeaderBytes().bytes
            bytes[index] ^= 0x20
            #expect(ProxyProtocol.read(bytes) == .absent)
        }
    }

    // MARK: The checksum

    @Test func checksumIsCRC32C() {
        var crc = CRC32C()
        for byte in Array("123456789".utf8) { crc.append(byte) }
        #expect(crc.value == 0xe306_9283)
        // RFC 3720 appendix B.4: 32 bytes of zeros, of which the first of four is sent first as aa.
        var zeros = CRC32C()
        for _ in 0..<32 { zeros.append(0) }
        #expect(zeros.value == 0x8a91_36aa)
    }

    @Test func headerWithCorrectChecksumIsAccepted() {
        for var header in [ProxyHeaderBytes(), Self.ipv6] {
            header.append(0x02, Array("example.com".utf8))
            let bytes = header.bytesWithChecksum
            guard case .header(bytes.count, _?, _?) = ProxyProtocol.read(bytes) else {
                Issue.record("a right checksum is refused")
                return
            }
        }
    }

    @Test func headerWithWrongChecksumIsMalformed() {
        let bytes = ProxyHeaderBytes().bytesWithChecksum
        let checksumValue = (bytes.count - 4)..<bytes.count
        for index in Array(16..<28) + Array(checksumValue) {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(ProxyProtocol.read(changed) == .malformed(.wrongChecksum))
            }
        }
        // The checksum also holds where no address is used.
        let unix = ProxyHeaderBytes(family: 0x31, addresses: [UInt8](repeating: 0x61, count: 216))
        var changed = unix.bytesWithChecksum
        #expect(ProxyProtocol.read(changed) == .header(length: changed.count, source: nil, destination: nil))
        changed[20] ^= 1
        #expect(ProxyProtocol.read(changed) == .malformed(.wrongChecksum))
    }

    @Test func checksumMustHaveFourBytes() {
        for size in [0, 3, 5] {
            var header = ProxyHeaderBytes()
            header.append(3, [UInt8](repeating: 0, count: size))
            #expect(malformation(header) == .badChecksumField)
        }
        var twice = ProxyHeaderBytes()
        twice.append(3, [0, 0, 0, 0])
        twice.append(3, [0, 0, 0, 0])
        #expect(malformation(twice) == .badChecksumField)
    }
}
