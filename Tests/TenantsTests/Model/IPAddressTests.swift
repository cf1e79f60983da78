import Tenants
import TestSupport
import Testing

struct IPAddressTests {
    @Test(arguments: [
        ("0.0.0.0", [0, 0, 0, 0]), ("255.1.20.3", [255, 1, 20, 3]),
        ("::", [UInt8](repeating: 0, count: 16)),
        ("::1", [UInt8](repeating: 0, count: 15) + [1]),
        ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
        ("2001:DB8::a:0:0:1", [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0x0a, 0, 0, 0, 0, 0, 1]),
        ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
        ("64:ff9b::192.0.2.33", [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 33]),
        ("::ffff:10.0.0.1", [10, 0, 0, 1]), ("::ffff:a00:1", [10, 0, 0, 1]),
    ])
    func addressesAreRead(text: String, bytes: [UInt8]) {
        #expect(IPAddress(text)?.bytes == bytes)
    }

    @Test(arguments: [
        "", ".", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "01.2.3.4", "1.2.3.04", "1..2.3", " 1.2.3.4",
        "1.2.3.4 ", "0x1.2.3.4", "1.2.3.4:80", ":", ":::", "1:2:3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
        "::1:2:3:4:5:6:7:8", "12345::", "g::", "[::1]", "fe80::1%eth0", "1:", ":1", "1.2.3.4::", "::1.2.3", "١.2.3.4",
        "1:2:3:4:5:6:7:1.2.3.4",
    ])
    func malformedAddressesAreRefused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func everyIPv4AddressIsReadBack() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<1000 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(IPAddress(bytes.map(String.init).joined(separator: "."))?.bytes == bytes)
        }
    }

    @Test func everyIPv6AddressIsReadBackWithAndWithoutCompression() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<1000 {
            var groups = (0..<8).map { _ in UInt16.random(in: 0...UInt16.max, using: &random) }
            groups[0] |= 1
            let start = Int.random(in: 1..<8, using: &random)
            let end = Int.random(in: start..<8, using: &random)
            for index in start..<end { groups[index] = 0 }
            let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
            let texts = groups.map { String($0, radix: 16, uppercase: $0 & 1 == 0) }
            #expect(IPAddress(texts.joined(separator: ":"))?.bytes == bytes)
            guard start < end else { continue }
            let gapped = texts[..<start].joined(separator: ":") + "::" + texts[end...].joined(separator: ":")
            #expect(IPAddress(gapped)?.bytes == bytes, "\(gapped)")
        }
    }

    @Test func rangesContainWhatTheirPrefixSays() throws {
        let range = try #require(AddressRange(cidr: "10.32.0.0/11"))
        #expect(range.contains(try #require(IPAddress("10.63.255.255"))))
        #expect(!range.contains(try #require(IPAddress("10.64.0.0"))))
        #expect(!range.contains(try #require(IPAddress("::1"))))
        let single = try #require(AddressRange(cidr: "fd00::1"))
        #expect(single.prefixLength == 128)
        #expect(single.contains(try #require(IPAddress("fd00::1"))))
        #expect(!single.contains(try #require(IPAddress("fd00::2"))))
        #expect(AddressRange(cidr: "::ffff:10.0.0.0/104") == AddressRange(cidr: "10.0.0.0/8"))
        #expect(AddressRange(cidr: "0.0.0.0/0")?.isEverything == true)
        #expect(AddressRange(cidr: "128.0.0.0/1")?.isEverything == false)
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.1/8", "/8", "::/129", "a/8", "10.0.0.0/+8",
    ])
    func malformedRangesAreRefused(text: String) {
        #expect(AddressRange(cidr: text) == nil)
    }
}
