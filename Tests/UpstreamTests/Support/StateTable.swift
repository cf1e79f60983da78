import Testing

/// A state machine whose events say whether they could happen: every event in every state.
struct StateTable<State, Name: Hashable & CaseIterable> {
    struct Event {
        let name: String
        /// Where it leads, from where it can happen.
        let ends: [Name: Name]
        /// Gives whether it could happen.
        let apply: (inout State) -> Bool
    }

    /// The state of each name, and the name of each state.
    let state: (Name) -> State
    let name: (State) -> Name

    /// An event leads where it says, and one that cannot happen changes nothing.
    func expect(_ events: [Event]) {
        for event in events {
            for start in Name.allCases {
                var state = state(start)
                let happened = event.apply(&state)
                let end = event.ends[start]
                #expect(happened == (end != nil) && name(state) == end ?? start, "\(event.name) in \(start)")
            }
        }
    }
}

extension Array {
    /// The state that events lead to, all of which have to be possible.
    func lead<State>(from first: State) -> State where Element == (inout State) -> Bool {
        var state = first
        for event in self {
            let happened = event(&state)
            #expect(happened, "on the way")
        }
        return state
    }
}
