import Demo

/// One trial of an app at a time.
actor TrialGate {
    private var running: Set<SampleAppName> = []

    func enter(_ app: SampleAppName) -> Bool { running.insert(app).inserted }

    func leave(_ app: SampleAppName) { running.remove(app) }
}
