import Time
import Verification

/// The messages that are sent one after the other, in order, because they are about one session. A value without I/O;
/// the store has it for as long as a message waits.
///
///                 add                claim                   record, for each message sent          release
///     (nothing) ──▶ waiting ──▶ claimed by one instance ──▶ … ──▶ waiting for the next attempt, or empty: removed
///                      ▲                 │ the claim runs out: that instance is gone
///                      └─────────────────┘
///
/// Every message may be sent twice: after a crash, or by an instance that was slow enough to lose its claim.
struct OutboxStream: Sendable, Equatable {
    struct Claim: Sendable, Equatable {
        let holder: String
        let until: UnixTime
    }

    /// What came of sending a message.
    enum Result: Sendable, Equatable {
        case delivered
        /// It is never tried again.
        case givenUp(OutboxFailure)
        /// - Parameter retryAfter: Seconds that the receiver asks to wait; nil if it says none.
        case failed(OutboxFailure, retryAfter: Int?)
    }

    enum Addition: Sendable, Equatable {
        case added(Displaced<OutboxMessage>)
        /// A message with this ID waits already.
        case known
    }

    /// Seconds for which an instance has a stream for itself.
    static let claimDuration = 120.0
    /// Seconds until the second attempt at most; each further one waits twice as long, up to the longest.
    private static let firstDelay = 5.0
    static let longestDelay = 3600.0

    /// A digest of what its messages are about.
    let id: String
    let channel: OutboxChannel
    let tenant: String
    /// In the order in which they are sent.
    private(set) var messages: [OutboxMessage] = []
    /// At the first message so far, none of which succeeded.
    private(set) var attempts = 0
    /// Why the last one failed.
    private(set) var failure: OutboxFailure?
    private(set) var nextAt: UnixTime
    private(set) var claim: Claim?

    /// Without a message.
    init(id: String, channel: OutboxChannel, tenant: String, at now: UnixTime) {
        self.id = id
        self.channel = channel
        self.tenant = tenant
        nextAt = now
    }
}

// MARK: - Events

extension OutboxStream {
    /// Something happened. It goes where its time belongs, but not before what may be under way. Of what says that
    /// the session was refreshed only the latest waits.
    ///
    /// A stream of an earlier version may have more messages than there is room for now: they stay, but it grows no more.
    mutating func add(_ message: OutboxMessage) -> Addition {
        guard !messages.contains(where: { $0.id.utf8.elementsEqual(message.id.utf8) }) else { return .known }
        let most = max(channel.mostMessages, messages.count)
        let mostBytes = max(channel.mostBytes, size)
        var displaced = Displaced<OutboxMessage>()
        if message.content == .event(.refreshed) {
            guard waiting.allSatisfy({ $0.content != message.content || $0.createdAt <= message.createdAt }) else {
                return .added(Displaced(replaced: [message]))
            }
            displaced.replaced = waiting.filter { $0.content == message.content }
            messages = Array(messages.prefix(firstWaiting)) + waiting.filter { $0.content != message.content }
        }
        let after = messages.lastIndex { $0.createdAt <= message.createdAt }.map { $0 + 1 } ?? 0
        messages.insert(message, at: max(after, firstWaiting))
        while messages.count > most || size > mostBytes {
            displaced.dropped.append(messages.remove(at: leastImportant))
        }
        return .added(displaced)
    }

    /// The receiver may have the first message: then nothing can go before it any more.
    private var firstWaiting: Int { claim != nil || attempts > 0 ? min(1, messages.count) : 0 }

    private var waiting: ArraySlice<OutboxMessage> { messages.dropFirst(firstWaiting) }

    private var size: Int { messages.reduce(0) { $0 + $1.size } }

    /// What goes when there is no room: of the least important the oldest if another says as much, or else what came
    /// last.
    private var leastImportant: Int {
        let least = waiting.map(\.importance).min()
        let found =
            least.map { $0 <= .refreshed } ?? false
            ? waiting.firstIndex { $0.importance == least } : waiting.lastIndex { $0.importance == least }
        return found ?? messages.count - 1
    }

