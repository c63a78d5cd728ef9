import Platform

/// The variables that the `curl` command heeds. The library reads those for proxies by itself, but not the other.
enum Environment {
  /// The file of certificate authorities to trust instead of the system's.
  static let authorities = value("CURL_CA_BUNDLE") ?? value("SSL_CERT_FILE")

  /// The variable that may have sent a request to this kind of address through a proxy.
  static func proxyVariable(isSecure: Bool) -> String? {
    // Not HTTP_PROXY: a web server's guests may set that one.
    let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
    return names.first { value($0) != nil }
  }

  private static func value(_ name: String) -> String? {
    // Copied at once: the text lives until the variable is set again.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
