import Gateway

extension ServiceManager {
    /// Reports that nothing hangs, twice in each interval of the watchdog, from the start on and as long as every event
    /// loop takes its turns. Returns when its task is cancelled, or at once without a watchdog.
    func watch(_ gateway: Gateway) async {
        guard let watchdogInterval else { return }
        var hasServed = false
        while true {
            do { try await Task.sleep(for: watchdogInterval / 2) } catch { return }
            // Only after the manager was notified of the start.
            if await gateway.turn(), wasNotifiedOfReadiness { hasServed = true }
            if hasServed { notify(.alive) }
        }
    }
}

extension ServiceManager.Notice {
    init(_ event: GatewayEvent) {
        switch event {
        case .started: self = .ready(status: "Serving")
        case .reloading: self = .reloading
        case .reloaded(let report):
            let serving = "Serving configuration \(report.generation)"
            let isRefused = report.result == .refused
            self = .ready(status: isRefused ? "\(serving); the one read after it was refused" : serving)
        case .stopping: self = .stopping
        }
    }
}
