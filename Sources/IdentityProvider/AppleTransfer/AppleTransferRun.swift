public import Time

/// Takes the users of a realm along when their app moves to another Apple team: goes through all accounts, and does for each
/// login with Apple what is still to do. It may be stopped at any time, and run again.
public struct AppleTransferRun: Sendable {
    public enum Step: Sendable, Equatable {
        /// With the old team's client, before the app moves: gets the identifiers for the recipient team.
        case before(recipient: String)
        /// With the new team's client, within 60 days after: gets the users' new identifiers.
        case after
    }

    /// The most requests at once.
    public static let mostAtOnce = 16
    /// So many refusals, and no success: then it is not the users.
    static let enoughRefusals = 20

    private let step: Step
    private let accounts: AccountRepository
    /// Nil for a dry run.
    private let client: AppleTransferClient?
    private let atOnce: Int
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - client: Nil to count alone, and to change nothing.
    ///   - atOnce: Accounts that are worked on at once: 1 to ``mostAtOnce``.
    public init(
        _ step: Step,
        of accounts: AccountRepository,
        client: AppleTransferClient?,
        atOnce: Int,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() }
    ) {
        self.step = step
        self.accounts = accounts
        self.client = client
        self.atOnce = min(max(atOnce, 1), Self.mostAtOnce)
        self.now = now
    }

    /// - Parameter progress: Called after each page of accounts that has changed the counts, with those so far.
    public func run(
        progress: @Sendable (AppleTransferCounts) -> Void = { _ in }
    ) async throws(AppleTransferProblem) -> AppleTransferCounts {
        try await client?.signIn()
        var counts = AppleTransferCounts()
        var cursor: String?
        repeat {
            let page = try await storing { () async throws(AccountProblem) in try await accounts.page(after: cursor) }
            let before = counts
            counts.unreadable += page.unreadable
            try await work(on: page.accounts, &counts)
            // Pages of a store with many other keys are empty.
            if counts != before { progress(counts) }
            cursor = page.next
        } while cursor != nil
        return counts
    }

    private func work(on page: [AccountRecord], _ counts: inout AppleTransferCounts) async throws(AppleTransferProblem)
    {
        var rest = page.makeIterator()
        let (sum, problem) = await withTaskGroup(of: Result<AppleTransferCounts, AppleTransferProblem>.self) { group in
            for _ in 0..<atOnce {
                guard let record = rest.next() else { break }
                group.addTask { await result(record) }
            }
            var sum = counts
            var problem: AppleTransferProblem?
            while let result = await group.next() {
                switch result {
                case .success(let one): sum.add(one)
                case .failure(let failure): problem = problem ?? failure
                }
                if sum.done + sum.earlier == 0, sum.refused >= Self.enoughRefusals {
                    problem = problem ?? .refusesEveryone(sum.refused)
                }
                // Those under way are finished: none of it is lost.
                if problem == nil, Task.isCancelled { problem = .cancelled }
                if problem == nil, let record = rest.next() { group.addTask { await self.result(record) } }
            }
            return (sum, problem)
        }
        counts = sum
        if let problem { throw problem }
    }

    private func result(_ record: AccountRecord) async -> Result<AppleTransferCounts, AppleTransferProblem> {
        do throws(AppleTransferProblem) {
            var counts = AppleTransferCounts()
            counts.accounts = 1
            for link in record.links where link.identity.provider == .apple {
                counts.logins += 1
                switch step {
                case .before(let recipient): try await prepare(link, record.account.subject, recipient, &counts)
                case .after: try await finish(link, record.account.subject, &counts)
                }
            }
            return .success(counts)
        } catch {
            return .failure(error)
        }
    }

    private func prepare(
        _ link: AccountRecord.Link,
        _ subject: String,
        _ recipient: String,
        _ counts: inout AppleTransferCounts
    ) async throws(AppleTransferProblem) {
        guard link.transfer?.team != recipient else { return counts.earlier += 1 }
        guard let client else { return counts.done += 1 }
        do throws(AppleTransferProblem) {
            let transferSubject = try await client.transferSubject(of: link.identity.subject, to: recipient)
            let transfer = AppleTransfer(team: recipient, subject: transferSubject)
            let isKept = try await storing { () async throws(AccountProblem) in
                try await accounts.keep(transfer, of: link.identity, ofSubject: subject, at: now())
            }
            // Unlinked or deleted meanwhile.
            if isKept { counts.done += 1 } else { counts.logins -= 1 }
        } catch .unknownUser {
            counts.refused += 1
            counts.name(subject)
        } catch {
            throw error
        }
    }

    private func finish(
        _ link: AccountRecord.Link,
        _ subject: String,
        _ counts: inout AppleTransferCounts
    ) async throws(AppleTransferProblem) {
        guard let transfer = link.transfer else {
            if link.former != nil { counts.earlier += 1 } else { counts.missing += 1 }
            return
        }
        guard let client else { return counts.done += 1 }
        do throws(AppleTransferProblem) {
            let identity = try await client.identity(ofTransferSubject: transfer.subject)
            let move = try await storing { () async throws(AccountProblem) in
                try await accounts.move(transfer, to: identity, ofSubject: subject, at: now())
            }
            switch move {
            case .done: counts.done += 1
            case .loginGone: counts.logins -= 1
            case .taken:
                counts.taken += 1
                counts.name(subject)
            }
        } catch .unknownUser {
            counts.refused += 1
            counts.name(subject)
        } catch {
            throw error
        }
    }

    private func storing<Value>(
        _ work: () async throws(AccountProblem) -> Value
    ) async throws(AppleTransferProblem) -> Value {
        do throws(AccountProblem) {
            return try await work()
        } catch {
            throw .store("the store is not available, or an account changes too fast")
        }
    }
}
