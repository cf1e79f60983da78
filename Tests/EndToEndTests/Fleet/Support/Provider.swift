import NIOCore
import Synchronization
import TestSupport
import Verification

/// An identity provider that publishes a key set on loopback, counts requests, and can pause, fail and stop.
final class Provider: Sendable {
    private struct State {
        var keys: [SigningKey] = []
        var fetches = 0
        var isFailing = false
        var isHeld = false
        var wires: [Wire] = []
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        /// One for each request.
        let asked = Mailbox<Void>("a request for the key set")
        let released: Gate = Gate("the answer of the provider")
    }

    private let listener: any Channel
    private let shared: Shared
    let port: Int

    /// Runs `test` with a provider, which is stopped afterwards.
    static func run<Result>(_ test: (Provider) async throws -> Result) async throws -> Result {
        let provider = try await Provider()
        do {
            let result = try await test(provider)
            await provider.goAway()
            return result
        } catch {
            await provider.goAway()
            throw error
        }
    }

    private init() async throws {
        let shared = Shared()
        listener = try await Wire.listen { wire in
            shared.state.withLock { $0.wires.append(wire) }
            Task {
                try? await Self.serve(wire, shared)
                await wire.close()
            }
        }
        self.shared = shared
        port = listener.localAddress?.port ?? 0
    }

    /// The URL of the key set.
    var url: String { "http://127.0.0.1:\(port)/keys" }

    /// Requests so far.
    var fetches: Int { shared.state.withLock { $0.fetches } }

    /// Changes the published keys.
    func publish(_ keys: [SigningKey]) { shared.state.withLock { $0.keys = keys } }

    /// Makes every request fail with 500, or succeed again.
    func fail(_ isFailing: Bool = true) { shared.state.withLock { $0.isFailing = isFailing } }

    /// Holds requests until ``release()``.
    func hold() { shared.state.withLock { $0.isHeld = true } }

    func release() {
        shared.state.withLock { $0.isHeld = false }
        shared.released.open()
    }

    /// Waits for the next request.
    func asked() async throws { try await shared.asked.next() }

    /// Stops listening.
    func goAway() async {
        release()
        try? await listener.close().get()
        for wire in shared.state.withLock({ $0.wires }) { await wire.close() }
    }

    private static func serve(_ wire: Wire, _ shared: Shared) async throws {
        let reader = ByteReader(wire)
        while try await RequestHead.read(from: reader) != nil {
            let isHeld = shared.state.withLock { state in
                state.fetches += 1
                return state.isHeld
            }
            shared.asked.put(())
            if isHeld { try await shared.released.passed() }
            try await wire.send(Array(response(shared).utf8))
        }
    }

    private static func response(_ shared: Shared) -> String {
        let (keys, isFailing) = shared.state.withLock { ($0.keys, $0.isFailing) }
        if isFailing { return "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n" }
        let published = keys.compactMap { $0.publicJWK().map(JSONValue.object) }
        let body = JSONWriter.text(of: ["keys": .array(published)])
        let fields = "Content-Type: application/json\r\nCache-Control: max-age=3600\r\n"
        return "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
