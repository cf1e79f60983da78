extension KeyType where Value == SingleSignOnRule {
    /// A duration, or `off`.
    static func singleSignOn(_ range: ClosedRange<Duration>) -> Self {
        let (off, duration) = ("off", KeyType<Duration>.duration(range))
        return KeyType(
            .either([.choice([off]), duration.schema]),
            text: { $0.lifetime.map(duration.text) ?? off },
            value: { node in node.scalar?.text == off ? .off : duration.value(node).map(SingleSignOnRule.within) }
        )
    }
}
