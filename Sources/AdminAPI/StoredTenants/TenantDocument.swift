import ConfigurationText
import HTTPTypes
import Hummingbird
import NIOCore
import SharedState
import Tenants
import Verification

/// One tenant as the admin API shows it: without secrets.
struct TenantDocument: Sendable {
    var name: String
    var source: TenantPlace
    /// Nil for a tenant of a file, which has no versions.
    var head: StoredTenantHead?
    /// As YAML.
    var text: String
    var tenant: JSONObject
    /// Why it is not in force; empty if it is.
    var mistakes: [Diagnostic]

    var tag: String? { head?.tag }

    var json: JSONObject {
        [
            "name": .string(name),
            "source": .string(source == .files ? "file" : "store"),
            "version": head.map { .number(JSONNumber($0.number)) } ?? .null,
            "etag": head.map { .string("\"\($0.tag)\"") } ?? .null,
            "yaml": .string(text),
            "tenant": .object(tenant),
            "mistakes": .array(mistakes.map { .object($0.json) }),
        ]
    }
}

extension Diagnostic {
    /// `file` where it is not the tenant's own text: a template's.
    var json: JSONObject {
        var object: JSONObject = [
            "line": .number(JSONNumber(line)), "column": .number(JSONNumber(column)), "message": .string(message),
        ]
        if !file.hasPrefix(TenantSource.label(of: "")) { object["file"] = .string(file) }
        return object
    }
}

extension TenantText.Mistake {
    var json: JSONObject {
        ["line": .number(JSONNumber(line)), "column": .number(JSONNumber(column)), "message": .string(message)]
    }
}

extension StoredTenantVersion {
    var json: JSONObject {
        var object: JSONObject = [
            "version": .number(JSONNumber(number)), "etag": .string("\"\(tag)\""), "at": .time(at), "by": .string(by),
        ]
        switch action {
        case .put: object["action"] = "put"
        case .delete: object["action"] = "delete"
        case .rollback(let number):
            object["action"] = "rollback"
            object["to"] = .number(JSONNumber(number))
        }
        object["bytes"] = .number(JSONNumber(bytes))
        return object
    }
}

extension Response {
    /// - Parameter tag: Of the version that the response is about.
    init(json: JSONObject, tag: String?, status: HTTPResponse.Status = .ok) {
        self.init(json: json, status: status)
        if let tag { headers[.eTag] = "\"\(tag)\"" }
    }

    init(_ document: TenantDocument, asYAML: Bool) {
        if asYAML {
            self.init(text: document.text, contentType: "application/yaml")
        } else {
            self.init(json: document.json)
        }
        headers[.vary] = "Accept"
        if let tag = document.tag { headers[.eTag] = "\"\(tag)\"" }
        if let name = HTTPField.Name("X-Tenant-Source") {
            headers[name] = document.source == .files ? "file" : "store"
        }
    }
}
