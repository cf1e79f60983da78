/// Makes signatures in the form of a JWS.
protocol Signatory: AnyObject {
    func signature(over input: [UInt8]) -> [UInt8]?
}

extension HMACContext: Signatory {
    func signature(over input: [UInt8]) -> [UInt8]? { code(over: input.span) }
}
