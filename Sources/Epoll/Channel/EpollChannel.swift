import CEpoll
import Glibc
package import NIOCore

/// A TCP connection on an ``EpollLoop``, with a pipeline of NIO's handlers.
///
/// It differs from a channel of NIO in one thing that a handler can see: a write or flush that fails does not close the
/// channel within itself. The channel is closed in the loop's next turn, so that no handler loses its connection in the
/// middle of what it does.
///
/// `@unchecked Sendable`: what changes is touched on the loop's own thread alone.
package final class EpollChannel: @unchecked Sendable {
    enum State {
        /// The pipeline is being filled.
        case opening
        case connecting(Connecting)
        case active
        /// To be closed in the next turn.
        case failed(any Error)
        case closed
    }

    let loop: EpollLoop
    let descriptor: CInt
    private let remote: SocketAddress?
    private let closePromise: EventLoopPromise<Void>
    private var key: SourceTable.Key?
    private(set) var state = State.opening
    var input = InputReadiness()
    var output: OutputQueue
    /// Whether it is one of the loop's ``EpollLoop/acceptedConnections``.
    var isAccepted = false
    /// Whether it is among the loop's unfinished ones.
    private var isUnfinished = false
    /// Its only handler, if that has asked for it.
    var direct: (any DirectHandler)?
    /// Nil until ``init`` is done.
    private var filledPipeline: ChannelPipeline?

    /// - Parameter descriptor: Of a socket that does not block; belongs to the channel from now on.
    init(_ descriptor: CInt, to remote: SocketAddress?, on loop: EpollLoop, _ settings: ChannelSettings) {
        self.descriptor = descriptor
        self.remote = remote
        self.loop = loop
        output = OutputQueue(settings.watermarks)
        closePromise = loop.makePromise(of: Void.self)
        filledPipeline = ChannelPipeline(channel: self)
    }

    // MARK: Opening

    /// Begins to serve an established connection, once its pipeline has its handlers.
    func activate() {
        guard case .opening = state else { return }
        register()
        becomeActive()
    }

    /// Waits for the kernel to establish the connection.
    ///
    /// - Parameter connecting: Called if the connection fails.
    func wait(_ connecting: Connecting) {
        guard case .opening = state else { return connecting.fail(.failed(ECONNABORTED)) }
        state = .connecting(connecting)
        register()
    }

    private func register() {
        let events = gatehouse_epoll_readable | gatehouse_epoll_writable | gatehouse_epoll_peer_closed
        do {
            key = try loop.add(self, descriptor, events: events | gatehouse_epoll_edge)
        } catch {
            close0(error: error, mode: .all, promise: nil)
        }
    }

    private func becomeActive() {
        guard !isClosed else { return }
        state = .active
        let pipeline = pipeline.syncOperations
        pipeline.fireChannelRegistered()
        pipeline.fireChannelActive()
        if isActive, input.isAutomatic { pipeline.read() }
    }

    private func connected(_ connecting: Connecting) {
        var error: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let outcome = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        guard outcome == 0, error == 0 else {
            let error = outcome == 0 ? error : errno
            connecting.fail(.failed(error))
            return close0(error: IOError(errnoCode: error, reason: "connect"), mode: .all, promise: nil)
        }
        connecting.succeed()
        becomeActive()
    }

    // MARK: Calls of the loop

    /// Goes on with what was left in the last turn.
    func resume() {
        isUnfinished = false
        switch state {
        case .failed(let error): endFailed(error)
        case .active:
            if output.hasFlushed { sendFlushed() }
            if case .active = state, input.isReadable { receive() }
        case .opening, .connecting, .closed: break
        }
    }

    func finishLater() {
        guard !isUnfinished else { return }
        isUnfinished = true
        loop.resumeLater(self)
    }

    /// The connection is lost, and what waits to be written with it. What came before is delivered in the next turn.
    func fail(_ error: any Error) {
        guard isActive else { return }
        state = .failed(error)
        for promise in output.removeAll() { promise.fail(error) }
        finishLater()
    }

    // MARK: Closing

    var isClosed: Bool { if case .closed = state { true } else { false } }

    func closeNow(_ error: any Error, _ promise: EventLoopPromise<Void>?) {
        guard !isClosed else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        let before = state
        state = .closed
        direct = nil
        if let key { loop.remove(key) }
        Glibc.close(descriptor)
        if isAccepted { loop.acceptedConnections.subtract(1, ordering: .relaxed) }
        for promise in output.removeAll() { promise.fail(error) }
        promise?.succeed()
        let operations = pipeline.syncOperations
        switch before {
        case .active, .failed:
            operations.fireChannelInactive()
            operations.fireChannelUnregistered()
        case .connecting(let connecting): connecting.fail(.failed(ECONNABORTED))
        case .opening, .closed: break
        }
        // A handler may be in the middle of something.
        loop._executeIsolatedUnsafeUnchecked {
            self.removeHandlers(pipeline: self.pipeline)
            self.closePromise.succeed()
        }
    }

    /// Has the connection reset when it is closed: nothing that is on its way is delivered.
    package func resetOnClose() {
        // The descriptor may be another connection's by then.
        guard !isClosed else { return }
        var setting = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }
}

