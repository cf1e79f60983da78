import Glibc

/// How long a run takes, as the environment says: `make fuzz` sets it, the ordinary tests do not.
///
/// - `FUZZ_SECONDS`: the time for each target. Without it each takes a fixed number of inputs with a fixed seed.
/// - `FUZZ_TARGET`: the only target to run in full; the others are left out.
/// - `FUZZ_SEED`: the seed of an earlier run, to run it again.
/// - `FUZZ_INPUT`: a file with the only input to check, such as the one that is left when the process was ended by an
///   input.
/// - `FUZZ_GROWTH`: whether the time is spent on inputs whose cost may grow faster than their length
///   (``GrowthSearch``), instead of mutated ones.
/// - `FUZZ_FOLDER`: where each input is written before it is checked, so that one that ends the process is not lost.
struct FuzzSettings {
    let seconds: Int?
    let target: String?
    let seed: UInt64?
    let input: String?
    let folder: String?
    let looksForGrowth: Bool

    init() {
        seconds = Self.variable("FUZZ_SECONDS").flatMap { Int($0) }
        target = Self.variable("FUZZ_TARGET")
        seed = Self.variable("FUZZ_SEED").flatMap { UInt64($0) }
        input = Self.variable("FUZZ_INPUT")
        folder = Self.variable("FUZZ_FOLDER")
        looksForGrowth = Self.variable("FUZZ_GROWTH") != nil
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The file that has the input being checked. Closed by the end of the process, which is what it is for.
final class FuzzInputFile {
    private let descriptor: Int32

    init?(folder: String, target: String) {
        descriptor = open("\(folder)/\(target).input", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    func write(_ input: [UInt8]) {
        _ = input.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, input.count)
    }

    static func content(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
