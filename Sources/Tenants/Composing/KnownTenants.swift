import ConfigurationText
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

    /// A class, so that it is passed on by one reference.
    final class Known: Sendable {
        let text: SourceText
        let writer: TenantWriter
        let tenant: Tenant
        let settings: SharedSettings
        /// Values that it repeats, see ``RepetitionBudget``.
        let repeated: Int

        init(
            text: SourceText,
            writer: TenantWriter,
            tenant: Tenant,
            settings: SharedSettings,
            repeated: Int
        ) {
            self.text = text
            self.writer = writer
            self.tenant = tenant
            self.settings = settings
            self.repeated = repeated
        }

        /// Byte by byte: equal characters may be different bytes.
        func isSame(as source: TenantSource) -> Bool {
            text.text.utf8.count == source.text.utf8.count && text.text.utf8.elementsEqual(source.text.utf8)
                && writer == source.writer
        }
    }

    private struct State {
        var context: Context?
        var tenants: [String: Known] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// - Returns: By name; none if they were read in another context.
    func all(in context: Context) -> [String: Known] {
        state.withLock { $0.context == context ? $0.tenants : [:] }
    }

    /// Replaces what is known.
    func keep(_ tenants: [String: Known], _ context: Context) {
        state.withLock { $0 = State(context: context, tenants: tenants) }
    }
}
