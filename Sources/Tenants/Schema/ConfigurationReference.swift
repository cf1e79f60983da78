/// The reference of every key in Markdown, as docs/configuration.md has it: a heading and a table for each map.
public enum ConfigurationReference {
    /// All of it, with a newline at its end.
    public static func markdown() -> String {
        tables(Schema.root.object, path: "").map(\.markdown).joined(separator: "\n")
    }

    private struct Table {
        var path: String
        var rows: [String]

        var markdown: String {
            let heading = path.isEmpty ? "The root" : "`\(path)`"
            let head = ["### \(heading)", "", "| key | value | default | meaning |", "|---|---|---|---|"]
            return (head + rows).map { $0 + "\n" }.joined()
        }
    }

    private static func tables(_ object: SchemaObject, path: String) -> [Table] {
        var result = [Table(path: path, rows: object.keys.map(row))]
        for key in object.keys {
            result += below(key.type, path: path.isEmpty ? key.name : "\(path).\(key.name)")
        }
        return result
    }

    private static func below(_ type: SchemaType, path: String) -> [Table] {
        switch type {
        case .object(let object): tables(object, path: path)
        case .list(let element, _, _): below(element, path: path + "[]")
        case .dictionary(let key, let element, _): below(element, path: "\(path).\(key)")
        case .either(let types): types.flatMap { below($0, path: path) }
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .partial,
            .anything:
            []
        }
    }

    private static func row(_ key: SchemaKey) -> String {
        let isRequired = key.isRequired && key.alternatives.isEmpty
        let defaultText = isRequired ? "required" : key.default.map { "`\($0)`" } ?? ""
        let meaning = key.meaning.replacing("|", with: "\\|")
        // A column of their own would leave too little room for the others.
        let example = "<br>Example: `\(key.example)`"
        return "| `\(key.name)` | \(type(key.type)) | \(defaultText) | \(meaning)\(example) |"
    }

    private static func type(_ type: SchemaType) -> String {
        switch type {
        case .integer(let range) where range.lowerBound == range.upperBound: "`\(range.lowerBound)`"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(let range, _): "duration, \(range.lowerBound.shown) to \(range.upperBound.shown)"
        case .decimal(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices): choices.map { "`\($0)`" }.joined(separator: ", ")
        case .list(let element, _, _): "list of \(plural(element))"
        case .either(let types): types.map(self.type).joined(separator: " or ")
        case .secret: "secret text"
        case .text, .url, .path, .boolean, .size, .rate, .object, .partial, .dictionary, .anything: type.expectation
        }
    }

    private static func plural(_ type: SchemaType) -> String {
        switch type {
        case .text: "texts"
        case .object, .partial: "maps"
        case .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .list, .dictionary,
            .either, .anything:
            self.type(type)
        }
    }
}
