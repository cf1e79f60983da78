/// Why a text cannot be read: what to write instead. Repeats nothing of the text itself, which may be a secret.
public struct Remedy: Error, Equatable {
    public var text: String

    package init(_ text: String) {
        self.text = text
    }
}
