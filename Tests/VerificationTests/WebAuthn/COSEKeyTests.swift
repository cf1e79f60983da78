import Testing

@testable import Verification

struct COSEKeyTests {
    private static func map(_ members: [(Int, CBORValue)]) -> CBORValue {
        .map(
            members.map { key, value in
                CBORValue.Member(key: key < 0 ? .negative(UInt64(-1 - key)) : .unsigned(UInt64(key)), value: value)
            }
        )
    }

    private static let edwards: [(Int, CBORValue)] = [
        (1, .unsigned(1)), (3, .negative(7)), (-1, .unsigned(6)), (-2, .bytes(Array(repeating: 7, count: 32))),
    ]

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> CBORValue {
        map([(1, .unsigned(3)), (3, .negative(256)), (-1, .bytes(modulus)), (-2, .bytes(exponent))])
    }

    @Test func membersOfTheKeyAloneAreTaken() {
        #expect(COSEKey(Self.map(Self.edwards))?.algorithm == .edDSA)
        #expect(COSEKey(Self.map(Self.edwards + [(99, .bytes([1, 2, 3]))])) == nil)
        #expect(COSEKey(Self.map(Self.edwards + [(2, .bytes([1]))])) == nil)
    }

    @Test func rsaKeysAreBoundedAndHaveNoLeadingZeros() {
        let modulus = Array(repeating: UInt8(0xFB), count: 256)
        #expect(COSEKey(Self.rsa(modulus))?.algorithm == .rs256)
        #expect(COSEKey(Self.rsa(Array(repeating: 0xFB, count: 512)))?.algorithm == .rs256)
        #expect(COSEKey(Self.rsa(Array(repeating: 0xFB, count: 513))) == nil)
        #expect(COSEKey(Self.rsa([0] + modulus)) == nil)
        #expect(COSEKey(Self.rsa(modulus, [0, 1, 0, 1])) == nil)
    }
}
