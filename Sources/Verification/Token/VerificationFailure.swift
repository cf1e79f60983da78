/// Why a token was refused: a reason for machines and a sentence for people.
///
/// Neither ever holds anything that the token contained, so both may be logged and sent to the client.
public struct VerificationFailure: Error, Sendable, Equatable {
    /// The closed set of reasons; raw values are stable and fit for metric labels.
    public enum Code: String, Sendable, CaseIterable {
        case tooLong = "too_long"
        case malformed
        case encrypted
        case badEncoding = "bad_encoding"
        case badHeader = "bad_header"
        case badPayload = "bad_payload"
        case unsupportedAlgorithm = "unsupported_algorithm"
        case algorithmNotAllowed = "algorithm_not_allowed"
        case criticalExtension = "critical_extension"
        case unencodedPayload = "unencoded_payload"
        case wrongType = "wrong_type"
        case unknownIssuer = "unknown_issuer"
        case keysNotLoaded = "keys_not_loaded"
        case unknownKey = "unknown_key"
        case noFittingKey = "no_fitting_key"
        case ambiguousKey = "ambiguous_key"
        case badSignature = "bad_signature"
        case badClaim = "bad_claim"
        case missingClaim = "missing_claim"
        case wrongValue = "wrong_value"
        case wrongAudience = "wrong_audience"
        case notYetValid = "not_yet_valid"
        case issuedInFuture = "issued_in_future"
        case expired
        /// The server that was asked about an opaque token reports it as inactive, for whatever reason.
        case inactive
        /// An opaque token with characters that those do not have, or too many.
        case malformedOpaque = "malformed_opaque"
    }

    /// Which rule the token broke.
    public let reason: Code
    /// The claim at fault, named by a standard or by the policy, never by the token.
    public let claim: String?
    /// The index in the policy of the issuer whose keys were missing.
    public let issuerIndex: Int?

    init(_ reason: Code, claim: String? = nil, issuerIndex: Int? = nil) {
        self.reason = reason
        self.claim = claim
        self.issuerIndex = issuerIndex
    }

    /// The keys are not known yet, or no longer.
    public static let keysNotLoaded = VerificationFailure(.keysNotLoaded)
    /// An opaque token whose form rules out introspection.
    public static let malformedOpaque = VerificationFailure(.malformedOpaque)

    /// The same failure with the issuer's index, if it concerns the issuer's keys.
    func ofIssuer(_ index: Int) -> VerificationFailure {
        reason == .unknownKey || reason == .keysNotLoaded
            ? VerificationFailure(reason, claim: claim, issuerIndex: index) : self
    }

    /// Whether the token is valid except for its expiry. Expiry is the last check, so nothing else is wrong.
    public var isExpiry: Bool { reason == .expired }

    /// Whether the same token may be valid at another time.
    public var mayPass: Bool {
        switch reason {
        case .notYetValid, .issuedInFuture: true
        default: false
        }
    }

    /// The reason as text, without any content of the token.
    public var summary: String {
        switch reason {
        case .tooLong: "the token is longer than \(CompactToken.maximumLength) bytes"
        case .malformed: "the token is not a compact JWS of three parts"
        case .encrypted: "the token is encrypted (JWE), which is not accepted"
        case .badEncoding: "a part of the token is not canonical base64url"
        case .badHeader: "the token's header is not a strict JSON object with the members it needs"
        case .badPayload: "the token's payload is not a strict JSON object"
        case .unsupportedAlgorithm: "the token's algorithm is not supported"
        case .algorithmNotAllowed: "the token's algorithm is not allowed for its issuer"
        case .criticalExtension: "the token demands an extension (crit) that is not understood"
        case .unencodedPayload: "the token uses the b64 extension, which is not accepted"
        case .wrongType: "the token is of another type than an access token"
        case .unknownIssuer: "the token's issuer is not trusted here"
        case .keysNotLoaded: "the keys of the token's issuer are not known yet"
        case .unknownKey: "the token names a key that is not in the issuer's key set"
        case .noFittingKey: "no key of the issuer fits the token's algorithm"
        case .ambiguousKey: "several keys of the issuer fit the token"
        case .badSignature: "the token's signature is not good"
        case .badClaim: "the claim \(claim ?? "") is not of the type that it must have"
        case .missingClaim: "the claim \(claim ?? "") is required and missing"
        case .wrongValue: "the claim \(claim ?? "") has no value that is accepted here"
        case .wrongAudience: "the token is meant for another audience"
        case .notYetValid: "the token is not valid yet"
        case .issuedInFuture: "the token was issued in the future"
        case .expired: "the token has expired"
        case .inactive: "the server that was asked about the token says that it is not good"
        case .malformedOpaque: "the token is in no form that is accepted"
        }
    }
}

extension VerificationFailure: CustomStringConvertible {
    public var description: String { summary }
}
