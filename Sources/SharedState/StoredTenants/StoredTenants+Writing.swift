import Store
public import Tenants
public import Time

/// A new version of a stored tenant.
public struct StoredTenantWrite: Sendable {
    /// What must be there.
    public enum Condition: Sendable, Hashable {
        case absent
        /// The version with this tag.
        case tag(String)
    }

    public var name: String
    public var condition: Condition
    /// As in the audit.
    public var by: String
    /// What who writes it may write.
    public var writer: TenantWriter
    public var at: UnixTime

    public init(name: String, condition: Condition, by: String, writer: TenantWriter, at: UnixTime) {
        self.name = name
        self.condition = condition
        self.by = by
        self.writer = writer
        self.at = at
    }
}

extension StoredTenants {
    /// Stores a text. When this returns, it survives a restart of the store, and is announced to all instances.
    ///
    /// - Parameters:
    ///   - text: At most ``maximumBytes``.
    ///   - routes: Its hosts, each with the path prefix: no other stored tenant may have one of them.
    ///   - number: The version that the text is of, for a rollback; nil if it is a new one.
    public func put(
        _ text: String,
        routes: [String],
        _ write: StoredTenantWrite,
        rollbackTo number: Int? = nil
    ) async throws(StoredTenantProblem) -> StoredTenantVersion {
        guard let sealer else { throw .noSealingKey }
        let known = try await expected(write)
        var (history, historyCondition) = try await history(write.name)
        let version = StoredTenantVersion(
            number: Self.next(known?.head, history),
            id: StoredTenantVersion.newID(),
            at: write.at,
            by: write.by,
            action: number.map { .rollback(to: $0) } ?? .put,
            bytes: text.utf8.count
        )
        let head = StoredTenantHead(name: write.name, version, routes: routes, writer: write.writer)
        let textName = Self.textName(write.name, version.tag)
        let sealed = try await mapping { () throws(StoreError) in
            try sealer.seal(Array(text.utf8), for: Self.sealingKey(textName, of: write.name))
        }
        let isHere = known.map { EntryChange.Condition.value($0.bytes) } ?? .absent
        var changes = [
            EntryChange(Self.heads, write.name, if: isHere, to: head.json, most: Self.limit),
            EntryChange(Self.texts, textName, if: .absent, to: sealed),
            EntryChange(Self.deleted, write.name, to: nil),
        ]
        changes += dropping(history.add(version), of: write.name)
        changes.append(EntryChange(Self.histories, write.name, if: historyCondition, to: history.json))
        changes += moving(from: known?.head.routes ?? [], to: routes, of: write.name)
        try await make(changes, write)
        return version
    }

    /// Deletes a tenant. The deletion is a version too, and the ones before it are kept.
    public func delete(_ write: StoredTenantWrite) async throws(StoredTenantProblem) -> StoredTenantVersion {
        guard let known = try await expected(write) else { throw .unknown }
        var (history, historyCondition) = try await history(write.name)
        let version = StoredTenantVersion(
            number: Self.next(known.head, history),
            id: StoredTenantVersion.newID(),
            at: write.at,
            by: write.by,
            action: .delete,
            bytes: 0
        )
        var changes = [
            EntryChange(Self.heads, write.name, if: .value(known.bytes), to: nil),
            EntryChange(Self.deleted, write.name, to: Array("\(Int(write.at.seconds))".utf8)),
        ]
        changes += dropping(history.add(version), of: write.name)
        changes.append(EntryChange(Self.histories, write.name, if: historyCondition, to: history.json))
        changes += moving(from: known.head.routes, to: [], of: write.name)
        changes += try await forgetting()
        try await make(changes, write)
        return version
    }

    private static func next(_ head: StoredTenantHead?, _ history: StoredTenantHistory) -> Int {
        max(head?.number ?? 0, history.versions.last?.number ?? 0) + 1
    }

    // MARK: Changes

    /// - Returns: What is there, if it is as the write expects it; nil if there is none, as expected.
    private func expected(
        _ write: StoredTenantWrite
    ) async throws(StoredTenantProblem) -> (head: StoredTenantHead, bytes: [UInt8])? {
        let known = try await entry(write.name)
        switch write.condition {
        case .absent:
            if let known { throw .exists(known.head) }
        case .tag(let tag):
            guard known?.head.tag == tag else { throw .changed(current: known?.head) }
        }
        return known
    }

    private func dropping(_ versions: [StoredTenantVersion], of name: String) -> [EntryChange] {
        versions.filter { $0.action != .delete }.map { EntryChange(Self.texts, Self.textName(name, $0.tag), to: nil) }
    }

    private func moving(from old: [String], to new: [String], of name: String) -> [EntryChange] {
        let (before, after) = (Set(old), Set(new))
        let own = EntryChange.Condition.absentOrValue(Array(name.utf8))
        return before.subtracting(after).sorted().map { EntryChange(Self.routes, $0, if: own, to: nil) }
            + after.sorted().map { EntryChange(Self.routes, $0, if: own, to: Array(name.utf8)) }
    }

    /// Removes what is kept of the tenant that was deleted first, if there are too many.
    private func forgetting() async throws(StoredTenantProblem) -> [EntryChange] {
        let kept = try await mapping { () async throws(StoreError) in
            try await store.entries(of: Self.deleted, after: nil, limit: deletedLimit)
        }
        guard kept.count >= deletedLimit else { return [] }
        let oldest = kept.min { Self.time($0) < Self.time($1) }
        guard let oldest else { return [] }
        let (history, condition) = try await history(oldest.name)
        return dropping(history.versions, of: oldest.name) + [
            EntryChange(Self.deleted, oldest.name, if: .value(oldest.value), to: nil),
            EntryChange(Self.histories, oldest.name, if: condition, to: nil),
        ]
    }

    private static func time(_ entry: StoreEntry) -> Int { Int(String(decoding: entry.value, as: UTF8.self)) ?? 0 }

    private func make(_ changes: [EntryChange], _ write: StoredTenantWrite) async throws(StoredTenantProblem) {
        let id = Array(StoredTenantVersion.newID().utf8)
        let all = changes + [EntryChange(Self.changes, Self.lastChange, to: id)]
        let result = try await mapping { () async throws(StoreError) in try await store.change(all) }
        switch result {
        case .done: await announce(write.name)
        case .full: throw .full
        case .unmet(let index):
            guard all[index].name != write.name else { throw .changed(current: try await head(of: write.name)) }
            guard all[index].collection == Self.routes else {
                throw .store(.unavailable("another write came in between; try again"))
            }
            let owner = try await mapping { () async throws(StoreError) in
                try await store.entries([all[index].name], of: Self.routes).first?.value
            }
            // It may be free again by now.
            throw .routeTaken(
                route: all[index].name,
                by: owner.map { String(decoding: $0, as: UTF8.self) } ?? "another tenant"
            )
        }
    }

    /// A lost announcement does no harm: every instance looks again at intervals.
    private func announce(_ name: String) async {
        try? await store.announce(Announcement(topic: Self.topic, subject: name))
    }
}
