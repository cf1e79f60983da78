/// A value as it stands in YAML text, and where it begins.
struct YAMLNode: Sendable {
    indirect enum Content: Sendable {
        /// - isPlain: Whether it is written without quotes, and not as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    let position: Position
    let content: Content
    /// Values inside one another in it, itself included; aliases count as what they stand for.
    let height: Int

    init(position: Position, content: Content) {
        self.position = position
        self.content = content
        switch content {
        case .scalar: height = 1
        case .sequence(let items): height = 1 + (items.map(\.height).max() ?? 0)
        case .mapping(let entries): height = 1 + (entries.map { max($0.key.height, $0.value.height) }.max() ?? 0)
        }
    }
}

/// Why a text is no YAML.
enum YAMLFailure: Error, Equatable {
    /// - context: What it belongs to, with the line where that begins.
    case malformed(problem: String, at: Position, context: Context?)
    /// A character that YAML does not allow.
    case unreadable
    case tooDeep(Position)
    case outOfMemory

    struct Context: Equatable {
        let text: String
        let line: Int
    }
}
