import Authorization
import HTTPCore
import NIOCore

/// A request that is kept until its response begins, so that it can be replayed with a new token.
final class ReplayableRequest {
    enum Body: Equatable {
        case none
        case underWay
        case whole
        /// It is too long, or the budget is used up.
        case given
    }

    /// As received and parsed.
    let request: RoutedRequest
    private(set) var content = ByteBuffer()
    private(set) var trailers: [UInt8] = []
    private(set) var body: Body
    private let limit: Int
    private let budget: ReplayBudget.Part
    private let spare: SpareRequests

    /// - Parameters:
    ///   - limit: Bytes of a body that may be kept.
    ///   - spare: Where the request object is returned in the end.
    init(_ request: RoutedRequest, limit: Int, room budget: ReplayBudget, spare: SpareRequests) {
        self.request = request
        self.limit = limit
        self.budget = ReplayBudget.Part(of: budget)
        self.spare = spare
        request.received.keepHeadAlone()
        switch request.head.framing {
        case .none: body = .none
        case .length(let length): body = length <= limit ? .underWay : .given
        case .chunked: body = .underWay
        }
    }

    deinit { spare.giveBack(request.received) }

    func keep(_ piece: ByteBuffer) {
        guard body == .underWay else { return }
        guard content.readableBytes + piece.readableBytes <= limit, budget.grow(by: piece.readableBytes) else {
            body = .given
            content = ByteBuffer()
            return budget.giveBack()
        }
        content.writeImmutableBuffer(piece)
    }

    func bodyEnded(trailers: [UInt8]) {
        guard body == .underWay else { return }
        self.trailers = trailers
        body = .whole
    }

    /// Whether the request can be replayed unchanged.
    var isWhole: Bool { body == .none || body == .whole }
}
