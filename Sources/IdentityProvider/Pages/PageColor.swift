import Glibc

/// A colour in sRGB, and its contrast with another (WCAG 2.2, relative luminance and contrast ratio).
struct PageColor: Sendable, Equatable {
    static let black = PageColor(red: 0, green: 0, blue: 0)
    static let white = PageColor(red: 255, green: 255, blue: 255)
    /// Gatehouse's default.
    static let gatehouse = PageColor(red: 0x1F, green: 0x4E, blue: 0x8C)

    let red: UInt8
    let green: UInt8
    let blue: UInt8
}

extension PageColor {
    /// - Parameter text: `#rrggbb`; anything else gives nil.
    init?(_ text: String) {
        let digits = text.utf8.dropFirst().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"), digits.count == 6 else { return nil }
        let parts = [0, 2, 4].map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        self.init(red: parts[0], green: parts[1], blue: parts[2])
    }

    /// `#rrggbb`.
    var text: String {
        "#"
            + [red, green, blue].map { part in
                (part < 16 ? "0" : "") + String(part, radix: 16)
            }.joined()
    }

    /// From 1 to 21.
    func contrast(with other: PageColor) -> Double {
        let (one, another) = (luminance, other.luminance)
        return (max(one, another) + 0.05) / (min(one, another) + 0.05)
    }

    /// Black or white, whichever has more contrast: at least 4.58 on any colour.
    var textColor: PageColor {
        contrast(with: .black) >= contrast(with: .white) ? .black : .white
    }

    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    private static func linear(_ part: UInt8) -> Double {
        let part = Double(part) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
}
