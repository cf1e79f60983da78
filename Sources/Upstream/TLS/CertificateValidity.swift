package import NIOSSL
package import Time

/// From when until when a certificate is valid with its chain: as long as all of them are.
package struct CertificateValidity: Sendable, Equatable {
    package let notBefore: UnixTime
    package let notAfter: UnixTime

    /// - Parameter chain: The certificate itself and those between it and the root: at least one.
    package init(_ chain: [NIOSSLCertificate]) {
        assert(!chain.isEmpty)
        // A time that has a date, and days that are left: the least to show is a certificate that has expired.
        notBefore = chain.map { UnixTime(Double($0.notValidBefore)) }.max() ?? UnixTime(0)
        notAfter = chain.map { UnixTime(Double($0.notValidAfter)) }.min() ?? UnixTime(0)
    }
}
