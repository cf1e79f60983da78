import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Why a request of the gateway's own has no response.
public struct OutgoingHTTPError: Error, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// The time for the whole request is over.
        case timeLimit
        /// All connections were in use for too long.
        case noFreeConnection
        /// A connection was not made in time.
        case connectTimeout
        /// The host has no address.
        case unknownHost
        /// - Parameter limit: Bytes.
        case bodyTooLong(limit: Int)
        /// What came is not HTTP.
        case notHTTP
        /// The connection was refused, or it broke.
        case system
        /// Another failure of the client, which it says in a few words.
        case client
        /// TLS, mostly.
        case other
    }

    public let kind: Kind
    /// One line for people. It may quote what the server sent.
    public let description: String
    /// What the library says.
    public let cause: String

    init(_ kind: Kind, _ description: String, cause: String? = nil) {
        self.kind = kind
        self.description = description
        self.cause = cause ?? description
    }

    init(tooLong limit: Int) {
        self.init(.bodyTooLong(limit: limit), "the answer is longer than \(limit) bytes")
    }

    public init(_ error: any Error) {
        switch error {
        case let error as OutgoingHTTPError: self = error
        case let error as NIOConnectionError:
            // One for each address of the host; none if it has no address.
            if let last = error.connectionErrors.last {
                self.init(last.error)
            } else {
                self.init(.unknownHost, "the host \(error.host) cannot be resolved")
            }
        case let error as IOError: self.init(.system, String(cString: strerror(error.errnoCode)).lowercased())
        case let error as HTTPClientError:
            self.init(Self.kind(of: error), error.shortDescription, cause: "\(error)")
        // The connection ended within the answer.
        case HTTPParserError.invalidEOFState: self.init(.other, "the answer is not HTTP", cause: "\(error)")
        case is HTTPParserError: self.init(.notHTTP, "the answer is not HTTP", cause: "\(error)")
        case NIOSSLError.uncleanShutdown:
            self.init(.other, "the server closed the connection", cause: "\(error)")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(.other, "the server's certificate is for another name", cause: "\(error)")
        case is NIOSSLError, is BoringSSLError:
            let isTrust = "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            let reason = isTrust ? "the server's certificate is not trusted" : "the TLS handshake failed: \(error)"
            self.init(.other, reason, cause: "\(error)")
        default: self.init(.other, "\(error)")
        }
    }

    private static func kind(of error: HTTPClientError) -> Kind {
        switch error {
        case .deadlineExceeded: .timeLimit
        case .getConnectionFromPoolTimeout: .noFreeConnection
        case .connectTimeout: .connectTimeout
        default: .client
        }
    }
}
