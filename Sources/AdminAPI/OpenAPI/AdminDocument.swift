import Hummingbird
import Verification

/// The description of the admin API (OpenAPI 3.1), from `openapi.json`.
enum AdminDocument {
    private static let document = (try? JSONParser.parse(PackageResources.openapi_json).object) ?? JSONObject()

    /// - Parameter version: The gateway's version.
    static func json(version: String) -> JSONObject {
        var json = document
        var info = json["info"]?.object ?? JSONObject()
        info["version"] = .string(version)
        json["info"] = .object(info)
        return json
    }

    /// The methods of each path.
    static let methods: [String: [String]] = {
        var methods: [String: [String]] = [:]
        for path in document["paths"]?.object?.members ?? [] {
            let members = path.value.object?.members ?? []
            methods[path.name] = members.map(\.name).filter { $0 != "parameters" }.map { $0.uppercased() }
        }
        return methods
    }()

    /// - Parameter version: The gateway's version.
    static func add(to router: Router<AdminContext>, version: String) {
        let json = json(version: version)
        router.get("/openapi.json") { _, _ -> Response in Response(json: json) }
    }
}
