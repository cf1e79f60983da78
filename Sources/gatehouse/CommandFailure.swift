/// What went wrong and what to do about it, in words for the terminal; the exit status is 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
