/// Durations of other programs, as tenants.yaml writes them.
enum DurationText {
    /// `1h30m`, `168h0m0s`, `500ms`, `2`, `0.5s` in milliseconds; nil for what is no duration, or longer than a year.
    ///
    /// - Parameter unit: That of a number without one, in milliseconds.
    static func milliseconds(_ text: String, unit: Int = 1000) -> Int? {
        var rest = text[...]
        var sum = 0.0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { ($0.isASCII && $0.isNumber) || $0 == "." }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard let number = Double(digits), let factor = name.isEmpty ? unit : units[String(name)] else {
                return nil
            }
            sum += number * Double(factor)
        }
        guard sum.isFinite, sum >= 0, sum <= 365 * 86_400_000 else { return nil }
        return Int(sum.rounded(.up))
    }

    private static let units = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]

    /// In the largest unit that it is a whole number of.
    static func written(milliseconds: Int) -> String {
        let unit = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
            .first { milliseconds >= $0.1 && milliseconds % $0.1 == 0 }
        return unit.map { "\(milliseconds / $0.1)\($0.0)" } ?? "\(milliseconds)ms"
    }

    /// A duration within bounds, as tenants.yaml writes it; nil if it cannot be read.
    ///
    /// - Parameters:
    ///   - most: In milliseconds.
    static func written(_ text: String, unit: Int = 1000, most: Int = 86_400_000) -> String? {
        milliseconds(text, unit: unit).map { written(milliseconds: min(max(1, $0), most)) }
    }
}
