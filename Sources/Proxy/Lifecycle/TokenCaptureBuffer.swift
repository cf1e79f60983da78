import NIOCore
import Tenants
import Verification

/// The body of a response that may hold tokens, gathered before any of it goes to the client. A refresh token that the
/// client relies on the gateway to keep must be stored before the client learns of its session.
final class TokenCaptureBuffer {
    /// Bytes; a longer response is passed on as it comes.
    private static let mostBytes = 64 << 10

    let rule: TokenCapture
    private(set) var content = ByteBuffer()
    private let budget: ReplayBudget.Part

    init(_ rule: TokenCapture, _ budget: ReplayBudget) {
        self.rule = rule
        self.budget = ReplayBudget.Part(of: budget)
    }

    /// Returns whether the piece fits; if not, none of it was taken.
    func take(_ bytes: ByteBuffer, _ range: Range<Int>) -> Bool {
        guard content.readableBytes + range.count <= Self.mostBytes, budget.grow(by: range.count) else { return false }
        content.writeBytes(bytes.readableBytesUInt8Span.extracting(range).bytes)
        return true
    }

    /// - Returns: Nil if the response has no tokens at the fields of the rule.
    func tokens() -> (access: [UInt8], refresh: [UInt8])? {
        guard content.readableBytes > 0, let document = try? JSONParser.parse(Array(content.readableBytesView)),
            let access = rule.accessToken.value(in: document)?.string,
            let refresh = rule.refreshToken.value(in: document)?.string, !refresh.isEmpty
        else { return nil }
        return (Array(access.utf8), Array(refresh.utf8))
    }
}