    /// An instance wants to send what is next.
    ///
    /// - Returns: Whether it may; no other may until the claim is released or runs out.
    mutating func claim(by holder: String, at now: UnixTime) -> Bool {
        guard !isEmpty, nextAt <= now, claim.map({ $0.until <= now }) ?? true else { return false }
        claim = Claim(holder: holder, until: now + Self.claimDuration)
        return true
    }

    /// Drops what has waited for too long.
    ///
    /// - Returns: That.
    mutating func expire(at now: UnixTime) -> [OutboxMessage] {
        let expired = messages.filter { $0.createdAt + channel.retention <= now }
        guard !expired.isEmpty else { return [] }
        let first = messages.first?.id
        messages.removeAll { $0.createdAt + channel.retention <= now }
        if messages.first?.id != first { startOver(at: now) }
        return expired
    }

    /// A message was sent, or not.
    ///
    /// - Parameter jitter: 0 to 1: streams that failed together are not tried again together.
    mutating func record(_ result: Result, of id: String, at now: UnixTime, jitter: Double) {
        guard let index = messages.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
        switch result {
        case .delivered, .givenUp:
            messages.remove(at: index)
            if index == 0 { startOver(at: now) }
        case .failed(let failure, let retryAfter):
            guard index == 0 else { return }
            attempts += 1
            self.failure = failure
            let asked = min(max(Double(retryAfter ?? 0), 0), Self.longestDelay)
            nextAt = now + max(Self.delay(after: attempts, jitter: jitter), asked)
        }
    }

    /// The instance that has claimed it leaves it. Another one's claim stays.
    mutating func release(_ holder: String) {
        if claim?.holder == holder { claim = nil }
    }

    private mutating func startOver(at now: UnixTime) {
        attempts = 0
        failure = nil
        nextAt = now
    }

    /// Seconds.
    private static func delay(after attempts: Int, jitter: Double) -> Double {
        var delay = firstDelay
        for _ in 1..<max(attempts, 1) where delay < longestDelay { delay *= 2 }
        return min(delay, longestDelay) * (0.75 + 0.25 * min(max(jitter, 0), 1))
    }
}

// MARK: - What it is

extension OutboxStream {
    var isEmpty: Bool { messages.isEmpty }

    /// Whom its messages are for: a stream has one receiver.
    var receiver: OutboxReceiverID {
        switch channel {
        case .events, .refused: .webhook
        case .logouts: .client(tenant: tenant, id: messages.first?.client)
        }
    }

    /// When somebody has to look at it next.
    var placeTime: UnixTime { claim.map { max($0.until, nextAt) } ?? nextAt }

    static func id(of parts: [String]) -> String { Base64URL.encode(digest(of: parts)) }

    /// Of parts that may hold anything.
    static func digest(of parts: [String]) -> [UInt8] {
        SHA256.digest(parts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) })
    }
}

// MARK: - In the store

extension OutboxStream {
    private static let version = 1.0

    var json: [UInt8] {
        var object: JSONObject = [
            "v": 1,
            "id": .string(id),
            "channel": .string(channel.rawValue),
            "tenant": .string(tenant),
            "next": .time(nextAt),
            "attempts": .number(JSONNumber(attempts)),
            "messages": .array(messages.map { .object($0.json) }),
        ]
        if let failure { object["failure"] = .object(failure.json) }
        if let claim { object["claim"] = ["holder": .string(claim.holder), "until": .time(claim.until)] }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let id = object["id"]?.string,
            let channel = object["channel"]?.string.flatMap(OutboxChannel.init(rawValue:)),
            let tenant = object["tenant"]?.string, let nextAt = object["next"]?.time,
            let attempts = object["attempts"]?.double.flatMap({ Int(exactly: $0) }), attempts >= 0,
            let elements = object["messages"]?.array
        else { return nil }
        self.init(id: id, channel: channel, tenant: tenant, at: nextAt)
        self.attempts = attempts
        messages = elements.compactMap { $0.object.flatMap(OutboxMessage.init(json:)) }
        guard messages.count == elements.count else { return nil }
        if let value = object["failure"] {
            guard let failure = value.object.flatMap(OutboxFailure.init(json:)) else { return nil }
            self.failure = failure
        }
        if let value = object["claim"] {
            guard let holder = value.object?["holder"]?.string, let until = value.object?["until"]?.time else {
                return nil
            }
            claim = Claim(holder: holder, until: until)
        }
    }
}
