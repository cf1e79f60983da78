import NIOCore
import NIOPosix
import Synchronization
import Tenants

/// A TCP relay between an instance and its store that a test can cut and heal.
final class Relay: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// Existing and new connections are closed.
        case cut
        /// Connections stay without data; once healed, pending data arrives.
        case silence
    }

    private struct State {
        var fault: Fault?
        var ends: [ObjectIdentifier: any Channel] = [:]
    }

    let port: Int
    private let listener: any Channel
    private let shared: Shared

    private final class Shared: Sendable {
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
        let shared = Shared()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { Self.accepted($0, target, shared) }
            .bind(host: "127.0.0.1", port: 0).get()
        self.shared = shared
        port = listener.localAddress?.port ?? 0
    }

    /// The value for `gateway.store`.
    var url: String { "redis://127.0.0.1:\(port)/0" }

    /// After it returns, nothing passes.
    func begin(_ fault: Fault) async throws {
        let ends = shared.state.withLock { state in
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
        let ends = shared.state.withLock { state in
            state.fault = nil
            return Array(state.ends.values)
        }
        for end in ends { try? await end.setOption(.autoRead, value: true).get() }
    }

    private func close() async {
        try? await listener.close()
        try? await begin(.cut)
    }

    /// Both ends read once they are paired, and not during `silence`.
    private static func accepted(_ near: any Channel, _ target: Int, _ shared: Shared) -> EventLoopFuture<Void> {
        if shared.state.withLock({ $0.fault }) == .cut { return near.close() }
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
                let fault = shared.state.withLock { state in
                    for end in [near, far] {
                        state.ends[ObjectIdentifier(end)] = end
                        end.closeFuture.whenComplete { _ in
                            _ = shared.state.withLock { $0.ends.removeValue(forKey: ObjectIdentifier(end)) }
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
