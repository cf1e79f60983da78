/// One key made ready for one algorithm. Verifying writes to it, so it stays on one event loop.
protocol SignatureContext: AnyObject {
    /// Whether `signature`, as a JWS carries it, is this key's over `input`.
    func isValid(_ signature: [UInt8], over input: Span<UInt8>) -> Bool
}
