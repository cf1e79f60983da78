import Epoll
import Glibc
import NIOCore
import NIOSSL
package import PeerNames

/// Why there is no connection to a server, for logs and explanations. A closed set of texts, apart from the server's name.
package enum ConnectProblem: Error, Equatable, CustomStringConvertible {
    case unknownName
    case timedOut
    /// - Parameter errno: As the system gave it.
    case system(CInt)
    /// The server closed the connection before it could take a request.
    case closed
    case untrusted
    case anotherName(PeerNameProblem)
    case notTLS
    case handshake
    /// The gateway could not use the connection.
    case unusable

    init(_ failure: ConnectFailure) {
        self =
            switch failure {
            case .timedOut: .timedOut
            case .failed(let errno): .system(errno)
            case .unusable: .unusable
            }
    }

    /// - Parameter error: Of a connection's pipeline before its first request.
    init(_ error: any Error) {
        switch error {
        case let error as IOError: self = .system(error.errnoCode)
        case is NIOSSLError, is BoringSSLError:
            // BoringSSL has no other names for its errors than those in its texts.
            let text = "\(error)"
            self =
                if text.contains("CERTIFICATE_VERIFY_FAILED") {
                    .untrusted
                } else if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
                    .notTLS
                } else {
                    .handshake
                }
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .handshake
        default: self = .closed
        }
    }

    package var description: String {
        switch self {
        case .unknownName: "its name has no address"
        case .timedOut: "no connection within backend.timeouts.connect"
        case .system(let errno): String(cString: strerror(errno)).lowercased()
        case .closed: "it closed the connection at once"
        case .untrusted: "its certificate is not trusted: backend.tls.ca_file says who may have signed it"
        case .anotherName(let problem): problem.description
        case .notTLS: "what it answers is not TLS"
        case .handshake: "the TLS handshake failed"
        case .unusable: "the connection could not be used"
        }
    }
}
