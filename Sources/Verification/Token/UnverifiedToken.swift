/// A token that is well formed but not verified: nothing in it may be trusted.
///
/// Good for printing and for choosing what to verify against; only `TokenVerifier` makes a `Principal` of a token.
public struct UnverifiedToken: Sendable {
    /// The JOSE header as it was sent.
    public let header: JSONObject
    /// The decoded payload; any bytes at all at the JWS layer.
    public let payload: [UInt8]
    /// How many of the token's first bytes are signed.
    public let signingInputLength: Int
    let joseHeader: JOSEHeader
    let signature: [UInt8]

    /// Splits and decodes `token`.
    ///
    /// Refuses what is not strict base64url and JSON, a JWE, an unknown algorithm and any extension marked critical.
    public init(_ token: Span<UInt8>) throws(VerificationFailure) {
        let parts = try CompactToken(splitting: token)
        guard let headerBytes = Base64URL.decode(token, parts.header),
            let payload = Base64URL.decode(token, parts.payload),
            let signature = Base64URL.decode(token, parts.signature)
        else { throw VerificationFailure(.badEncoding) }
        header = try Self.object(headerBytes, else: .badHeader)
        joseHeader = try JOSEHeader(header)
        self.payload = payload
        self.signature = signature
        signingInputLength = parts.signingInput.count
    }

    public init(_ token: [UInt8]) throws(VerificationFailure) {
        try self.init(token.span)
    }

    /// The SHA-256 of the token's signing input, which stays the same however the signature is encoded.
    public func signingInputSHA256(in token: Span<UInt8>) -> [UInt8] {
        SHA256.digest(token.extracting(0..<signingInputLength).withUnsafeBufferPointer(Array.init))
    }

    /// The payload as a claims set (RFC 7519 section 4).
    public func claims() throws(VerificationFailure) -> JSONObject {
        try Self.object(payload, else: .badPayload)
    }

    private static func object(
        _ bytes: [UInt8],
        else reason: VerificationFailure.Code
    ) throws(VerificationFailure) -> JSONObject {
        do {
            guard case .object(let object) = try JSONParser.parse(bytes) else { throw VerificationFailure(reason) }
            return object
        } catch {
            throw VerificationFailure(reason)
        }
    }
}
