import Authorization
import Tenants
import Upstream

/// Version 1 of the PROXY protocol: one line of text (its specification, section 2.1).
enum ProxyProtocolLine {
    private enum Family: CaseIterable {
        case tcp4, tcp6, unknown, unknownAlone

        /// How a line of this family begins. `UNKNOWN` may end the line.
        var beginning: [UInt8] {
            switch self {
            case .tcp4: Array("PROXY TCP4 ".utf8)
            case .tcp6: Array("PROXY TCP6 ".utf8)
            case .unknown: Array("PROXY UNKNOWN ".utf8)
            case .unknownAlone: Array("PROXY UNKNOWN\r".utf8)
            }
        }
    }

    private static let longestLine = 107

    static func read(_ bytes: Span<UInt8>) -> ProxyProtocol.Outcome {
        for family in Family.allCases {
            let beginning = family.beginning
            guard bytes.agrees(with: beginning) else { continue }
            return bytes.count < beginning.count ? .needMore : read(bytes, family, fieldsStart: beginning.count)
        }
        return .absent
    }

    private static func read(_ bytes: Span<UInt8>, _ family: Family, fieldsStart: Int) -> ProxyProtocol.Outcome {
        let end = min(bytes.count, longestLine)
        var position = 0
        while position < end, bytes[position] != 0x0d, bytes[position] != 0x0a { position += 1 }
        guard position < end else { return end < longestLine ? .needMore : .malformed(.lineTooLong) }
        guard bytes[position] == 0x0d else { return .malformed(.strayLineEnd) }
        guard position + 1 < end else { return end < longestLine ? .needMore : .malformed(.lineTooLong) }
        guard bytes[position + 1] == 0x0a else { return .malformed(.strayLineEnd) }
        let length = position + 2
        guard family == .tcp4 || family == .tcp6 else { return .header(length: length, source: nil, destination: nil) }
        let fields = bytes.extracting(fieldsStart..<position).withUnsafeBufferPointer(Array.init)
        return header(fields, family, length: length)
    }

    private static func header(_ fields: [UInt8], _ family: Family, length: Int) -> ProxyProtocol.Outcome {
        let parts = fields.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return .malformed(.wrongFieldCount) }
        guard let source = address(parts[0], family), let destination = address(parts[1], family) else {
            return .malformed(.badAddress)
        }
        guard let sourcePort = port(parts[2]), let destinationPort = port(parts[3]) else {
            return .malformed(.badPort)
        }
        return .header(
            length: length,
            source: ProxyProtocol.Endpoint(address: source.text, port: sourcePort),
            destination: ProxyProtocol.Endpoint(address: destination.text, port: destinationPort)
        )
    }

    private static func address(_ text: ArraySlice<UInt8>, _ family: Family) -> IPAddress? {
        guard text.contains(UInt8(ascii: ":")) == (family == .tcp6) else { return nil }
        return IPAddress(String(decoding: text, as: UTF8.self))
    }

    private static func port(_ text: ArraySlice<UInt8>) -> UInt16? {
        guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var port: UInt16 = 0
        for digit in text {
            guard digit.isDigit else { return nil }
            let (shifted, overflows) = port.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = shifted.addingReportingOverflow(UInt16(digit - UInt8(ascii: "0")))
            guard !overflows, !overflowsToo else { return nil }
            port = sum
        }
        return port
    }
}
