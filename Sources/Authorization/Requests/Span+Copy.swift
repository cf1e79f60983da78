extension Span where Element == UInt8 {
    package func copy(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer(Array.init)
    }
}
