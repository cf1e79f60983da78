import Glibc
package import NIOCore

extension EpollChannel: ChannelCore {
    /// How many reads, or writes, a channel may make in one turn of its loop: others wait meanwhile.
    private static let operationsPerTurn = 4
    /// The most reads that deliver what is left of a broken connection: enough for a default socket's receive buffer.
    private static let readsAfterFailure = 128

    // MARK: Reading

    package func read0() {
        input.isWanted = true
        if isActive, input.isReadable { finishLater() }
    }

    /// Reads what is there and wanted.
    func receive() {
        guard input.isDue else { return }
        input.isWanted = false
        var hasRead = false
        for _ in 0..<Self.operationsPerTurn {
            let isBulk = input.isBulk
            var buffer = loop.buffers.take(large: isBulk)
            let count = read(into: &buffer)
            let error = errno
            guard count > 0 else {
                loop.buffers.giveBack(buffer, large: isBulk)
                guard count < 0, error == EAGAIN || error == EINTR else {
                    return inputEnded(count == 0 ? nil : error, hasRead: hasRead)
                }
                if error == EAGAIN { input.isReadable = false }
                if !hasRead { input.isWanted = true }
                break
            }
            hasRead = true
            input.isBulk = buffer.writableBytes == 0
            // A buffer that is not full means an empty socket: the kernel reports later bytes by another event.
            if !input.isBulk, !input.isEnding { input.isReadable = false }
            deliver(buffer)
            loop.buffers.giveBack(buffer, large: isBulk)
            guard isActive else { return }
            guard input.isReadable, input.isAutomatic || input.isEnding else { break }
        }
        if hasRead { deliveredAll() }
        guard isActive else { return }
        if input.isAutomatic { requestNextRead() }
        if input.isDue { finishLater() }
    }

    private func deliver(_ bytes: ByteBuffer) {
        if let direct { direct.received(bytes) } else { pipeline.syncOperations.fireChannelRead(NIOAny(bytes)) }
    }

    private func deliveredAll() {
        if let direct { direct.receivedAll() } else { pipeline.syncOperations.fireChannelReadComplete() }
    }

    private func requestNextRead() {
        if direct != nil { input.isWanted = true } else { pipeline.syncOperations.read() }
    }

    /// Delivers what the peer sent before the connection broke, which may be a response, and closes.
    func endFailed(_ error: any Error) {
        for _ in 0..<Self.readsAfterFailure where !isClosed {
            var buffer = loop.buffers.take(large: true)
            let count = read(into: &buffer)
            if count > 0 { deliver(buffer) }
            loop.buffers.giveBack(buffer, large: true)
            if count <= 0 { break }
        }
        if !isClosed { deliveredAll() }
        if !isClosed { pipeline.syncOperations.fireErrorCaught(error) }
        if !isClosed { close0(error: error, mode: .all, promise: nil) }
    }

    /// - Returns: What `recv` returned: a count, 0 at the end, or -1 with `errno` set.
    private func read(into buffer: inout ByteBuffer) -> Int {
        let capacity = buffer.writableBytes
        var count = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) {
            count = recv(descriptor, $0.baseAddress, $0.count, 0)
            return max(0, count)
        }
        return count
    }

    /// - Parameter error: Nil for an orderly end.
    private func inputEnded(_ error: CInt?, hasRead: Bool) {
        input.isReadable = false
        guard let error else {
            deliveredAll()
            return close0(error: ChannelError.eof, mode: .all, promise: nil)
        }
        let failure = IOError(errnoCode: error, reason: "recv")
        if hasRead { deliveredAll() }
        pipeline.syncOperations.fireErrorCaught(failure)
        close0(error: failure, mode: .all, promise: nil)
    }

    // MARK: Writing

    package func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isActive, !output.isShutting else {
            promise?.fail(isActive ? ChannelError.outputClosed : ChannelError.ioOnClosedChannel)
            return
        }
        guard let buffer = tryUnwrapData(data, as: ByteBuffer.self) else {
            assertionFailure("only a ByteBuffer can be written")
            promise?.fail(ChannelError.operationUnsupported)
            return fail(ChannelError.operationUnsupported)
        }
        if output.append(buffer, promise) { pipeline.syncOperations.fireChannelWritabilityChanged() }
    }

    package func flush0() {
        guard isActive else { return }
        output.flush()
        sendFlushed()
    }

    /// Sends what is flushed until the socket is full or the turn's writes are used up.
    func sendFlushed() {
        var promises: [EventLoopPromise<Void>] = []
        var attempts = 0
        while output.hasFlushed, !output.isBlocked {
            guard attempts < Self.operationsPerTurn else {
                finishLater()
                break
            }
            attempts += 1
            let count = output.send(to: descriptor)
            if count >= 0 {
                output.sent(count, &promises)
            } else if errno == EAGAIN {
                output.isBlocked = true
            } else if errno != EINTR {
                fail(IOError(errnoCode: errno, reason: "send"))
            }
        }
        if isActive, output.isShutting, output.isEmpty, !output.isShut { shutDown() }
        for promise in promises { promise.succeed() }
        if isActive, output.becameWritable() { pipeline.syncOperations.fireChannelWritabilityChanged() }
    }

    // MARK: Closing

    package func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .all: closeNow(error, promise)
        case .input: promise?.fail(ChannelError.operationUnsupported)
        case .output:
            guard isActive, !output.isShutting else {
                promise?.fail(isActive ? ChannelError.outputClosed : ChannelError.alreadyClosed)
                return
            }
            output.isShutting = true
            if output.isEmpty { shutDown() }
            promise?.succeed()
        }
    }

    /// Everything has been written: closes the sending side.
    private func shutDown() {
        output.isShut = true
        guard shutdown(descriptor, CInt(SHUT_WR)) == 0 else {
            return fail(IOError(errnoCode: errno, reason: "shutdown"))
        }
        pipeline.fireUserInboundEventTriggered(ChannelEvent.outputClosed)
    }

    // MARK: Other requirements of ChannelCore

    package func localAddress0() throws -> SocketAddress {
        guard !isClosed else { throw ChannelError.ioOnClosedChannel }
        return try SystemSocket.localAddress(of: descriptor)
    }

    package func remoteAddress0() throws -> SocketAddress {
        guard let remoteAddress else { throw ChannelError.operationUnsupported }
        return remoteAddress
    }

    package func register0(promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }

    package func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    package func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    package func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    package func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    package func channelRead0(_ data: NIOAny) {}

    package func errorCaught0(error: any Error) {}
}
