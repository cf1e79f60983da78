import HTTPTypes
import Hummingbird
import Verification

/// The identity fields from the gateway.
enum SeenIdentity {
    private static let prefixes = ["x-user-", "x-verified-"]

    /// The identity fields of `request`, in the order of arrival; a duplicated one is an array.
    static func fields(of request: Request) -> JSONObject {
        var seen = JSONObject()
        for field in request.headers where prefixes.contains(where: field.name.canonicalName.hasPrefix) {
            let name = field.name.rawName
            switch seen[name] {
            case nil: seen[name] = .string(field.value)
            case .array(let values)?: seen[name] = .array(values + [.string(field.value)])
            case let value?: seen[name] = .array([value, .string(field.value)])
            }
        }
        return seen
    }

    /// The caller's subject according to the gateway.
    static func subject(of request: Request) -> String? {
        fields(of: request).members.first { $0.name.lowercased() == "x-user-id" }?.value.string
    }
}
