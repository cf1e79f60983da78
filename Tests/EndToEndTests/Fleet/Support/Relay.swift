import NIOCore
import NIOPosix
import Synchronization
import Tenants

/// A wire between an instance and its store that a test can cut and heal. It passes bytes on both ways, unread.
final class Relay: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// Connections are closed, and new ones as soon as they are made.
        case cut
        /// Connections stay, and nothing comes through; once healed, what was under way arrives.
        case silence
    }

    private struct State {
        var fault: Fault?
        var ends: [ObjectIdentifier: any Channel] = [:]
    }

    let port: Int
    private let listener: any Channel
    private let book: Book

    private final class Book: Sendable {
        let state = Mutex(State())
    }

    static func run<Result>(to port: Int, _ body: (Relay) async throws -> Result) async throws -> Result {
        let relay = try await Relay(to: port)
        do {
            let result = try await body(relay)
            await relay.close()
            return result
        } catch {
            await relay.close()
            throw error
        }
    }

    private init(to target: Int) async throws {
        let book = Book()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { Self.accepted($0, target, book) }
            .bind(host: "127.0.0.1", port: 0).get()
        self.book = book
        port = listener.localAddress?.port ?? 0
    }

    /// As `gateway.store` names it.
    var url: String { "redis://127.0.0.1:\(port)/0" }

    /// When this returns, nothing comes through any more.
    func begin(_ fault: Fault) async throws {
        let ends = book.state.withLock { state in
            state.fault = fault
            return Array(state.ends.values)
        }
        for end in ends {
            switch fault {
            case .cut: try? await end.close()
            case .silence: try await end.setOption(.autoRead, value: false).get()
            }
        }
    }

    func heal() async throws {
        let ends = book.state.withLock { state in
            state.fault = nil
            return Array(state.ends.values)
        }
        for end in ends { try? await end.setOption(.autoRead, value: true).get() }
    }

    private func close() async {
        try? await listener.close()
        try? await begin(.cut)
    }

    /// Both ends read only once they know each other, and not at all while there is silence.
    private static func accepted(_ near: any Channel, _ target: Int, _ book: Book) -> EventLoopFuture<Void> {
        if book.state.withLock({ $0.fault }) == .cut { return near.close() }
        return ClientBootstrap(group: near.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(PassingOn(to: near))
                    try near.pipeline.syncOperations.addHandler(PassingOn(to: far))
                }
            }
            .connect(host: "127.0.0.1", port: target)
            .flatMap { far in
                let fault = book.state.withLock { state in
                    for end in [near, far] {
                        state.ends[ObjectIdentifier(end)] = end
                        end.closeFuture.whenComplete { _ in
                            _ = book.state.withLock { $0.ends.removeValue(forKey: ObjectIdentifier(end)) }
                        }
                    }
                    return state.fault
                }
                switch fault {
                case .cut: return near.close()
                case .silence: return near.eventLoop.makeSucceededVoidFuture()
                case nil:
                    return near.setOption(.autoRead, value: true).flatMap { far.setOption(.autoRead, value: true) }
                }
            }
    }
}

private final class PassingOn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
