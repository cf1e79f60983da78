import Authorization
import Counting
import HTTPCore
import NIOCore
import Tenants
import Upstream

/// A copy of one request for another backend. The body is gathered while the request goes its own way; the copy is sent
/// once it is whole, and its response is dropped.
final class MirrorCopy {
    private let head: ForwardedHead
    private let framing: RequestFraming
    private let method: CountedMethod
    private let servers: BackendServers
    private let limit: Int
    private let budget: MirrorBudget
    private let room: ReplayBudget.Part
    private var content = ByteBuffer()

    /// - Parameters:
    ///   - head: As for a server of the request itself.
    ///   - servers: Of the mirror.
    ///   - limit: Bytes of a body that may be kept.
    init(
        _ head: ForwardedHead,
        framing: RequestFraming,
        method: CountedMethod,
        to servers: BackendServers,
        limit: Int,
        _ budget: MirrorBudget
    ) {
        self.head = head
        self.framing = framing
        self.method = method
        self.servers = servers
        self.limit = limit
        self.budget = budget
        room = ReplayBudget.Part(of: budget.room)
    }

    /// Returns whether the body still fits; if not, there is no copy.
    func keep(_ piece: ByteBuffer) -> Bool {
        guard content.readableBytes + piece.readableBytes <= limit, room.grow(by: piece.readableBytes) else {
            return false
        }
        content.writeImmutableBuffer(piece)
        return true
    }

    /// The body is whole. The copy is sent at the end of the loop's turn: a failing write must not disturb the request
    /// that is being handled.
    ///
    /// - Returns: Whether there was room for another copy.
    func send(on loop: LoopContext) -> Bool {
        guard budget.begin() else { return false }
        loop.atEndOfTurn { [self] in
            GatewayRequest(loop: loop, wants: .nothing) { [self] _ in budget.ended() }
                .begin(
                    head,
                    body: framing == .none ? nil : Array(content.readableBytesView),
                    framing: framing,
                    copyOf: method,
                    at: servers,
                    timeout: Self.timeout
                )
        }
        return true
    }

    /// For a copy and its whole response, in nanoseconds.
    private static let timeout: UInt64 = 60_000_000_000
}
