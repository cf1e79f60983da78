import NIOCore
import Tenants
import Verification

/// The body of an answer that may hold tokens, gathered before any of it goes to the client: a refresh token that the
/// client relies on us to keep is kept before the client hears of its session.
final class TokenCaptureBuffer {
    /// Bytes; an answer that is longer is passed on as it comes.
    private static let mostBytes = 64 << 10

    let rule: TokenCapture
    private(set) var content = ByteBuffer()
    private let room: ReplayBudget.Part

    init(_ rule: TokenCapture, _ room: ReplayBudget) {
        self.rule = rule
        self.room = ReplayBudget.Part(of: room)
    }

    /// Gives whether there is room for the piece; if not, nothing of it was taken.
    func take(_ bytes: ByteBuffer, _ range: Range<Int>) -> Bool {
        guard content.readableBytes + range.count <= Self.mostBytes, room.grow(by: range.count) else { return false }
        content.writeBytes(bytes.readableBytesUInt8Span.extracting(range).bytes)
        return true
    }

    /// - Returns: Nil where the answer holds no tokens at the places of the rule.
    func tokens() -> (access: [UInt8], refresh: [UInt8])? {
        guard content.readableBytes > 0, let document = try? JSONParser.parse(Array(content.readableBytesView)),
            let access = rule.accessToken.value(in: document)?.string,
            let refresh = rule.refreshToken.value(in: document)?.string, !refresh.isEmpty
        else { return nil }
        return (Array(access.utf8), Array(refresh.utf8))
    }
}
