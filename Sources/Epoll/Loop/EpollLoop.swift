import CEpoll
package import Dispatch
import Glibc
package import NIOCore
import Synchronization

/// The event loop of the proxy's connections: one thread that waits for their sockets with epoll and runs their tasks.
///
/// Sockets are registered once, edge-triggered, for reading and writing. So neither a pause in reading nor a full
/// socket costs a system call, and the kernel does not check again each socket that was ready in the turn before. NIO's
/// own loop does more for each request: that took a fifth of a request's processor time.
///
/// `@unchecked Sendable`: all stored properties that change are touched on the loop's own thread alone, but for
/// `thread`, `hasPosted`, `inbox` and `acceptedConnections`, which are synchronized.
package final class EpollLoop: EventLoop, @unchecked Sendable {
    /// Tasks from other threads.
    private struct Inbox {
        var tasks: [() -> Void] = []
        var isClosed = false
    }

    private static let eventsPerTurn: CInt = 256

    let epoll: CInt
    private let wakeup: CInt
    private let thread = Atomic<UInt>(0)
    private let hasPosted = Atomic(false)
    private let inbox = Mutex(Inbox())
    /// Connections that listeners gave to this loop, those on their way to it among them.
    let acceptedConnections = Atomic(0)
    private var tasks: [() -> Void] = []
    private var timers = LoopTimers()
    private var sources = SourceTable()
    /// Sources that are resumed in the next turn.
    private var unfinished: [any EpollSource] = []
    private var state = State.running
    var buffers = ReadBuffers()

    private enum State {
        case running
        case stopping(then: () -> Void)
        case stopped
    }

    /// Starts the thread.
    ///
    /// - Parameter name: Of the thread, at most 15 bytes.
    /// - Throws: `IOError` if the system has no descriptor or thread left.
    package init(name: String) throws {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw IOError(errnoCode: errno, reason: "epoll_create1") }
        wakeup = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeup >= 0 else {
            let error = IOError(errnoCode: errno, reason: "eventfd")
            Glibc.close(epoll)
            throw error
        }
        // Edge-triggered, so that the counter need not be read.
        let events = gatehouse_epoll_readable | gatehouse_epoll_edge
        guard gatehouse_epoll_add(epoll, wakeup, events, SourceTable.noSource) == 0 else {
            throw closing(IOError(errnoCode: errno, reason: "epoll_ctl"))
        }
        var id = pthread_t()
        let started = Unmanaged.passRetained(ThreadStart(loop: self, name: name))
        let error = pthread_create(&id, nil, runThread, started.toOpaque())
        guard error == 0 else {
            started.release()
            throw closing(IOError(errnoCode: error, reason: "pthread_create"))
        }
        pthread_detach(id)
        thread.store(UInt(id), ordering: .relaxed)
    }

    private func closing(_ error: IOError) -> IOError {
        Glibc.close(wakeup)
        Glibc.close(epoll)
        return error
    }

    // MARK: Work

    package var inEventLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    package func execute(_ task: @escaping @Sendable () -> Void) {
        if inEventLoop { tasks.append(task) } else { post(task) }
    }

    package func _executeIsolatedUnsafeUnchecked(_ task: @escaping () -> Void) {
        assertInEventLoop()
        tasks.append(task)
    }

    /// Runs a task of another thread.
    ///
    /// - Returns: False if the loop has stopped; the task is dropped then.
    @discardableResult
    func post(_ task: @escaping @Sendable () -> Void) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.tasks.append(task)
            if inbox.tasks.count == 1 {
                hasPosted.store(true, ordering: .releasing)
                // Under the lock: otherwise `stop` may have closed the descriptor, and its number be another file's.
                eventfd_write(wakeup, 1)
            }
            return true
        }
    }

    private func takePosted() {
        guard hasPosted.exchange(false, ordering: .acquiring) else { return }
        let posted = inbox.withLock { inbox in
            let tasks = inbox.tasks
            inbox.tasks = []
            return tasks
        }
        tasks.append(contentsOf: posted)
    }

    package func scheduleTask<T>(
        deadline: NIODeadline,
        _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        let promise = makePromise(of: T.self)
        let timer = LoopTimer(deadline) { outcome in
            switch outcome {
            case .due:
                do { promise.assumeIsolated().succeed(try task()) } catch { promise.fail(error) }
            case .stopped: promise.fail(EventLoopError.cancelled)
            }
        }
        if inEventLoop { add(timer) } else { post { self.add(timer) } }
        return Scheduled(promise: promise) {
            if self.inEventLoop { self.cancel(timer) } else { self.post { self.cancel(timer) } }
        }
    }

    package func scheduleTask<T>(in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        scheduleTask(deadline: .now() + delay, task)
    }

    private func cancel(_ timer: LoopTimer) {
        timers.remove(timer)
        timer.forget()
    }

    private func add(_ timer: LoopTimer) {
        if case .stopped = state { return timer.fire(.stopped) }
        timers.add(timer)
    }

    // MARK: Sockets

    /// Registers the source: from now on it is called when its descriptor is ready.
    ///
    /// - Returns: The key for ``remove(_:)``.
    /// - Throws: `IOError`, or `EventLoopError.shutdown` if the loop is about to end.
    func add(_ source: any EpollSource, _ descriptor: CInt, events: UInt32) throws -> SourceTable.Key {
        assertInEventLoop()
        guard case .running = state else { throw EventLoopError.shutdown }
        let key = sources.add(source)
        guard gatehouse_epoll_add(epoll, descriptor, events, key.value) == 0 else {
            let error = IOError(errnoCode: errno, reason: "epoll_ctl")
            sources.remove(key)
            throw error
        }
        return key
    }

    /// The descriptor has been closed, or is about to be.
    func remove(_ key: SourceTable.Key) { sources.remove(key) }

    /// Calls the source's ``EpollSource/resume()`` in the next turn.
    func resumeLater(_ source: any EpollSource) { unfinished.append(source) }

    // MARK: Turns

    fileprivate func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        var events = [epoll_event](repeating: epoll_event(), count: Int(Self.eventsPerTurn))
        while true {
            let count = epoll_wait(epoll, &events, Self.eventsPerTurn, waitTimeout)
            for index in 0..<max(0, Int(count)) {
                sources[events[index].data.u64]?.ready(events[index].events)
            }
            resumeUnfinished()
            takePosted()
            runTasks()
            if !timers.isEmpty { runTimers() }
            if case .stopping(let then) = state { return stop(then) }
        }
    }

    /// How long `epoll_wait` may wait: milliseconds until something is due, rounded up; -1 until a socket or another
    /// thread wakes it.
    private var waitTimeout: CInt {
        guard tasks.isEmpty, unfinished.isEmpty else { return 0 }
        guard let deadline = timers.first else { return -1 }
        let left = (deadline - .now()).nanoseconds
        return left <= 0 ? 0 : CInt(clamping: (left + 999_999) / 1_000_000)
    }

    private func resumeUnfinished() {
        guard !unfinished.isEmpty else { return }
        let sources = unfinished
        unfinished.removeAll(keepingCapacity: true)
        for source in sources { source.resume() }
    }

    /// Tasks that these add run in the next turn, so that sockets do not wait for ever.
    private func runTasks() {
        guard !tasks.isEmpty else { return }
        var due: [() -> Void] = []
        swap(&due, &tasks)
        for task in due { task() }
        guard tasks.isEmpty else { return }
        due.removeAll(keepingCapacity: due.capacity < 1024)
        swap(&due, &tasks)
    }

    private func runTimers() {
        let now = NIODeadline.now()
        while let timer = timers.takeFirst(by: now) { timer.fire(.due) }
    }

    // MARK: The end

    /// Closes all sources, runs the remaining tasks and ends the thread.
    ///
    /// - Parameter then: Called on the loop's thread, or by this call if the loop has stopped already.
    func stop(then: @escaping @Sendable () -> Void) {
        let stop: @Sendable () -> Void = {
            if case .running = self.state { self.state = .stopping(then: then) } else { then() }
        }
        if inEventLoop { tasks.append(stop) } else if !post(stop) { then() }
    }

    private func stop(_ then: () -> Void) {
        for source in sources.all { source.loopStops() }
        state = .stopped
        while let timer = timers.takeFirst(by: .distantFuture) { timer.fire(.stopped) }
        // Closing adds tasks, which may add others. The bound ends the thread even if they never stop doing so.
        for _ in 0..<1000 {
            takePosted()
            if tasks.isEmpty { break }
            runTasks()
        }
        let left = inbox.withLock { inbox in
            inbox.isClosed = true
            Glibc.close(wakeup)
            let tasks = inbox.tasks
            inbox.tasks = []
            return tasks
        }
        for task in left { task() }
        unfinished = []
        Glibc.close(epoll)
        // The system may give the thread's ID to another one.
        thread.store(0, ordering: .relaxed)
        then()
    }
}

extension EpollLoop: EventLoopGroup {
    package func next() -> any EventLoop { self }

    package func any() -> any EventLoop { self }

    package func makeIterator() -> EventLoopIterator { EventLoopIterator([self]) }

    /// Fails: a loop ends only with its group.
    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async { callback(EventLoopError.unsupportedOperation) }
    }
}

/// The argument of a new thread.
private final class ThreadStart {
    let loop: EpollLoop
    let name: String

    init(loop: EpollLoop, name: String) {
        self.loop = loop
        self.name = name
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    _ = start.name.withCString { pthread_setname_np(pthread_self(), $0) }
    start.loop.run()
    return nil
}
