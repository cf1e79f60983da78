import Authorization
import Upstream

/// The header that a proxy without HTTP puts before a connection's own bytes to tell whose they are: HAProxy's PROXY
/// protocol, versions 1 and 2.
///
/// Anyone can write one, so it must only be looked for on connections from proxies that are trusted to. A value without
/// state: the caller gathers bytes until the answer is no longer ``Outcome/needMore``, and bounds the time.
enum ProxyProtocol {
    /// One end of the proxied connection.
    struct Endpoint: Equatable {
        /// The address as text (RFC 5952). An IPv4-mapped IPv6 address is given as the IPv4 one: access lists name it
        /// so.
        var address: [UInt8]
        var port: UInt16
    }

    enum Outcome: Equatable {
        /// What is there may be the beginning of a header. No header needs more than ``longestHeader`` bytes.
        case needMore
        /// These bytes do not begin with a header: they are the connection's own.
        case absent
        /// They do, but with one that nothing can be built on: the connection must be closed.
        case malformed(Malformation)
        /// A whole header of `length` bytes. Without a source and a destination (`LOCAL`, `UNKNOWN`, and what is not
        /// TCP over IP) the connection's own addresses hold.
        case header(length: Int, source: Endpoint?, destination: Endpoint?)
    }

    /// What is wrong with a header, in words for the log.
    enum Malformation: String {
        case lineTooLong = "the PROXY line has no CRLF in its first 107 bytes"
        case strayLineEnd = "the PROXY line has a CR or LF that is not of its CRLF"
        case wrongFieldCount = "the PROXY line does not have two addresses and two ports with single spaces"
        case badAddress = "the PROXY line has an address that is not of its family"
        case badPort = "the PROXY line has a port that is not a number from 0 to 65535"
        case unknownVersion = "the PROXY header is not of version 2"
        case unknownCommand = "the PROXY header's command is neither LOCAL nor PROXY"
        case unknownFamily = "the PROXY header has an unknown address family or transport"
        case headerTooLong = "the PROXY header is longer than 4096 bytes"
        case addressesCutShort = "the PROXY header is too short for its addresses"
        case extensionCutShort = "the PROXY header ends within an extension"
        case badChecksumField = "the PROXY header has two checksums or one that is not of four bytes"
        case wrongChecksum = "the PROXY header's checksum is wrong"
    }

    /// Bytes of a whole version 2 header that are accepted, extensions included. Version 1 ends at 107.
    static let longestHeader = 4096

    /// Reads the first bytes of a connection.
    ///
    /// - Parameter bytes: All that came so far; what follows a header is not looked at.
    static func read(_ bytes: Span<UInt8>) -> Outcome {
        guard !bytes.isEmpty else { return .needMore }
        // No two beginnings of the versions have their first byte in common.
        return bytes[0] == ProxyProtocolBinary.signature[0]
            ? ProxyProtocolBinary.read(bytes) : ProxyProtocolLine.read(bytes)
    }
}

extension Span where Element == UInt8 {
    /// Whether it begins with `text`, or is itself the beginning of it.
    func agrees(with text: [UInt8]) -> Bool {
        for position in 0..<Swift.min(count, text.count) where self[position] != text[position] { return false }
        return true
    }
}
