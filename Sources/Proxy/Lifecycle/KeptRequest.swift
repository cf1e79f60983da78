import Authorization
import HTTPCore
import NIOCore

/// A request as it is kept until its response begins, so that it can be made again with a new token.
final class KeptRequest {
    enum Body: Equatable {
        case none
        case underWay
        case whole
        /// It is longer than may be kept, or there is no room.
        case given
    }

    /// As received, with what was parsed of it.
    let request: RoutedRequest
    private(set) var content = ByteBuffer()
    private(set) var trailers: [UInt8] = []
    private(set) var body: Body
    private let limit: Int
    private let room: ReplayBudget.Part
    private let spare: SpareRequests

    /// - Parameters:
    ///   - limit: Bytes of a body that may be kept.
    ///   - spare: Where the request goes at the end.
    init(_ request: RoutedRequest, limit: Int, room: ReplayBudget, spare: SpareRequests) {
        self.request = request
        self.limit = limit
        self.room = ReplayBudget.Part(of: room)
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
        guard content.readableBytes + piece.readableBytes <= limit, room.grow(by: piece.readableBytes) else {
            body = .given
            content = ByteBuffer()
            return room.giveBack()
        }
        content.writeImmutableBuffer(piece)
    }

    func bodyEnded(trailers: [UInt8]) {
        guard body == .underWay else { return }
        self.trailers = trailers
        body = .whole
    }

    /// Whether the request can be made again as it was.
    var isWhole: Bool { body == .none || body == .whole }
}
