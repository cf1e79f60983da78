/// Directives of nginx that restrict nobody, so that nothing is closed for them.
enum NginxKnown {
    /// Whether a directive of a server or a location is translated, or has no part in who may in.
    static func isHarmless(_ name: String) -> Bool {
        translated.contains(name) || others.contains(name) || starts.contains { name.hasPrefix($0) }
    }

    private static let translated: Set<String> = [
        "server_name", "listen", "location", "proxy_pass", "grpc_pass", "auth_request", "auth_request_set", "auth_jwt",
        "auth_jwt_key_file", "auth_jwt_key_request", "auth_jwt_leeway", "client_max_body_size", "limit_req",
        "limit_req_zone", "proxy_set_header", "grpc_set_header", "set_real_ip_from", "internal", "upstream", "server",
        "auth_jwt_claim_set", "ssl_certificate", "ssl_certificate_key", "ssl_client_certificate", "ssl_verify_client",
    ]

    private static let others: Set<String> = [
        "access_log", "error_log", "log_format", "log_not_found", "log_subrequest", "error_page", "add_header",
        "add_trailer", "expires", "etag", "charset", "default_type", "types", "types_hash_max_size", "sendfile",
        "tcp_nopush", "tcp_nodelay", "server_tokens", "http2", "http3", "keepalive_timeout", "keepalive_requests",
        "client_body_buffer_size", "client_body_timeout", "client_header_timeout", "client_header_buffer_size",
        "large_client_header_buffers", "send_timeout", "resolver", "resolver_timeout", "map", "geo", "split_clients",
        "map_hash_bucket_size", "map_hash_max_size", "server_names_hash_bucket_size", "server_names_hash_max_size",
        "variables_hash_max_size", "set", "status_zone", "real_ip_header", "real_ip_recursive", "merge_slashes",
        "underscores_in_headers", "chunked_transfer_encoding", "reset_timedout_connection", "server_name_in_redirect",
        "port_in_redirect", "absolute_redirect", "max_ranges", "open_file_cache", "open_file_cache_valid",
        "open_file_cache_min_uses", "open_file_cache_errors", "output_buffers", "postpone_output", "aio", "directio",
        "root", "index", "autoindex", "alias", "try_files", "gunzip", "ssl", "auth_basic_user_file", "satisfy",
        "limit_req_status", "limit_req_log_level", "limit_conn_status", "limit_conn_log_level", "client_body_temp_path",
        "if_modified_since", "ignore_invalid_headers", "lingering_close", "lingering_time", "lingering_timeout",
        "auth_jwt_key_cache", "recursive_error_pages", "msie_padding", "proxy_http_version", "uwsgi_params",
        "stub_status",
        "http2_max_concurrent_streams", "error_page_if", "log_subrequests", "ssl_trusted_certificate", "allow",
    ]

    private static let starts = [
        "gzip", "brotli", "ssl_session", "ssl_protocols", "ssl_ciphers", "ssl_prefer", "ssl_ecdh", "ssl_dhparam",
        "ssl_stapling", "ssl_buffer", "ssl_conf", "ssl_early", "proxy_buffer", "proxy_busy", "proxy_cache",
        "proxy_temp",
        "proxy_connect", "proxy_read", "proxy_send", "proxy_next_upstream", "proxy_redirect", "proxy_cookie",
        "proxy_intercept", "proxy_hide_header", "proxy_pass_header", "proxy_pass_request", "proxy_ssl", "proxy_ignore",
        "proxy_request_buffer",
        "proxy_max_temp", "limit_conn", "limit_rate", "proxy_headers_hash", "proxy_socket", "proxy_limit",
        "opentelemetry", "otel_", "sub_filter",
        "grpc_read", "grpc_send", "grpc_connect", "grpc_next_upstream", "grpc_ssl", "fastcgi_", "uwsgi_", "scgi_",
        "keepalive", "http2_", "ssl_password",
    ]

    /// Harmless, but to be told of.
    static let lost = [
        "add_header": "see headers.response", "error_page": "refusals are problem documents",
        "expires": "see headers.response",
        "proxy_cache": "nothing is cached here", "limit_conn": "see gateway.limits and backend.limits",
        "proxy_hide_header": "see headers.response", "sub_filter": "bodies are not changed here",
        "proxy_redirect": "Location is not changed here", "proxy_cookie_path": "cookies are not changed here",
        "proxy_cookie_domain": "cookies are not changed here",
    ]
}
