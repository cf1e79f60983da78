import Authorization
import Upstream

/// The header that a proxy without HTTP sends before a connection's own bytes to name the client: HAProxy's PROXY
/// protocol, versions 1 and 2.
///
/// Anyone can write one, so look for it only on connections from trusted proxies. A value without state: the caller
/// gathers bytes until the outcome is no longer ``Outcome/needMore``, and bounds the time.
enum ProxyProtocol {
    /// One end of the proxied connection.
    struct Endpoint: Equatable {
        /// The address as text (RFC 5952). An IPv4-mapped IPv6 address is given as IPv4, as access lists name it.
        var address: [UInt8]
        var port: UInt16
    }

    enum Outcome: Equatable {
        /// The bytes may be the beginning of a header. No header needs more than ``longestHeader`` bytes.
        case needMore
        /// The bytes do not begin with a header: they are the connection's own.
        case absent
        /// They do, but with an invalid header: the connection must be closed.
        case malformed(Malformation)
        /// A whole header of `length` bytes. Without a source and a destination (`LOCAL`, `UNKNOWN`, and anything but
        /// TCP over IP) the connection's own addresses apply.
        case header(length: Int, source: Endpoint?, destination: Endpoint?)
    }

    /// What is wrong with a header, as text for the log.
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

    /// Longest version 2 header that is accepted, in bytes, extensions included. Version 1 ends at 107.
    static let longestHeader = 4096

    /// Reads the first bytes of a connection.
    ///
    /// - Parameter bytes: All bytes received so far; those after a header are ignored.
    static func read(_ bytes: Span<UInt8>) -> Outcome {
        guard !bytes.isEmpty else { return .needMore }
        // The first byte tells the versions apart.
        return bytes[0] == ProxyProtocolBinary.signature[0]
            ? ProxyProtocolBinary.read(bytes) : ProxyProtocolLine.read(bytes)
    }
}

extension Span where Element == UInt8 {
    /// Whether it begins with `text`, or is a prefix of it.
    func agrees(with text: [UInt8]) -> Bool {
        for position in 0..<Swift.min(count, text.count) where self[position] != text[position] { return false }
        return true
    }
}
