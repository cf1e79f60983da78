import Testing

@testable import Proxy

/// Version 1 of the PROXY protocol.
struct ProxyProtocolLineTests {
    @Test func ipv4LineHasBothAddresses() {
        let line = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n"
        let expected = ProxyProtocol.Outcome.header(
            length: line.utf8.count,
            source: .init("192.0.2.7", 56324),
            destination: .init("198.51.100.1", 443)
        )
        #expect(ProxyProtocol.read(line) == expected)
        #expect(ProxyProtocol.read(line + "GET / HTTP/1.1\r\n\r\n") == expected)
    }

    @Test(arguments: [
        ("2001:db8::1", "2001:db8::1"), ("2001:0DB8:0000:0000:0000:0000:0000:0001", "2001:db8::1"), ("::", "::"),
        ("::1", "::1"), ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("::ffff:192.0.2.7", "192.0.2.7"), ("::ffff:c000:207", "192.0.2.7"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
    ])
    func ipv6AddressIsCanonical(text: String, spelling: String) {
        let line = "PROXY TCP6 \(text) 2001:db8::2 0 65535\r\n"
        #expect(
            ProxyProtocol.read(line)
                == .header(
                    length: line.utf8.count,
                    source: .init(spelling, 0),
                    destination: .init("2001:db8::2", 65535)
                )
        )
    }

    @Test(arguments: [
        "PROXY UNKNOWN\r\n", "PROXY UNKNOWN \r\n", "PROXY UNKNOWN what ever\r\n", "PROXY UNKNOWN ::1 ::2 1 2\r\n",
        "PROXY UNKNOWN " + String(repeating: "f", count: 91) + "\r\n",
    ])
    func unknownLineHasNoAddress(line: String) {
        #expect(ProxyProtocol.read(line + "x") == .header(length: line.utf8.count, source: nil, destination: nil))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "PROXY / HTTP/1.1\r\n", "PROXY  TCP4 1.2.3.4", "PROXYTCP4", "PROXY TCP5 ",
        "PROXY TCP4\r\n", "PROXY TCP4\t", "PROXY UNKNOWNS", "PROXY UNKNOWN\n", "proxy TCP4 ", "PROXY tcp4 ",
        "PRI * HTTP/2.0\r\n", " PROXY", "\u{16}\u{3}\u{1}", "P/", "\r\nGET", "\n", "\r\r",
    ])
    func otherBytesAreNotHeader(text: String) {
        #expect(ProxyProtocol.read(text) == .absent)
    }

    @Test(arguments: [
        ("192.0.2.7 198.51.100.1 1 2\n", ProxyProtocol.Malformation.strayLineEnd),
        ("192.0.2.7 198.51.100.1 1 2\rx", .strayLineEnd), ("192.0.2.7\n198.51.100.1 1 2\r\n", .strayLineEnd),
        ("192.0.2.7\r198.51.100.1 1 2\r\n", .strayLineEnd), ("192.0.2.7 198.51.100.1 1 2\r\r\n", .strayLineEnd),
        ("\r\n", .wrongFieldCount), ("192.0.2.7 198.51.100.1 1\r\n", .wrongFieldCount),
        ("192.0.2.7 198.51.100.1 1 2 \r\n", .wrongFieldCount), ("192.0.2.7  198.51.100.1 1 2\r\n", .wrongFieldCount),
        (" 192.0.2.7 198.51.100.1 1 2\r\n", .wrongFieldCount), ("192.0.2.7\t198.51.100.1 1 2\r\n", .wrongFieldCount),
        ("HTTP/1.1\r\n", .wrongFieldCount), ("256.0.2.7 198.51.100.1 1 2\r\n", .badAddress),
        ("192.0.02.7 198.51.100.1 1 2\r\n", .badAddress), ("192.0.2 198.51.100.1 1 2\r\n", .badAddress),
        ("192.0.2.7 198.51.100.1.1 1 2\r\n", .badAddress), ("::1 ::2 1 2\r\n", .badAddress),
        ("192.0.2.7 ::2 1 2\r\n", .badAddress), ("192.0.2.+7 198.51.100.1 1 2\r\n", .badAddress),
        ("192.0.2.7 198.51.100.1 65536 2\r\n", .badPort), ("192.0.2.7 198.51.100.1 1 99999\r\n", .badPort),
        ("192.0.2.7 198.51.100.1 01 2\r\n", .badPort), ("192.0.2.7 198.51.100.1 1 00\r\n", .badPort),
        ("192.0.2.7 198.51.100.1 -1 2\r\n", .badPort), ("192.0.2.7 198.51.100.1 1 2a\r\n", .badPort),
        ("192.0.2.7 198.51.100.1 1 70000000000000000000000\r\n", .badPort),
    ])
    func malformedIPv4LineIsRefused(fields: String, malformation: ProxyProtocol.Malformation) {
        #expect(ProxyProtocol.read("PROXY TCP4 " + fields) == .malformed(malformation))
    }

    @Test(arguments: [
        "192.0.2.7", "1::2::3", "fe80::1%eth0", "[::1]", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::",
    ])
    func malformedIPv6AddressIsRefused(address: String) {
        #expect(ProxyProtocol.read("PROXY TCP6 \(address) ::2 1 2\r\n") == .malformed(.badAddress))
        #expect(ProxyProtocol.read("PROXY TCP6 ::2 \(address) 1 2\r\n") == .malformed(.badAddress))
    }

    @Test func lineLengthIsLimited() {
        let line = "PROXY UNKNOWN " + String(repeating: "f", count: 93)
        #expect(ProxyProtocol.read(String(line.prefix(106))) == .needMore)
        #expect(ProxyProtocol.read(line) == .malformed(.lineTooLong))
        #expect(ProxyProtocol.read(String(line.prefix(106)) + "\r") == .malformed(.lineTooLong))
        #expect(ProxyProtocol.read(String(line.prefix(106)) + "\r\n") == .malformed(.lineTooLong))
        #expect(ProxyProtocol.read(String(line.prefix(105)) + "\r") == .needMore)
    }

    @Test(arguments: [
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", "PROXY TCP6 2001:db8::1 ::2 1 2\r\n", "PROXY UNKNOWN\r\n",
        "PROXY UNKNOWN a b\r\n",
    ])
    func incompleteLineNeedsMore(line: String) {
        let bytes = Array(line.utf8)
        for end in bytes.indices { #expect(ProxyProtocol.read(Array(bytes[..<end])) == .needMore) }
    }
}
