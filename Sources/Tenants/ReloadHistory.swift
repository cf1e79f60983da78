public import Time

/// One reload, for those who ask what has changed.
public struct ReloadRecord: Sendable, Equatable {
    /// Of the last one, if it stands for several.
    public var time: UnixTime
    public var trigger: ReloadTrigger
    /// Its lines are bounded; see ``ReloadHistory``.
    public var report: ReloadReport
    /// Empty unless it was applied.
    public var changes: KeyChanges
    /// How often the same was tried in vain.
    public var times = 1

    public init(time: UnixTime, trigger: ReloadTrigger, report: ReloadReport, changes: KeyChanges = KeyChanges()) {
        self.time = time
        self.trigger = trigger
        self.report = report
        self.changes = changes
    }
}

/// The last reloads.
public struct ReloadHistory: Sendable {
    static let capacity = 20
    /// Lines of one reload; the rest is summed up in one more.
    static let mostLines = 100

    /// The newest first.
    public private(set) var records: [ReloadRecord] = []

    public init() {}

    /// A reload that is refused again for the same reasons is counted with the last: one that waits for the store is tried
    /// every few seconds.
    public mutating func add(_ record: ReloadRecord) {
        var record = record
        record.report.changes = Self.bounded(record.report.changes)
        record.report.mistakes = Self.bounded(record.report.mistakes)
        if let last = records.first, record.isRepetition(of: last) {
            record.times = last.times + 1
            records[0] = record
            return
        }
        records.insert(record, at: 0)
        if records.count > Self.capacity { records.removeLast() }
    }

    private static func bounded(_ lines: [String]) -> [String] {
        let more = lines.count - mostLines
        return more > 0 ? lines.prefix(mostLines) + ["and \(more) more"] : lines
    }
}

extension ReloadRecord {
    fileprivate func isRepetition(of last: ReloadRecord) -> Bool {
        report.result == .refused && report == last.report && trigger == last.trigger
    }
}
