/// The release that this is.
public enum GatewayVersion {
    public static let number = "0.1.0"
}
