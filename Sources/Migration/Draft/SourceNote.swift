/// A line of a file that is translated.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    package var file: String
    /// From 1.
    package var line: Int

    package init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    package var description: String { "\(file):\(line)" }
}

/// What became of a setting that was not translated as it is.
package struct SourceNote: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// Done otherwise here, or not needed.
        case changed
        /// Not translated; no further caller passes because of it.
        case lost
        /// It restricted access and could not be translated: what it was about is closed.
        case closed
    }

    package var kind: Kind
    package var origin: Origin
    /// The setting as it is called in its file.
    package var name: String
    /// What to do, or why nothing is to be done.
    package var text: String

    package init(_ kind: Kind, _ origin: Origin, _ name: String, _ text: String) {
        self.kind = kind
        self.origin = origin
        self.name = name
        self.text = text
    }

    /// `file:line: name: text`.
    package var description: String {
        switch kind {
        case .changed: "\(origin): \(name): \(text)"
        case .lost: "\(origin): \(name): not translated: \(text)"
        case .closed: "\(origin): \(name): not translated, so closed: \(text)"
        }
    }
}

/// Why a file cannot be translated at all, with a remedy.
package struct UntranslatableFile: Error, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ origin: Origin, _ problem: String) {
        self.description = "\(origin): \(problem)"
    }
}
