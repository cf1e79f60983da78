public import NIOSSL

/// The admin listener's TLS, with its current certificates.
public protocol AdminCertificates: Sendable {
    /// For a new connection; nil if no certificate can be used.
    var context: NIOSSLContext? { get }

    /// Watches the certificates' files and loads changed ones, until its task is cancelled.
    func watchFiles() async

    /// - Returns: The subject as text (RFC 4514); nil if it cannot be read.
    func subject(of certificate: NIOSSLCertificate) -> [UInt8]?
}
