/// The release of this program.
public enum GatewayVersion {
    public static let number = "0.1.0"
}
