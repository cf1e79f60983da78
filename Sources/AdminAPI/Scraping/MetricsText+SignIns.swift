import IdentityProvider

extension MetricsText {
    /// What people's sign-ins with a provider's token came to. Only what has happened has a line.
    mutating func signIns(_ counts: SignInCounts.Snapshot) {
        head("gatehouse_sign_ins_total", "counter", "Sign-ins with a provider's token by what they came to.")
        let signIns = counts.signIns.map { labels, count in
            "tenant=\"\(labels.tenant)\",provider=\"\(labels.provider.rawValue)\",outcome=\"\(labels.outcome.rawValue)\"} "
                + "\(count)\n"
        }
        for line in signIns.sorted() { add("gatehouse_sign_ins_total{" + line) }
        head("gatehouse_legacy_sign_ins_total", "counter", "Sign-in requests that prove nothing, by what was done.")
        let legacy = counts.legacy.map { labels, count in
            "tenant=\"\(labels.tenant)\",decision=\"\(labels.decision.rawValue)\"} \(count)\n"
        }
        for line in legacy.sorted() { add("gatehouse_legacy_sign_ins_total{" + line) }
    }
}
