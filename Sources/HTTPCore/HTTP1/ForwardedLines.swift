/// The field lines of a received head that are forwarded unchanged. Neighbours are written as one piece: most heads
/// take two or three.
public struct ForwardedLines {
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    @inlinable
    public init() {}

    /// - Parameters:
    ///   - field: It comes after all that were kept before.
    ///   - bytes: The bytes of its head.
    @inlinable
    public mutating func keep(_ field: HeadField, _ bytes: Span<UInt8>, to out: inout HeadWriter) {
        if Int(field.nameStart) != end {
            out.writeBytes(bytes.extracting(start..<end).bytes)
            start = Int(field.nameStart)
        }
        end = Int(field.lineEnd)
    }

    /// Writes the last piece, which is held back until then.
    @inlinable
    public func finish(_ bytes: Span<UInt8>, to out: inout HeadWriter) {
        out.writeBytes(bytes.extracting(start..<end).bytes)
    }
}
