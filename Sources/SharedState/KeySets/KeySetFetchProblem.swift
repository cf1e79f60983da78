import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Why a provider gave no key set: one line, without anything secret.
public struct KeySetFetchProblem: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ text: String) {
        let line = text.prefix(300).map { $0.isNewline ? " " : $0 }
        description = String(line)
    }

    /// What people are told of a request that failed.
    public init(_ error: any Error) {
        self = error as? KeySetFetchProblem ?? KeySetFetchProblem(Self.reason(error))
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            // One for each address of the host; none if it has no address.
            return error.connectionErrors.last.map { reason($0.error) } ?? "the host \(error.host) cannot be resolved"
        case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
        case let error as HTTPClientError: return error.shortDescription
        case is HTTPParserError: return "the answer is not HTTP"
        case NIOSSLError.uncleanShutdown: return "the server closed the connection"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "the server's certificate is for another name"
        case is NIOSSLError, is BoringSSLError: return tlsReason("\(error)")
        default: return "\(error)"
        }
    }

    private static func tlsReason(_ text: String) -> String {
        text.contains("CERTIFICATE_VERIFY_FAILED")
            ? "the server's certificate is not trusted" : "the TLS handshake failed: \(text)"
    }
}
