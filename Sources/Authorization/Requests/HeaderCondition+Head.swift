import HTTPCore
import Tenants

extension HeaderCondition {
    /// Whether a field of this name has the value. Case is ignored in the name only.
    func isMet(by head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        // A local copy: reading through the head would retain and release the array for each field.
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            guard isName(bytes.extracting(field.name)) else { continue }
            guard let value else { return true }
            if bytes.isEqual(field.value, to: value) { return true }
        }
        return false
    }

    private func isName(_ other: Span<UInt8>) -> Bool {
        guard other.count == name.count else { return false }
        for index in name.indices {
            if other[index].asciiLowercased != name[index] { return false }
        }
        return true
    }
}
