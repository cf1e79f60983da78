/// Announcements may be lost, and a key that was withdrawn must not stay good until the set is due.
extension KeySetKeeper {
    private static let interval = Duration.seconds(60)

    /// Adopts what the store has, as if it had been announced.
    func lookAgain() async {
        for source in entries.keys { await announced(shared.subject(source.locationText)) }
    }

    /// Looks about once a minute, until the task is cancelled.
    func lookAgainAndAgain() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval * Double.random(in: 0.75...1.25))
            if !Task.isCancelled { await lookAgain() }
        }
    }
}
