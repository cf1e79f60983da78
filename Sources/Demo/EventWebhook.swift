import HTTPTypes
public import Hummingbird
import Synchronization
public import Time
public import Verification

/// A receiver of the gateway's events, as an app would have one (Standard Webhooks 1.0.0): it keeps the latest.
public final class EventWebhook: Sendable {
    public static let path = "/demo/webhook"
    private static let longestBody = 64 << 10
    /// How far the gateway's clock may be off, in seconds.
    private static let tolerance = 300.0
    private static let mostEvents = 20
    /// More than what comes twice.
    private static let mostKnown = 1_000

    private struct State {
        /// The latest first.
        var events: [JSONObject] = []
        var known: Set<String> = []
        var order: [String] = []
    }

    private let key: [UInt8]
    private let now: @Sendable () -> UnixTime
    private let onEvent: @Sendable (JSONObject) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - key: The bytes of the shared secret.
    ///   - onEvent: Called with each event, once, when it is among the latest.
    public init(
        key: [UInt8],
        now: @escaping @Sendable () -> UnixTime,
        onEvent: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) {
        self.key = key
        self.now = now
        self.onEvent = onEvent
    }

    /// The events received last, the latest first.
    public var latest: [JSONObject] { state.withLock { $0.events } }

    public func addRoutes(to router: Router<BasicRequestContext>) {
        router.post("\(Self.path)") { request, _ in
            func field(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
            let (id, timestamp, signature) = (
                field("webhook-id"), field("webhook-timestamp"), field("webhook-signature")
            )
            var request = request
            guard let buffer = try? await request.collectBody(upTo: Self.longestBody) else {
                return Response(status: .badRequest)
            }
            let isGood = self.receive(
                Array(buffer.readableBytesView),
                id: id,
                timestamp: timestamp,
                signature: signature
            )
            return Response(status: isGood ? .noContent : .badRequest)
        }
    }

    /// - Parameters:
    ///   - timestamp: `webhook-timestamp`.
    ///   - signature: `webhook-signature`, of which any may fit.
    /// - Returns: Whether it is the gateway's, new or not.
    func receive(_ body: [UInt8], id: String, timestamp: String, signature: String) -> Bool {
        guard let seconds = Double(timestamp), abs(now().seconds - seconds) <= Self.tolerance,
            let event = try? JSONParser.parse(body).object
        else { return false }
        let signed = Array("\(id).\(timestamp).".utf8) + body
        let expected = Array("v1,\(StandardBase64.encode(HMACSHA256.code(of: signed, key: key)))".utf8)
        let isGenuine = signature.split(separator: " ").contains { ConstantTime.areEqual(Array($0.utf8), expected) }
        guard isGenuine else { return false }
        let isNew = state.withLock { state in
            guard state.known.insert(id).inserted else { return false }
            state.order.append(id)
            if state.order.count > Self.mostKnown { state.known.remove(state.order.removeFirst()) }
            state.events.insert(event, at: 0)
            if state.events.count > Self.mostEvents { state.events.removeLast() }
            return true
        }
        if isNew { onEvent(event) }
        return true
    }
}
