/// A value as it stands in YAML text, and where it begins.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        /// - isPlain: Whether it is written without quotes, and not as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    package let position: Position
    package let content: Content
    /// Whether aliases may stand for it.
    let isAnchored: Bool
    /// Values inside one another in it, itself included; aliases count as what they stand for.
    let height: Int32
    /// Values in it, itself included and each alias counted as what it stands for; a long text counts as several. At most
    /// `Int32.max`.
    package let size: Int32

    init(position: Position, content: Content, isAnchored: Bool = false) {
        self.position = position
        self.content = content
        self.isAnchored = isAnchored
        var height: Int32 = 0
        var size: Int32 = 1
        func add(_ node: YAMLNode) {
            height = max(height, node.height)
            let (sum, isTooMuch) = size.addingReportingOverflow(node.size)
            size = isTooMuch ? .max : sum
        }
        switch content {
        case .scalar(let text, _): size = Int32(clamping: RepetitionBudget.weight(ofBytes: text.utf8.count))
        case .sequence(let items): for item in items { add(item) }
        case .mapping(let entries):
            for entry in entries {
                add(entry.key)
                add(entry.value)
            }
        }
        self.height = height + 1
        self.size = size
    }
}

/// Why a text is no YAML.
package enum YAMLFailure: Error, Equatable {
    /// - context: What it belongs to, with the line where that begins.
    case malformed(problem: String, at: Position, context: Context?)
    /// - isInside: Whether the alias is inside of what it stands for.
    case undefinedAlias(String, at: Position, isInside: Bool)
    /// A character that YAML does not allow.
    case unreadable
    case tooDeep(Position)
    /// Lines that begin with `%`.
    case tooManyDirectives(Position)
    /// Aliases stand for too many values.
    case tooMuch(Position)
    case outOfMemory

    package struct Context: Equatable, Sendable {
        package let text: String
        package let line: Int
    }
}
