/// A path of `include`, in which `*` stands for any characters of one name and `?` for one of them; neither for a dot at a
/// name's beginning.
struct FilePattern {
    private let isAbsolute: Bool
    private let names: [String]

    init(_ path: String) {
        isAbsolute = path.hasPrefix("/")
        names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
    }

    /// The path without what says nothing in it: one file is read once, however its path is written.
    var path: String { (isAbsolute ? "/" : "") + names.joined(separator: "/") }

    var isLiteral: Bool { !names.contains(where: Self.isPattern) }

    /// The paths that match, in the order of their bytes.
    ///
    /// - Throws: If a directory cannot be listed; one that is not there holds nothing.
    func matches(_ files: any FileReading) throws(FileReadingError) -> [String] {
        var found = [isAbsolute ? "/" : ""]
        for (index, name) in names.enumerated() {
            let end = index == names.count - 1 ? "" : "/"
            guard Self.isPattern(name) else {
                found = found.map { $0 + name + end }
                continue
            }
            var below: [String] = []
            for directory in found {
                let list = try Self.list(directory, files)
                below += list.filter { Self.matches($0, name) }.map { directory + $0 + end }
            }
            found = below
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func list(_ directory: String, _ files: any FileReading) throws(FileReadingError) -> [String] {
        let path = directory.isEmpty ? "." : directory == "/" ? directory : String(directory.dropLast())
        do throws(FileReadingError) {
            return try files.listIncluded(path)
        } catch .notFound {
            return []
        }
    }

    private static func isPattern(_ name: String) -> Bool { name.utf8.contains { $0 == star || $0 == question } }

    private static let star = UInt8(ascii: "*")
    private static let question = UInt8(ascii: "?")

    /// Takes as many steps as the lengths multiplied at most: a `*` is tried again from its next place only.
    static func matches(_ name: String, _ pattern: String) -> Bool {
        let (text, pattern) = (Array(name.unicodeScalars), Array(pattern.unicodeScalars))
        if text.first == "." && pattern.first != "." { return false }
        var (place, step) = (0, 0)
        var lastStar: (step: Int, place: Int)?
        while place < text.count {
            if step < pattern.count, pattern[step] == "*" {
                lastStar = (step, place)
                step += 1
            } else if step < pattern.count, pattern[step] == "?" || pattern[step] == text[place] {
                (place, step) = (place + 1, step + 1)
            } else if let star = lastStar {
                lastStar = (star.step, star.place + 1)
                (place, step) = (star.place + 1, star.step + 1)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == "*" }
    }
}
