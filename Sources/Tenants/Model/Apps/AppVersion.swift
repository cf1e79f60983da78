/// A version of an app as its stores compare them: up to four numbers, and whether it is one before the release.
public struct AppVersion: Sendable, Equatable, Comparable, CustomStringConvertible {
    /// The longest text that is read, in bytes.
    public static let maximumLength = 64
    private static let maximumDigits = 9

    private var numbers: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    /// Whether a `-` and more follows the numbers, as in `5.2.0-beta.1`: before the release of these numbers, and like
    /// every other one of them.
    public private(set) var isPrerelease = false
    /// How many numbers it was written with.
    private var count = 0

    /// Numbers with dots between them; the ones that are not there are 0. What follows a `+` says nothing (Semantic
    /// Versioning section 10). Reads bytes, and allocates nothing.
    ///
    /// - Returns: nil for anything else.
    public init?(_ text: Span<UInt8>) {
        guard text.count <= Self.maximumLength else { return nil }
        var position = 0
        while true {
            guard count < 4, let number = Self.number(text, &position) else { return nil }
            set(number)
            guard position < text.count else { return }
            switch text[position] {
            case UInt8(ascii: "."): position += 1
            case UInt8(ascii: "-"):
                isPrerelease = true
                guard Self.isLabel(text, after: position) else { return nil }
                return
            case UInt8(ascii: "+"):
                guard Self.isLabel(text, after: position) else { return nil }
                return
            default: return nil
            }
        }
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    private mutating func set(_ number: UInt32) {
        switch count {
        case 0: numbers.0 = number
        case 1: numbers.1 = number
        case 2: numbers.2 = number
        default: numbers.3 = number
        }
        count += 1
    }

    private static func number(_ text: Span<UInt8>, _ position: inout Int) -> UInt32? {
        var number: UInt32 = 0
        let start = position
        while position < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[position] {
            guard position - start < maximumDigits else { return nil }
            number = number * 10 + UInt32(text[position] - UInt8(ascii: "0"))
            position += 1
        }
        return position > start ? number : nil
    }

    /// Whether there is something after the sign, of letters, digits, `.`, `-` and `+`.
    private static func isLabel(_ text: Span<UInt8>, after sign: Int) -> Bool {
        for index in (sign + 1)..<text.count {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"):
                continue
            default: return false
            }
        }
        return sign + 1 < text.count
    }

    public static func < (left: AppVersion, right: AppVersion) -> Bool {
        if left.numbers != right.numbers { return left.numbers < right.numbers }
        return left.isPrerelease && !right.isPrerelease
    }

    /// Versions are equal if neither is older: `5.2` is `5.2.0`.
    public static func == (left: AppVersion, right: AppVersion) -> Bool {
        left.numbers == right.numbers && left.isPrerelease == right.isPrerelease
    }

    /// With as many numbers as it was written with, and no label.
    public var description: String {
        [numbers.0, numbers.1, numbers.2, numbers.3].prefix(count).map(String.init).joined(separator: ".")
    }
}
