import Logging
import Store
import Time
import Verification

/// Deletions in the store, with what finds them:
///
/// - a deletion under its ID,
/// - the ID under its subject, so that a second request finds the first one's,
/// - one queue of those that are not done, by the time of their next attempt, and one of those that have ended, by the
///   time of their removal.
///
/// All of it changes in one step, by compare-and-set of the deletion: a deletion is always in exactly one queue.
struct DeletionRecords: Sendable {
    /// A deletion as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let deletion: Deletion
        fileprivate let bytes: [UInt8]
    }

    enum Addition: Sendable {
        case added(Stored)
        /// Another request was faster.
        case overtaken
        /// There are as many as are kept.
        case full
    }

    static let deletions = StoreCollection("deletion")
    static let subjects = StoreCollection("deletion-subject")
    static let waiting = StoreCollection("deletion-due")
    static let ended = StoreCollection("deletion-ended")
    /// The maximum number, by default.
    static let most = 1_000_000

    let store: any Store
    let logger: Logger
    var most = Self.most

    // MARK: Reading

    func read(_ id: String) async throws(StoreError) -> Stored? {
        guard let entry = try await store.entries([id], of: Self.deletions).first else { return nil }
        guard let deletion = Deletion(json: entry.value), deletion.id == id else {
            throw .garbled("deletion \(id) cannot be read")
        }
        return Stored(deletion: deletion, bytes: entry.value)
    }

    /// The latest deletion of a subject: its ID, and the deletion if it is there.
    func latest(ofSubject subject: String, in scope: String) async throws(StoreError) -> (id: String?, stored: Stored?)
    {
        let name = Self.name(ofSubject: subject, in: scope)
        guard let entry = try await store.entries([name], of: Self.subjects).first else { return (nil, nil) }
        let id = String(decoding: entry.value, as: UTF8.self)
        return (id, try await read(id))
    }

    /// Deletions in the order of their IDs; unreadable ones are left out.
    func page(after id: String?, limit: Int) async throws(StoreError) -> [Deletion] {
        try await store.entries(of: Self.deletions, after: id, limit: limit).compactMap { Deletion(json: $0.value) }
    }

    // MARK: Writing

    /// - Parameter earlier: The ID of the ended deletion that it takes the place of for its subject.
    func add(_ deletion: Deletion, insteadOf earlier: String?) async throws(StoreError) -> Addition {
        let bytes = deletion.json
        let subject = Self.name(ofSubject: deletion.subject, in: deletion.scope)
        let condition = earlier.map { EntryChange.Condition.value(Array($0.utf8)) } ?? .absent
        let changes = [
            EntryChange(Self.subjects, subject, if: condition, to: Array(deletion.id.utf8)),
            EntryChange(Self.deletions, deletion.id, if: .absent, to: bytes, most: most),
            Self.place(of: deletion, to: Array(deletion.tenant.utf8)),
        ]
        switch try await store.change(changes) {
        case .done: return .added(Stored(deletion: deletion, bytes: bytes))
        case .unmet: return .overtaken
        case .full: return .full
        }
    }

    /// - Returns: Nil if it was changed meanwhile.
    func replace(_ stored: Stored, with deletion: Deletion) async throws(StoreError) -> Stored? {
        let bytes = deletion.json
        guard bytes != stored.bytes else { return stored }
        var changes = [EntryChange(Self.deletions, deletion.id, if: .value(stored.bytes), to: bytes)]
        let (before, after) = (Self.place(of: stored.deletion, to: nil), Self.place(of: deletion, to: nil))
        if before.name != after.name || before.collection != after.collection {
            changes += [before, Self.place(of: deletion, to: Array(deletion.tenant.utf8))]
        }
        guard try await store.change(changes) == .done else { return nil }
        return Stored(deletion: deletion, bytes: bytes)
    }

    /// Removes one whose retention is over.
    func remove(_ stored: Stored) async throws(StoreError) {
        let deletion = stored.deletion
        let name = Self.name(ofSubject: deletion.subject, in: deletion.scope)
        let changes = [
            EntryChange(Self.deletions, deletion.id, if: .value(stored.bytes), to: nil),
            Self.place(of: deletion, to: nil),
        ]
        let isLatest = EntryChange(Self.subjects, name, if: .value(Array(deletion.id.utf8)), to: nil)
        // The subject may have a later one.
        if try await store.change(changes + [isLatest]) != .done { _ = try await store.change(changes) }
    }

    // MARK: Queues

    /// One place in a queue.
    struct Place: Sendable {
        /// Its name there.
        let name: String
        let id: String
        let tenant: String
        let time: UnixTime
    }

    /// The places in a queue, the earliest first; what is no place is removed.
    func places(in queue: StoreCollection, after name: String?, limit: Int) async throws(StoreError) -> [Place] {
        var places: [Place] = []
        for entry in try await store.entries(of: queue, after: name, limit: limit) {
            let parts = entry.name.split(separator: "-", maxSplits: 1)
            guard parts.count == 2, let seconds = Double(parts[0]) else {
                try await discard(entry.name, in: queue)
                continue
            }
            places.append(
                Place(
                    name: entry.name,
                    id: String(parts[1]),
                    tenant: String(decoding: entry.value, as: UTF8.self),
                    time: UnixTime(seconds)
                )
            )
        }
        return places
    }

    /// Gives a deletion that cannot be read a later place, so that it holds up no other and is not forgotten.
    func postpone(_ place: Place, in queue: StoreCollection, until time: UnixTime) async throws(StoreError) {
        logger.error(
            "a deletion cannot be read: it is tried again in an hour",
            metadata: ["deletion": "\(place.id)", "tenant": "\(place.tenant)"]
        )
        let tenant = Array(place.tenant.utf8)
        _ = try await store.change([
            EntryChange(queue, place.name, if: .value(tenant), to: nil),
            EntryChange(queue, Self.name(at: time, place.id), to: tenant),
        ])
    }

    /// Removes a place without a deletion: it would be looked at for ever.
    func discard(_ name: String, in queue: StoreCollection) async throws(StoreError) {
        logger.error("a place in the queue of deletions has none and is removed", metadata: ["entry": "\(name)"])
        _ = try await store.change([EntryChange(queue, name, to: nil)])
    }

    private static func place(of deletion: Deletion, to value: [UInt8]?) -> EntryChange {
        EntryChange(deletion.endedAt == nil ? waiting : ended, name(at: deletion.nextAt, deletion.id), to: value)
    }

    /// In the order of time: whole seconds with as many digits until the year 5138.
    private static func name(at time: UnixTime, _ id: String) -> String {
        let digits = String(Int(min(max(time.seconds, 0), 99_999_999_999).rounded(.down)))
        return String(repeating: "0", count: 11 - digits.count) + digits + "-" + id
    }

    private static func name(ofSubject subject: String, in scope: String) -> String {
        Hexadecimal.text(SHA256.digest(Array(scope.utf8) + [0] + subject.utf8))
    }
}
