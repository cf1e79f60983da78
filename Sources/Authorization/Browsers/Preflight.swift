package import HTTPCore

/// The response to a browser that asks whether a script of another origin may send a request (Fetch standard section
/// 4.8). It never reaches the backend.
package struct Preflight {
    /// Fields of the 204.
    package var fields: [HeaderField]
}
