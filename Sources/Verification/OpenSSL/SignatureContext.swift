/// One key prepared for one algorithm. Verifying writes to it, so it stays on one event loop.
protocol SignatureContext: AnyObject {
    /// Whether `signature`, in the form of a JWS, is this key's over `input`.
    func isValid(_ signature: [UInt8], over input: Span<UInt8>) -> Bool
}
