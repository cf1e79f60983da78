public import ConfigurationText

/// One tenant that is in no file, like one that the store keeps.
public struct TenantSource: Sendable {
    /// The tenant's name.
    public var name: String
    /// YAML: the map that would stand below the tenant's name in tenants.yaml.
    public var text: String
    public var writer: TenantWriter

    public init(name: String, text: String, writer: TenantWriter = .all) {
        self.name = name
        self.text = text
        self.writer = writer
    }

    /// What stands for a file's path in positions, like `store:shop`.
    public var label: String { Self.label(of: name) }
}

/// The tenants that are in no file. They may extend the templates of the files. Where a name is in a file too, the file
/// wins, with a warning.
public struct FurtherTenants: Sendable {
    public enum Faults: Sendable, Equatable {
        /// A mistake makes the whole configuration unusable, as one in a file does.
        case refuse
        /// A tenant with a mistake is left out; ``ReadResult/leftOut`` names it.
        case leaveOut
    }

    public var sources: [TenantSource]
    public var faults: Faults
    /// Those of the last reading; nil: all are read. With it ``ReadResult/effective`` is nil.
    public var known: KnownTenants?
    /// Whether the next reading knows the tenants of this one instead.
    public var isKept = false

    public init(_ sources: [TenantSource], faults: Faults = .refuse) {
        self.sources = sources
        self.faults = faults
    }
}

/// A further tenant that is left out, and why.
public struct LeftOutTenant: Sendable, Equatable {
    public var name: String
    public var label: String
    /// Its errors and warnings.
    public var diagnostics: [Diagnostic]
}
