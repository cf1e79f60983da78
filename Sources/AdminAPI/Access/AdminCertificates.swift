public import NIOSSL

/// The admin listener's side of TLS, with the certificates of the moment.
public protocol AdminCertificates: Sendable {
    /// For a new connection; nil if there is none that can be used.
    var context: NIOSSLContext? { get }

    /// Takes on certificates whose files change, until its task is cancelled.
    func keepUp() async

    /// - Returns: The subject as text (RFC 4514); nil for one that cannot be read.
    func subject(of certificate: NIOSSLCertificate) -> [UInt8]?
}
