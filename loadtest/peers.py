"""The proxies beside which the gateway is measured, each with one worker and before the same backend.

nginx verifies nothing; HAProxy (`jwt_verify`) and Envoy (`jwt_authn`) verify signature, issuer, audience and expiry of
the same RS256 token, and all pass WebSockets on.
"""

import shutil

from processes import await_port, end, free_port, start

NGINX = """\
daemon off; worker_processes 1; pid {directory}/nginx-{port}.pid; error_log /dev/null;
worker_rlimit_nofile {files};
events {{ worker_connections {both_sides}; }}
http {{
  access_log off; keepalive_requests 1000000000;
  map $http_upgrade $tunnel {{ default upgrade; "" ""; }}
  upstream app {{ server 127.0.0.1:{app}; keepalive 128; keepalive_requests 1000000000; }}
  upstream echo {{ server 127.0.0.1:{echo}; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ {location} }}
    location /socket {{
      proxy_pass http://echo; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $tunnel; proxy_read_timeout 10m;
    }}
  }}
}}
"""
PLAIN_PROXY = 'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";'
ANSWER = f'default_type application/json; return 200 \'{{"data":"{"x" * 500}"}}\';'
HAPROXY = """\
global
  nbthread 1
  maxconn {connections}
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 10m
  http-reuse always
frontend front
  bind 127.0.0.1:{port} backlog 4096
  http-request del-header X-User-Id
  http-request set-var(txn.token) http_auth_bearer
  http-request return status 401 unless {{ var(txn.token),jwt_header_query('$.alg') -m str RS256 }}
  http-request return status 401 unless {{ var(txn.token),jwt_verify("RS256","{directory}/public.pem") -m int 1 }}
  http-request return status 401 unless {{ var(txn.token),jwt_payload_query('$.iss') -m str load }}
  http-request return status 401 unless {{ var(txn.token),jwt_payload_query('$.aud') -m str load }}
  http-request set-var(txn.expires) var(txn.token),jwt_payload_query('$.exp','int')
  http-request set-var(txn.now) date()
  http-request return status 401 unless {{ var(txn.expires),sub(txn.now) -m int gt 0 }}
  http-request set-header X-User-Id %[var(txn.token),jwt_payload_query('$.sub')]
  use_backend echo if {{ path /socket }}
  default_backend app
backend app
  server one 127.0.0.1:{app} pool-max-conn 256
backend echo
  server one 127.0.0.1:{echo} maxconn {connections}
"""
ENVOY = """\
static_resources:
  listeners:
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
    - filters:
      - name: http
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: in
          generate_request_id: false
          upgrade_configs: [ {{ upgrade_type: websocket }} ]
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - {{ match: {{ path: "/socket" }}, route: {{ cluster: echo, timeout: 0s, idle_timeout: 600s }} }}
              - {{ match: {{ prefix: "/" }}, route: {{ cluster: app }} }}
          http_filters:
          - name: jwt
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication
              providers:
                load:
                  issuer: load
                  audiences: [load]
                  forward: true
                  local_jwks: {{ filename: "{directory}/set.json" }}
                  claim_to_headers: [ {{ header_name: x-user-id, claim_name: sub }} ]
              rules: [ {{ match: {{ prefix: "/" }}, requires: {{ provider_name: load }} }} ]
          - name: router
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
  clusters:
  - name: app
    type: STATIC
    load_assignment:
      cluster_name: app
      endpoints:
      - lb_endpoints:
        - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {app} }} }} }}
  - name: echo
    type: STATIC
    circuit_breakers:
      thresholds:
      - {{ max_connections: {connections}, max_pending_requests: {connections}, max_requests: {connections} }}
    load_assignment:
      cluster_name: echo
      endpoints:
      - lb_endpoints:
        - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {echo} }} }} }}
"""
ENVOY_OPTIONS = ("--concurrency", "1", "--use-dynamic-base-id", "--disable-hot-restart", "-l", "error", "-c")


class Proxy:
    """One that is measured: a name, a port and a process."""

    def __init__(self, name, port, process, verifies):
        self.name, self.port, self.process, self.verifies = name, port, process, verifies

    @property
    def pid(self):
        return self.process.pid


def start_nginx(stage, port, location):
    file = stage.directory / f"nginx-{port}.conf"
    file.write_text(NGINX.format(directory=stage.directory, port=port, app=stage.app_port, echo=stage.echo_port,
                                 location=location, files=stage.open_files, both_sides=2 * stage.connections))
    process = start(["nginx", "-p", stage.directory, "-c", file, "-e", "/dev/null"], stage.directory / "nginx.log")
    await_port(port, process, "nginx")
    return process


def start_peers(stage, envoy):
    """nginx, HAProxy and, if its program is there, Envoy."""
    places = {"directory": stage.directory, "app": stage.app_port, "echo": stage.echo_port,
              "connections": stage.connections}
    port = free_port()
    peers = [Proxy("nginx", port, start_nginx(stage, port, PLAIN_PROXY), False)]
    commands = []
    if shutil.which("haproxy"):
        commands.append(("HAProxy", HAPROXY, ["haproxy", "-db", "-f"]))
    if envoy:
        commands.append(("Envoy", ENVOY, [envoy, *ENVOY_OPTIONS]))
    for name, text, command in commands:
        port = free_port()
        file = stage.directory / f"{name}.{'yaml' if name == 'Envoy' else 'cfg'}"
        file.write_text(text.format(port=port, **places))
        process = start([*command, file], stage.directory / f"{name}.log")
        await_port(port, process, name)
        peers.append(Proxy(name, port, process, True))
    return peers


def stop_peers(peers):
    for peer in peers:
        end(peer.process)
