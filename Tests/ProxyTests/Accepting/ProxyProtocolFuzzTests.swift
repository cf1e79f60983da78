import Tenants
import TestSupport
import Testing
import Upstream

@testable import Proxy

/// The first bytes of a connection have one result, however they are split.
struct ProxyProtocolFuzzTests {
    private func header(_ random: inout SplitMix64) -> [UInt8] {
        if random.oneIn(2) {
            let lines = [
                "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", "PROXY TCP6 2001:db8::1 ::ffff:10.1.2.3 1 2\r\n",
                "PROXY UNKNOWN\r\n", "PROXY UNKNOWN a b\r\n",
            ]
            return Array(random.pick(lines).utf8)
        }
        let family: UInt8 = random.pick([0x00, 0x11, 0x12, 0x21, 0x31])
        let size = [0x00: 0, 0x11: 12, 0x12: 12, 0x21: 36, 0x31: 216][family] ?? 0
        var header = ProxyHeaderBytes(
            versionAndCommand: random.oneIn(8) ? 0x20 : 0x21,
            family: family,
            addresses: (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        )
        for _ in 0..<random.below(3) {
            let value = (0..<random.below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            header.append(random.pick([1, 2, 4, 5, 0x20, 0xea]), value)
        }
        return random.oneIn(3) ? header.bytesWithChecksum : header.bytes
    }

    /// The result of a caller that tries again after every byte.
    private func dripped(_ bytes: [UInt8]) -> ProxyProtocol.Outcome {
        for end in 0...bytes.count {
            let outcome = ProxyProtocol.read(Array(bytes[..<end]))
            if outcome != .needMore { return outcome }
        }
        return .needMore
    }

    @Test func validHeaderDoesNotDependOnPieces() {
        var random = SplitMix64(seed: 45)
        for _ in 0..<1000 {
            let bytes = header(&random)
            let outcome = ProxyProtocol.read(bytes)
            guard case .header(bytes.count, _, _) = outcome, dripped(bytes) == outcome,
                ProxyProtocol.read(bytes + Array("GET /\r\n".utf8)) == outcome
            else {
                Issue.record("\(bytes) is \(outcome)")
                return
            }
        }
    }

    @Test func mutatedHeaderDoesNotDependOnPieces() {
        var random = SplitMix64(seed: 46)
        var headers = 0
        var malformed = 0
        var absent = 0
        for _ in 0..<20_000 {
            let good = header(&random)
            let bytes = random.mutated(good)
            let outcome = ProxyProtocol.read(bytes)
            guard dripped(bytes) == outcome else {
                Issue.record("\(bytes) is read in several ways")
                return
            }
            switch outcome {
            case .header(let length, _, _):
                headers += 1
                #expect((15...bytes.count).contains(length))
            case .malformed: malformed += 1
            case .absent: absent += 1
            case .needMore: #expect(bytes.count < ProxyProtocol.longestHeader)
            }
        }
        #expect(headers > 1000 && malformed > 1000 && absent > 1000)
    }

    @Test func randomBytesAfterSignatureNeverTrap() {
        var random = SplitMix64(seed: 47)
        let beginnings = [
            ProxyProtocolBinary.signature + [0x21], Array("PROXY TCP4 ".utf8), Array("PROXY TCP6 ".utf8), [],
        ]
        for _ in 0..<20_000 {
            let tail = (0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let bytes = random.pick(beginnings) + tail
            #expect(dripped(bytes) == ProxyProtocol.read(bytes))
        }
    }

    @Test func addressTextRoundTrips() {
        var random = SplitMix64(seed: 48)
        for _ in 0..<5000 {
            let bytes: [UInt8] = (0..<(random.oneIn(4) ? 4 : 16)).map { _ in
                random.oneIn(2) ? 0 : UInt8(truncatingIfNeeded: random.next())
            }
            let address = IPAddress(bytes: bytes)
            #expect(IPAddress(String(decoding: address.text, as: UTF8.self)) == address)
        }
    }
}
