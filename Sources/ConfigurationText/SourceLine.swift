/// A line of the configuration: its number, and the file that it is in.
public struct SourceLine: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral {
    private let storedNumber: UInt32
    public let source: DocumentSource

    /// From 1; 0 for what was made otherwise than by reading.
    public var number: Int { Int(storedNumber) }

    /// The name of its file; nil for tenants.yaml.
    public var file: String? { source.name }

    public init(_ number: Int, in source: DocumentSource = .main) {
        storedNumber = UInt32(clamping: number)
        self.source = source
    }

    /// A line of tenants.yaml.
    public init(integerLiteral number: Int) { self.init(number) }

    public static func < (left: SourceLine, right: SourceLine) -> Bool {
        (left.source.index, left.storedNumber) < (right.source.index, right.storedNumber)
    }
}
