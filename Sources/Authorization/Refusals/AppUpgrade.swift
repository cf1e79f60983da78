/// What a client whose app is too old is told.
package struct AppUpgrade: Equatable {
    /// The oldest version that is served.
    package var minimum: String
    /// Where this client updates the app; nil if that is not known.
    package var url: String?
}