extension EpollChannel: EpollSource {
    func ready(_ events: UInt32) {
        switch state {
        case .connecting(let connecting):
            guard events & (gatehouse_epoll_writable | gatehouse_epoll_ending) != 0 else { return }
            connected(connecting)
            // The same event may report bytes, which the kernel does not report again.
            if case .active = state { ready(events) }
        case .active:
            // Read first: a server may respond before it has the whole request, and close.
            if events & (gatehouse_epoll_readable | gatehouse_epoll_ending) != 0 {
                input.isReadable = true
                if events & gatehouse_epoll_ending != 0 { input.isEnding = true }
                receive()
            }
            guard case .active = state, events & gatehouse_epoll_writable != 0, output.isBlocked else { return }
            output.isBlocked = false
            sendFlushed()
        case .opening, .failed, .closed: break
        }
    }

    func loopStops() { close0(error: EventLoopError.shutdown, mode: .all, promise: nil) }
}

extension EpollChannel: Channel {
    package var eventLoop: any EventLoop { loop }
    package var allocator: ByteBufferAllocator { ByteBufferAllocator() }
    package var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    package var localAddress: SocketAddress? { try? localAddress0() }
    package var remoteAddress: SocketAddress? { remote }
    package var parent: (any Channel)? { nil }
    package var isWritable: Bool { output.isWritable }
    package var _channelCore: any ChannelCore { self }
    package var syncOptions: (any NIOSynchronousChannelOptions)? { self }

    package var isActive: Bool { if case .active = state { true } else { false } }

    package var pipeline: ChannelPipeline {
        if let filledPipeline { return filledPipeline }
        // Only the initializer knows it otherwise.
        assertionFailure("the pipeline is asked for before there is one")
        return ChannelPipeline(channel: self)
    }

    package func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        loop.submit { try (self as any NIOSynchronousChannelOptions).setOption(option, value: value) }
    }

    package func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        loop.submit { try (self as any NIOSynchronousChannelOptions).getOption(option) }
    }
}

extension EpollChannel: NIOSynchronousChannelOptions {
    /// Pauses and goes on reading; other options are those of ``ChannelSettings``.
    package func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
        guard option is ChannelOptions.Types.AutoReadOption, let isAutomatic = value as? Bool else {
            throw ChannelError.operationUnsupported
        }
        guard input.isAutomatic != isAutomatic else { return }
        input.isAutomatic = isAutomatic
        if !isAutomatic {
            input.isWanted = false
        } else if isActive {
            pipeline.syncOperations.read()
        }
    }

    package func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
        let value: Any? =
            switch option {
            case is ChannelOptions.Types.AutoReadOption: input.isAutomatic
            case is ChannelOptions.Types.BufferedWritableBytesOption: output.bytes
            case is ChannelOptions.Types.WriteBufferWaterMarkOption: output.watermarks
            default: nil
            }
        guard let value = value as? Option.Value else { throw ChannelError.operationUnsupported }
        return value
    }
}
