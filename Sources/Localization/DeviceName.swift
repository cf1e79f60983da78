/// The name of a device for people, from its `User-Agent` (RFC 9110 section 10.1.5): the program and the system.
package enum DeviceName {
    private static let longest = 60

    /// Each before those that it also claims to be.
    private static let programs = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    /// - Returns: Nil if nothing is said.
    package static func text(of userAgent: String?) -> String? {
        guard let userAgent else { return nil }
        let bytes = Array(userAgent.utf8)
        func name(_ names: [(mark: String, name: String)]) -> String? {
            names.first { Self.has($0.mark, in: bytes) }?.name
        }
        // An app names itself first; browsers all call themselves Mozilla.
        let own = userAgent.prefix { $0 != " " && $0 != "/" }
        let program = userAgent.hasPrefix("Mozilla/") ? name(programs) : String(own)
        let parts = [program, name(systems)].compactMap { $0 }
        return BoundedText.kept(parts.joined(separator: " · "), bytes: longest)
    }

    private static func has(_ mark: String, in bytes: [UInt8]) -> Bool {
        let mark = Array(mark.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: mark) }
    }
}
