/// What an addition has cost where there is a bound.
struct Displaced<Element: Sendable & Equatable>: Sendable, Equatable {
    /// For which there was no room; what was added may be among them.
    var dropped: [Element] = []
    /// That say nothing any more, now that there is a later one: the addition itself, if it comes late.
    var replaced: [Element] = []
}
