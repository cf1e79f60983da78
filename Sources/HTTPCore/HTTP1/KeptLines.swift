/// The field lines of a received head that go on as they came. Neighbours leave as one piece: most heads go on in two or
/// three.
public struct KeptLines {
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    @inlinable
    public init() {}

    /// - Parameters:
    ///   - field: It stands behind all that were kept before.
    ///   - bytes: Those of its head.
    @inlinable
    public mutating func keep(_ field: HeadField, _ bytes: Span<UInt8>, to out: inout HeadWriter) {
        if Int(field.nameStart) != end {
            out.writeBytes(bytes.extracting(start..<end).bytes)
            start = Int(field.nameStart)
        }
        end = Int(field.lineEnd)
    }

    /// Writes the last piece; until then it is held back.
    @inlinable
    public func finish(_ bytes: Span<UInt8>, to out: inout HeadWriter) {
        out.writeBytes(bytes.extracting(start..<end).bytes)
    }
}
