public import Time

/// The deletion of one account: what is done of it, and what has to be tried again. A value without I/O; the store has
/// it from before anything is done until 30 days after its end.
///
///          claim                 record, for each due step              release
///     waiting ──▶ claimed by one instance ──▶ … ──▶ waiting for the next attempt, or ended
///        ▲              │ the claim runs out: that instance is gone
///        └──────────────┘
///
/// Every step may be carried out twice: after a crash, or by an instance that was slow enough to lose its claim.
public struct Deletion: Sendable, Equatable {
    /// In the order of receipts.
    public enum Step: String, Sendable, CaseIterable {
        /// All sessions and tokens of the subject, at all tenants of the realm.
        case sessions
        /// The account, with all that leads to it.
        case account
        /// What Apple gave for it.
        case apple
        /// What Google gave for it.
        case google
        /// The tenant's backend is told.
        case backend

        /// In the order in which they are carried out: a sign-in that is under way finds either no account, or has a
        /// session that is ended after it.
        static let order: [Step] = [.account, .sessions, .apple, .google, .backend]
        /// Those that need the store alone.
        static let local: Set<Step> = [.account, .sessions]
    }

    public enum State: Sendable, Equatable {
        case pending(Attempts)
        case done(at: UnixTime)
        case nothingToDo
    }

    /// The attempts at a step so far, none of which succeeded.
    public struct Attempts: Sendable, Equatable {
        public var count = 0
        /// Why the last one failed.
        public var failure: DeletionFailure?
        /// When it is tried next.
        public var nextAt: UnixTime
    }

    /// The result of an attempt.
    public enum Result: Sendable, Equatable {
        case done
        case nothingToDo
        case failed(DeletionFailure)
    }

    struct Claim: Sendable, Equatable {
        let holder: String
        let until: UnixTime
    }

    /// Seconds for which an instance has a deletion for itself: longer than all steps take.
    static let claimDuration = 120.0
    /// Seconds for which it is kept after its end.
    static let retention = 30 * 86_400.0
    /// Seconds until the second attempt; each further one waits twice as long, up to the longest.
    private static let firstDelay = 5.0
    private static let longestDelay = 3600.0

    /// 128 random bits in base64url: whoever has it may read the receipt.
    public let id: String
    /// The tenant at which it was asked for.
    public let tenant: String
    /// Whose subjects it is one of: a realm's or the tenant's.
    let scope: String
    public let subject: String
    public let createdAt: UnixTime
    public internal(set) var steps: [Step: State]
    var claim: Claim?
    public internal(set) var endedAt: UnixTime?
    /// How often there was something to do again: whoever carries a step out just then finds the record changed.
    var reopenings = 0
}

// MARK: - Events

extension Deletion {
    /// Somebody has asked for it.
    init(id: String, tenant: String, scope: String, subject: String, at now: UnixTime) {
        let pending = State.pending(Attempts(nextAt: now))
        self.init(
            id: id,
            tenant: tenant,
            scope: scope,
            subject: subject,
            createdAt: now,
            steps: Dictionary(uniqueKeysWithValues: Step.allCases.map { ($0, pending) })
        )
    }

    /// An instance wants to work on it.
    ///
    /// - Returns: Whether it may; no other may until the claim is released or runs out.
    mutating func claim(by holder: String, at now: UnixTime) -> Bool {
        guard endedAt == nil, claim.map({ $0.until <= now }) ?? true else { return false }
        claim = Claim(holder: holder, until: now + Self.claimDuration)
        return true
    }

    /// The steps to carry out now, in their order.
    func due(at now: UnixTime) -> [Step] {
        Step.order.filter { attempts(at: $0).map { $0.nextAt <= now } ?? false }
    }

    /// A step was carried out, or not.
    ///
    /// Sessions are ended for good only once there is no account: until then a sign-in may begin another.
    ///
    /// - Parameter jitter: 0 to 1: deletions that failed together are not tried again together.
    mutating func record(_ result: Result, of step: Step, at now: UnixTime, jitter: Double) {
        guard var attempts = attempts(at: step) else { return }
        switch result {
        case .done, .nothingToDo:
            if step == .sessions, let account = self.attempts(at: .account) {
                attempts.nextAt = max(now, account.nextAt)
                steps[step] = .pending(attempts)
            } else {
                steps[step] = result == .done ? .done(at: now) : .nothingToDo
            }
        case .failed(let failure):
            attempts.count += 1
            attempts.failure = failure
            attempts.nextAt = now + Self.delay(after: attempts.count, jitter: jitter)
            steps[step] = .pending(attempts)
        }
    }

    /// The instance that has claimed it leaves it; without a pending step it has ended.
    mutating func release(at now: UnixTime) {
        claim = nil
        if !isPending, endedAt == nil { endedAt = now }
    }

    /// There is something to do again in a step, whether it was done or is being carried out.
    mutating func reopen(_ step: Step, at time: UnixTime) {
        reopenings += 1
        guard attempts(at: step) == nil else { return }
        steps[step] = .pending(Attempts(nextAt: time))
        endedAt = nil
    }

    /// Seconds.
    private static func delay(after attempts: Int, jitter: Double) -> Double {
        var delay = firstDelay
        for _ in 1..<max(attempts, 1) where delay < longestDelay { delay *= 2 }
        return min(delay, longestDelay) * (0.75 + 0.25 * min(max(jitter, 0), 1))
    }
}

// MARK: - What it is

extension Deletion {
    /// Whether a text may be an ID: 22 characters of base64url.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == 22
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    var isPending: Bool { Step.allCases.contains { attempts(at: $0) != nil } }

    /// When somebody has to look at it next: at the end of its retention, to remove it.
    var nextAt: UnixTime {
        if let endedAt { return endedAt + Self.retention }
        if let claim { return claim.until }
        return Step.allCases.compactMap { attempts(at: $0)?.nextAt }.min() ?? createdAt
    }

    /// Nil for a step that needs no more of them.
    func attempts(at step: Step) -> Attempts? {
        if case .pending(let attempts) = steps[step] { attempts } else { nil }
    }
}

extension Deletion: CustomStringConvertible, CustomReflectable {
    /// Without the subject: descriptions may be logged.
    public var description: String { "deletion \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
