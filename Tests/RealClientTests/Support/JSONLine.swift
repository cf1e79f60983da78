import Verification

/// A line of JSON that a Python program printed.
///
/// - Throws: ``Program/Failure`` if it is no object.
func jsonLine(_ text: String) throws -> JSONObject {
    guard let object = try JSONParser.parse(Array(text.utf8)).object else {
        throw Program.Failure("no object: \(text)")
    }
    return object
}

extension JSONObject {
    /// The values of `name` in a list of fields that a backend received, `[["name", "value"], ...]`.
    func received(_ name: String) -> [String] {
        (self["fields"]?.array ?? []).compactMap { field in
            guard let pair = field.array, pair.count == 2, pair[0].string == name else { return nil }
            return pair[1].string
        }
    }
}
