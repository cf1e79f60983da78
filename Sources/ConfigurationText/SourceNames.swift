import Time

/// The names of sources, each with a number.
///
/// A number is the name's as long as anything may refer to it. Names of stored tenants are forgotten when the tenant has
/// been gone for ten minutes: a line that somebody still has of it then has no file.
struct SourceNames {
    /// Far longer than a configuration is read.
    private static let grace: UInt64 = 600 * 1_000_000_000
    /// Fewer than these names are not worth a search.
    private static let fewest = 1000

    private struct Name {
        var text: String
        /// Nil while it is in use.
        var unwantedSince: MonotonicTime?
    }

    /// By number, from 1.
    private var names: [Name?] = [nil]
    private var numbers: [String: UInt32] = [:]
    /// Numbers without a name; the first was given up first.
    private var free: ArraySlice<UInt32> = []

    var count: Int { numbers.count }

    mutating func number(of name: String) -> UInt32 {
        if let known = numbers[name] {
            names[Int(known)]?.unwantedSince = nil
            return known
        }
        let number: UInt32
        if let unused = free.popFirst() {
            number = unused
            names[Int(number)] = Name(text: name)
        } else {
            number = UInt32(names.count)
            names.append(Name(text: name))
        }
        numbers[name] = number
        return number
    }

    /// - Returns: Nil for one that was forgotten.
    func name(_ number: UInt32) -> String? { names[Int(number)]?.text }

    /// Forgets names that begin with `prefix`, if many of them are not in use.
    ///
    /// - Parameters:
    ///   - wanted: How many of them are in use.
    ///   - isWanted: Whether one is in use.
    mutating func forget(prefix: String, wanted: Int, at now: MonotonicTime, _ isWanted: (String) -> Bool) {
        guard count > 2 * wanted + Self.fewest else { return }
        for (name, number) in numbers where name.hasPrefix(prefix) {
            guard !isWanted(name) else {
                names[Int(number)]?.unwantedSince = nil
                continue
            }
            let since = names[Int(number)]?.unwantedSince ?? now
            guard now - since >= Self.grace else {
                names[Int(number)]?.unwantedSince = since
                continue
            }
            names[Int(number)] = nil
            numbers[name] = nil
            free.append(number)
        }
    }
}
