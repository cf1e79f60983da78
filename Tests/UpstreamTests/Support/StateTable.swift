import Testing

/// A state machine whose events report whether they were possible: every event in every state.
struct StateTable<State, Name: Hashable & CaseIterable> {
    struct Event {
        let name: String
        /// The next state, by the states in which it is possible.
        let ends: [Name: Name]
        /// Returns whether it was possible.
        let apply: (inout State) -> Bool
    }

    /// The state of each name, and the name of each state.
    let state: (Name) -> State
    let name: (State) -> Name

    /// A possible event has the stated transition, an impossible one changes nothing.
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
    /// The state after these events, all of which must be possible.
    func lead<State>(from first: State) -> State where Element == (inout State) -> Bool {
        var state = first
        for event in self {
            let happened = event(&state)
            #expect(happened, "on the way")
        }
        return state
    }
}
