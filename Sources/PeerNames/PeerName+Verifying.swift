public import NIOCore
public import NIOSSL

/// Why a server with a valid certificate was not the requested one. One line for people.
public struct PeerNameProblem: Error, Equatable, CustomStringConvertible {
    public let description: String
}

extension PeerName {
    /// - Parameter certificate: The server's; nil if there was none.
    /// - Throws: ``PeerNameProblem`` unless the certificate is for this name.
    public func verify(_ certificate: NIOSSLCertificate?) throws(PeerNameProblem) {
        guard let certificate else { throw PeerNameProblem(description: "the server showed no certificate") }
        guard isIn(certificate) else {
            throw PeerNameProblem(description: "the server's certificate is not for \(text)")
        }
    }

    /// Verifies the server of a connection, for clients that hand out a connection only when it is open.
    ///
    /// - Parameter channel: With its TLS handshake done.
    /// - Returns: Fails with a ``PeerNameProblem``, after which the connection is closed; with another error if the
    ///   channel speaks no TLS.
    public func verify(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
            do {
                try verify(certificate)
            } catch {
                // The client gets the failure before the close.
                channel.eventLoop.execute { channel.close(promise: nil) }
                throw error
            }
        }
    }
}
