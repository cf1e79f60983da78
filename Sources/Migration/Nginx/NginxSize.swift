/// Sizes and rates of nginx, as tenants.yaml writes them.
enum NginxSize {
    /// `10m` as `10MiB`.
    static func written(_ text: String) -> String? {
        let units: [Character: String] = ["k": "KiB", "m": "MiB", "g": "GiB"]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = number(digits, most: 1 << 20) ?? (unit == nil ? number(digits, most: Int(Int32.max)) : nil)
        else { return nil }
        return "\(number)\(unit ?? "B")"
    }

    /// `10r/s` as `10/s`.
    static func rate(_ text: String) -> String? {
        for unit in ["s", "m"] where text.hasSuffix("r/\(unit)") {
            return number(text.dropLast(3), most: 100_000).flatMap { $0 > 0 ? "\($0)/\(unit)" : nil }
        }
        return nil
    }

    private static func number(_ digits: Substring, most: Int) -> Int? {
        guard !digits.isEmpty, digits.utf8.count <= 10, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let number = Int(digits), number <= most
        else { return nil }
        return number
    }
}
