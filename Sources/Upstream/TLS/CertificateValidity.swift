package import NIOSSL
package import Time

/// From when until when a certificate is valid with its chain: as long as all of them are.
package struct CertificateValidity: Sendable, Equatable {
    package let notBefore: UnixTime
    package let notAfter: UnixTime

    /// - Parameter chain: The certificate itself and those between it and the root.
    package init(_ chain: [NIOSSLCertificate]) {
        notBefore = chain.map { UnixTime(Double($0.notValidBefore)) }.max() ?? .distantPast
        notAfter = chain.map { UnixTime(Double($0.notValidAfter)) }.min() ?? .distantFuture
    }
}
