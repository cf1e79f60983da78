package import Dispatch
package import NIOCore
import Synchronization

/// The event loops of the proxy, a thread each.
package final class EpollLoopGroup: EventLoopGroup {
    package let loops: [EpollLoop]
    private let turn = Atomic(0)

    /// - Parameter count: At least 1.
    /// - Throws: `IOError` if the system has no descriptor or thread left.
    package init(count: Int) throws {
        var loops: [EpollLoop] = []
        do {
            for index in 0..<max(1, count) { loops.append(try EpollLoop(name: "proxy-\(index)")) }
        } catch {
            for loop in loops { loop.stop {} }
            throw error
        }
        self.loops = loops
    }

    package func next() -> any EventLoop {
        loops[(turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max) % loops.count]
    }

    package func makeIterator() -> EventLoopIterator { EventLoopIterator(loops) }

    /// Closes what is open on the loops and ends their threads.
    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        stop(loops[...]) { queue.async { callback(nil) } }
    }

    private func stop(_ left: ArraySlice<EpollLoop>, then: @escaping @Sendable () -> Void) {
        guard let loop = left.first else { return then() }
        loop.stop { self.stop(left.dropFirst(), then: then) }
    }
}
