import Synchronization

/// The further tenants of the last reading. One with the same text, beside the same files, is taken from here: of ten
/// thousand tenants in the store, a reading after one has changed reads that one.
///
/// What has a mistake or a warning, and what reads files, is read each time. What tenants share is checked each time.
public final class KnownTenants: Sendable {
    /// What a tenant's meaning depends on, beside its own text.
    struct Context: Sendable, Equatable {
        /// tenants.yaml and the files that it includes.
        var texts: [SourceText]
        var environment: [String: String]
    }

    struct Known: Sendable {
        var text: SourceText
        var tenant: Tenant
        var settings: SharedSettings
        /// Values that it repeats, see ``RepetitionBudget``.
        var repeated: Int

        func isSame(as source: TenantSource) -> Bool {
            tenant.name == source.name && text.text.utf8.elementsEqual(source.text)
        }
    }

    private struct State {
        var context: Context?
        var tenants: [DocumentSource: Known] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// - Returns: None if they were read in another context.
    func all(in context: Context) -> [DocumentSource: Known] {
        state.withLock { $0.context == context ? $0.tenants : [:] }
    }

    /// Replaces what is known.
    func keep(_ tenants: [DocumentSource: Known], _ context: Context) {
        state.withLock { $0 = State(context: context, tenants: tenants) }
    }
}
