extension DraftTenant {
    /// Sets a field for the app, or removes it where its value is none that can be written: an app may trust it.
    ///
    /// - Parameter isLiteral: Whether a value has no variables of the other proxy in it.
    mutating func addField(_ name: String, _ value: String, isLiteral: (String) -> Bool, _ origin: Origin) {
        let isWritable =
            !value.isEmpty && isLiteral(value) && value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            && value.first != " " && value.last != " "
        if isWritable {
            setFields.append(DraftHeader(name: name, value: DraftText(literal: value, origin)))
        } else {
            removedFields.append(DraftText(literal: name, origin, remark: "an app may trust it"))
        }
    }

    /// Names each field once, and none that carries a claim or in which tokens are looked for.
    mutating func tidyFields() {
        let places = tokenPlaces.compactMap { place -> DraftHeader? in
            guard place.text.hasPrefix("header:") else { return nil }
            return DraftHeader(name: String(place.text.dropFirst(7)), value: place)
        }
        identity = identity.firstOfEachName
        let taken = identity + places
        setFields = (taken + setFields).firstOfEachName.filter { field in !taken.contains(field) }
        removedFields = removedFields.firstOfEachField(without: taken + setFields)
    }
}
