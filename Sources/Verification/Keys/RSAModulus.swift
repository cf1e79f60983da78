/// Checks an RSA key by its numbers alone.
enum RSAModulus {
    private static let minimumBits = 2048
    private static let maximumBits = 16384
    private static let maximumExponentSize = 8

    /// The problem of a key with this modulus and exponent (big-endian, no leading zeros), or nil.
    static func problem(modulus: [UInt8], exponent: [UInt8]) -> KeyProblem? {
        let bits = bitCount(modulus)
        if bits < minimumBits { return .modulusTooShort(bits: bits) }
        if bits > maximumBits { return .modulusTooLong(bits: bits) }
        guard let lastOfModulus = modulus.last, lastOfModulus & 1 == 1,
            let lastOfExponent = exponent.last, lastOfExponent & 1 == 1,
            exponent != [1], exponent.count <= maximumExponentSize
        else { return .badRSAParameters }
        return isVulnerable(modulus) ? .vulnerableModulus : nil
    }

    private static func bitCount(_ number: [UInt8]) -> Int {
        number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    /// Whether the modulus bears the mark of the ROCA key generator (CVE-2017-15361).
    ///
    /// Its primes are `k * M + (65537 ^ a mod M)` with M a product of small primes, so modulo each of these the modulus
    /// is a power of 65537. Of other moduli about one in 2^27 is so modulo all of them.
    private static func isVulnerable(_ modulus: [UInt8]) -> Bool {
        smallPrimes.allSatisfy { prime in
            let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            return isPowerOfGenerator(remainder, modulo: prime)
        }
    }

    private static func isPowerOfGenerator(_ number: Int, modulo prime: Int) -> Bool {
        var power = 1
        repeat {
            if power == number { return true }
            power = power * 65537 % prime
        } while power != 1
        return false
    }

    private static let smallPrimes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]
}
