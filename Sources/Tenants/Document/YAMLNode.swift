/// A value as it stands in YAML text, and where it begins.
package struct YAMLNode: Sendable {
    package indirect enum Content: Sendable {
        /// - isPlain: Whether it is written without quotes, and not as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    package let position: Position
    package let content: Content
    /// Values inside one another in it, itself included; aliases count as what they stand for.
    let height: Int
    /// Values in it, itself included and each alias counted as what it stands for; at most `Int32.max`.
    package let size: Int

    init(position: Position, content: Content) {
        self.position = position
        self.content = content
        switch content {
        case .scalar:
            height = 1
            size = 1
        case .sequence(let items):
            height = 1 + (items.map(\.height).max() ?? 0)
            size = Self.sum(items.map(\.size))
        case .mapping(let entries):
            height = 1 + (entries.map { max($0.key.height, $0.value.height) }.max() ?? 0)
            size = Self.sum(entries.flatMap { [$0.key.size, $0.value.size] })
        }
    }

    private static func sum(_ sizes: [Int]) -> Int {
        sizes.reduce(1) { min($0 + $1, Int(Int32.max)) }
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
    case outOfMemory

    package struct Context: Equatable, Sendable {
        package let text: String
        package let line: Int
    }
}
