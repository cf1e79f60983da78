/// Makes signatures in the form that a JWS carries.
protocol Signatory: AnyObject {
    func signature(over input: [UInt8]) -> [UInt8]?
}

extension HMACContext: Signatory {
    func signature(over input: [UInt8]) -> [UInt8]? { code(over: input.span) }
}
