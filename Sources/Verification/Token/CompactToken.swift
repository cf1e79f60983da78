/// The positions of the three parts of a compact JWS (RFC 7515 section 7.1). Nothing is decoded yet.
struct CompactToken: Equatable {
    /// The longest token that is read, in bytes.
    static let maximumLength = 16 * 1024

    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    /// The signed bytes: header, dot and payload as in the token.
    var signingInput: Range<Int> { 0..<payload.upperBound }

    /// Splits at the dots. Five parts are a JWE (RFC 7516 section 9), which has its own refusal.
    init(splitting token: Span<UInt8>) throws(VerificationFailure) {
        guard token.count <= Self.maximumLength else { throw VerificationFailure(.tooLong) }
        var firstDot = 0
        var secondDot = 0
        var dots = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") {
            dots += 1
            switch dots {
            case 1: firstDot = index
            case 2: secondDot = index
            default: break
            }
        }
        guard dots == 2 else { throw VerificationFailure(dots == 4 ? .encrypted : .malformed) }
        header = 0..<firstDot
        payload = firstDot + 1..<secondDot
        signature = secondDot + 1..<token.count
        guard !header.isEmpty, !signature.isEmpty else { throw VerificationFailure(.malformed) }
    }
}
