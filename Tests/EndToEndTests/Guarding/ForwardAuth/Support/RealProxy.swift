import NIOCore
import Tenants
import TestSupport
import Testing

/// A real proxy that runs the configuration of docs/forward-auth.md on a free port, in a directory of its own.
final class RealProxy: Sendable {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case nginx, caddy, envoy
        /// With the configuration for gRPC, for a gateway with `gateway.ext_authz`.
        case envoyByGRPC = "envoy by gRPC"

        var testDescription: String { rawValue }
    }

    let kind: Kind
    let address: HostPort
    private let process: ServerProcess
    private let scratch: Scratch

    private init(_ kind: Kind, _ address: HostPort, _ process: ServerProcess, _ scratch: Scratch) {
        self.kind = kind
        self.address = address
        self.process = process
        self.scratch = scratch
    }

    /// Starts it and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - gateway: The gateway to query.
    ///   - grpc: The gateway's gRPC listener.
    ///   - backend: The port of the app on loopback.
    static func start(_ kind: Kind, gateway: HostPort, grpc: HostPort? = nil, backend: Int) async throws
        -> RealProxy
    {
        let port = try await FreePort.find()
        let scratch = try Scratch()
        do {
            var ports = ["8000": port, "9001": backend]
            if kind == .envoyByGRPC { ports["9191"] = grpc?.port } else { ports["8080"] = gateway.port }
            let text = try DocumentedConfiguration.withPorts(
                ports,
                DocumentedConfiguration.block(kind.heading, kind.fence)
            )
            let process = try await launch(kind, text, scratch)
            let proxy = RealProxy(kind, HostPort(host: "127.0.0.1", port: port), process, scratch)
            try await proxy.accepts()
            return proxy
        } catch {
            scratch.remove()
            throw error
        }
    }

    func stop() async throws {
        try await process.kill()
        scratch.remove()
    }

    private static func launch(_ kind: Kind, _ text: String, _ scratch: Scratch) async throws -> ServerProcess {
        let home = ["HOME": scratch.path, "PATH": "/usr/bin:/bin", "XDG_DATA_HOME": scratch.path]
        switch kind {
        case .nginx:
            // Its default paths belong to root.
            var paths = "access_log off;\n"
            for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
                paths += "\(name)_temp_path \(scratch.path)/\(name);\n"
            }
            let file = try scratch.write(text.replacing("http {\n", with: "http {\n" + paths), to: "nginx.conf")
            let globals = "daemon off; master_process off; pid \(scratch.path)/nginx.pid;"
            let arguments = ["-p", scratch.path, "-c", file, "-e", "stderr", "-g", globals]
            return try ServerProcess("/usr/sbin/nginx", arguments, environment: home)
        case .caddy:
            let file = try scratch.write(text, to: "Caddyfile")
            let arguments = ["run", "--config", file, "--adapter", "caddyfile"]
            return try ServerProcess(try await program("caddy"), arguments, environment: home)
        case .envoy, .envoyByGRPC:
            let file = try scratch.write(text, to: "envoy.yml")
            let arguments = ["-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"]
            return try ServerProcess(try await program("envoy"), arguments, environment: home)
        }
    }

    /// The path of a program in the tests' Python environment, which is made if need be.
    private static func program(_ name: String) async throws -> String {
        let make = try ServerProcess("/bin/bash", [DocumentedConfiguration.path("scripts/test-environment")])
        let suffix = "/bin/python"
        while true {
            let line = try await make.lines.next(within: .minutes(5))
            if line.hasSuffix(suffix) { return line.dropLast(suffix.count) + "/bin/\(name)" }
        }
    }

    /// Tries until a connection is accepted.
    private func accepts() async throws {
        let giveUp = NIODeadline.now() + .seconds(60)
        while true {
            do {
                await (try await Wire.connect(to: address)).close()
                return
            } catch {
                guard NIODeadline.now() < giveUp, process.isRunning else {
                    var output = ""
                    while let line = process.lines.takeReady() { output += line + "\n" }
                    throw Malformed("\(kind) does not accept connections: \(output)")
                }
                await Task.yield()
            }
        }
    }
}

extension RealProxy.Kind {
    fileprivate var heading: String {
        switch self {
        case .nginx: "nginx"
        case .caddy: "Caddy"
        case .envoy: "Envoy"
        case .envoyByGRPC: "Envoy by gRPC"
        }
    }

    fileprivate var fence: String {
        switch self {
        case .nginx: "nginx"
        case .caddy: "caddyfile"
        case .envoy, .envoyByGRPC: "yml"
        }
    }
}
