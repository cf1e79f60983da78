import NIOCore
import NIOSSL
import Verification

/// A server's RSA key for the TLS library, whose handshakes it has signed by OpenSSL.
///
/// The signature is made at once, on the event loop. There is one for all loops: they do not disturb each other.
final class RSAHandshakeKey: NIOSSLCustomPrivateKey {
    struct Failure: Error, Equatable, CustomStringConvertible {
        var description: String
    }

    /// Those that the handshake may be signed with (RFC 8446 section 4.2.3), in our order of preference.
    private static let algorithms: [(name: NIOSSL.SignatureAlgorithm, meaning: Verification.SignatureAlgorithm)] = [
        (.rsaPssRsaeSha256, .ps256), (.rsaPkcs1Sha256, .rs256), (.rsaPssRsaeSha384, .ps384), (.rsaPkcs1Sha384, .rs384),
        (.rsaPssRsaeSha512, .ps512), (.rsaPkcs1Sha512, .rs512),
    ]

    private let key: RSASigningKey

    /// - Returns: Nil if it is no RSA key.
    init?(_ key: NIOSSLPrivateKey) {
        guard let bytes = try? key.derBytes, let key = RSASigningKey(der: bytes) else { return nil }
        self.key = key
    }

    var signatureAlgorithms: [NIOSSL.SignatureAlgorithm] { Self.algorithms.map(\.name) }

    func sign(
        channel: any Channel,
        algorithm: NIOSSL.SignatureAlgorithm,
        data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        guard let meaning = Self.algorithms.first(where: { $0.name == algorithm })?.meaning,
            let signature = key.signature(over: Array(data.readableBytesView), meaning)
        else {
            return channel.eventLoop.makeFailedFuture(Failure(description: "OpenSSL did not sign with \(algorithm)"))
        }
        return channel.eventLoop.makeSucceededFuture(ByteBuffer(bytes: signature))
    }

    /// Only the key exchange with RSA decrypts, and no such cipher suite is offered
    /// (``ServerIdentity/cipherSuites``).
    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(Failure(description: "the key exchange with RSA is not supported"))
    }
}

extension RSAHandshakeKey: Hashable {
    static func == (left: RSAHandshakeKey, right: RSAHandshakeKey) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
