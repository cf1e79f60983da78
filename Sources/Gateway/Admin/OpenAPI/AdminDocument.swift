import Hummingbird
import Verification

/// The description of the admin API (OpenAPI 3.1), as `openapi.json` beside this file has it.
enum AdminDocument {
    private static let document = (try? JSONParser.parse(PackageResources.openapi_json).object) ?? JSONObject()

    /// With the release that it describes.
    static let json: JSONObject = {
        var json = document
        var info = json["info"]?.object ?? JSONObject()
        info["version"] = .string(GatewayVersion.number)
        json["info"] = .object(info)
        return json
    }()

    /// The methods that each path knows.
    static let methods: [String: [String]] = {
        var methods: [String: [String]] = [:]
        for path in document["paths"]?.object?.members ?? [] {
            methods[path.name] = (path.value.object?.members ?? []).map { $0.name.uppercased() }
        }
        return methods
    }()

    static func add(to router: Router<AdminContext>) {
        router.get("/openapi.json") { _, _ -> Response in Response(json: json) }
    }
}
