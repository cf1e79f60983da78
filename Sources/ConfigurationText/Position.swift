/// A line and a column of a source, both from 1.
package struct Position: Sendable, Hashable, Comparable {
    private var storedLine: UInt32
    private var storedColumn: UInt32
    package var source: DocumentSource

    package static let start = Position(line: 1, column: 1)

    package init(line: Int, column: Int, source: DocumentSource = .main) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        self.source = source
    }

    package static func start(of source: DocumentSource) -> Position {
        Position(line: 1, column: 1, source: source)
    }

    package var line: Int {
        get { Int(storedLine) }
        set { storedLine = UInt32(clamping: newValue) }
    }

    /// In Unicode scalars.
    package var column: Int {
        get { Int(storedColumn) }
        set { storedColumn = UInt32(clamping: newValue) }
    }

    package var sourceLine: SourceLine { SourceLine(line, in: source) }

    package static func < (left: Position, right: Position) -> Bool {
        (left.source.index, left.storedLine, left.storedColumn)
            < (right.source.index, right.storedLine, right.storedColumn)
    }
}
