import Events
import Tenants
import Time

extension SharedServices {
    /// Tells the webhook of refused requests, if it wants to know, until the task is cancelled.
    func reportRefusals() async {
        var report = RefusalReport()
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))) != nil else { return }
            guard outbox.wants(.refused) else {
                report = RefusalReport()
                continue
            }
            let names = parts.snapshot.tenants.map(\.name)
            for event in report.events(after: await loops.decisions(), names, at: Clock.unix()) { outbox.note(event) }
        }
    }
}
