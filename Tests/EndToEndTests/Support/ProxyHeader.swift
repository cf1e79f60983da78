/// Headers of the PROXY protocol, written by hand from its specification.
enum ProxyHeader {
    static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]

    /// Version 1: a line of text.
    static func line(_ text: String) -> [UInt8] { Array("PROXY \(text)\r\n".utf8) }

    static let line4 = line("TCP4 203.0.113.9 192.0.2.1 41000 443")
    static let line6 = line("TCP6 2001:db8::9 2001:db8::1 41000 443")

    /// Version 2.
    static func binary(command: UInt8 = 0x21, family: UInt8 = 0x11, _ addresses: [UInt8]) -> [UInt8] {
        signature + [command, family] + addresses.count.bigEndian(2) + addresses
    }

    private static let ports = 41_000.bigEndian(2) + 443.bigEndian(2)

    static let binary4 = binary([203, 0, 113, 9, 192, 0, 2, 1] + ports)
    static let binary6 = binary(family: 0x21, address6(9) + address6(1) + ports)

    private static func address6(_ last: UInt8) -> [UInt8] {
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [last]
    }
}
