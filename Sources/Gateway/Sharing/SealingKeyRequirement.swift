public import ConfigurationText
import Store
public import Tenants

/// Checks whether some tenant has secrets in the store, which are sealed with `GATEHOUSE_KEY`.
public enum SealingKeyRequirement {
    private static let remedy = "give it 32 random bytes in base64, as `openssl rand -base64 32` does"

    /// - Throws: For the first such tenant.
    static func check(_ configuration: TenantsConfiguration) throws(StoreError) {
        if let need = needs(configuration).first { throw .unusable(need.text) }
    }

    /// What a start of the gateway would be refused for.
    ///
    /// - Parameters:
    ///   - keys: The text of `GATEHOUSE_KEY`; nil if it is not set.
    ///   - file: The path of the configuration.
    /// - Returns: Warnings: the gateway may run with another environment than this process.
    public static func warnings(_ configuration: TenantsConfiguration, keys: Secret?, file: String) -> [Diagnostic] {
        func warning(_ line: SourceLine, _ text: String) -> Diagnostic {
            Diagnostic(severity: .warning, file: line.file ?? file, line: line.number, column: 1, message: text)
        }
        guard let keys else { return needs(configuration).map { warning($0.line, "\($0.text); run refuses to start") } }
        do throws(StoreError) {
            _ = try SealingKeys(String(decoding: keys.bytes, as: UTF8.self))
            return []
        } catch {
            return [warning(1, "\(error); run refuses to start")]
        }
    }

    private static func needs(_ configuration: TenantsConfiguration) -> [(line: SourceLine, text: String)] {
        var needs: [(line: SourceLine, text: String)] = []
        for tenant in configuration.tenants {
            if tenant.refresh?.source == .vault {
                let text = """
                    tenant "\(tenant.name)" keeps refresh tokens (refresh.from: vault), which are sealed with \
                    GATEHOUSE_KEY, and that is not set: \(remedy)
                    """
                needs.append((tenant.lines["refresh.from"] ?? tenant.lines["refresh"] ?? 1, text))
            }
            if let issuer = tenant.issuer, issuer.hasStoredKeys {
                let text = """
                    the issuer of tenant "\(tenant.name)" keeps its signing keys in the store, sealed with \
                    GATEHOUSE_KEY, and that is not set: \(remedy), or give the issuer a "keys_dir" or a "key"
                    """
                needs.append((tenant.lines["issuer"] ?? 1, text))
            }
            if let signIn = tenant.signIn, signIn.deletion != nil, signIn.keepsProviderTokens {
                let text = """
                    tenant "\(tenant.name)" keeps tokens of Apple or Google until an account is deleted \
                    (sign_in.delete_account), which are sealed with GATEHOUSE_KEY, and that is not set: \(remedy)
                    """
                needs.append((tenant.lines["sign_in.delete_account"] ?? tenant.lines["sign_in"] ?? 1, text))
            }
        }
        return needs
    }
}
