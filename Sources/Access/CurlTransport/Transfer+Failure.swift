import AggregatorCore
import CCurl
import Platform

/// Errors of a transfer, for a person. A message names at most the host: an address may hold secrets, and so may libcurl's words about it.
extension Transfer {
  static let couldNotStart = SourceError(.unreachable, "libcurl cannot start a transfer")

  func failure(_ code: CURLcode) -> SourceError { isConnected ? failureToAnswer(code) : failureToConnect(code) }

  /// True when the request was at least sent, over a new connection or a reused one.
  private var isConnected: Bool { easy.size(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  private var host: String { request.origin.host }

  private func failureToConnect(_ code: CURLcode) -> SourceError {
    let proxyStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
    return switch code {
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: SourceError(.badRequest, "invalid address")
    case CURLE_COULDNT_RESOLVE_HOST: request.unreachable("no such host")
    case CURLE_COULDNT_RESOLVE_PROXY: SourceError(.unreachable, "cannot reach the proxy: no such host", remedy: proxyRemedy)
    case CURLE_OPERATION_TIMEDOUT:
      request.unreachable("no connection within \(min(request.limits.connect, request.limits.total).inWords)")
    case _ where proxyStatus == 407:
      request.unreachable(
        "\(SourceError.proxyWantsLogin) (HTTP 407)", remedy: proxyVariable.map(SourceError.howToLogIn(proxy:)))
    case _ where proxyStatus >= 300: request.unreachable("the proxy refused (HTTP \(proxyStatus))", remedy: proxyRemedy)
    case CURLE_COULDNT_CONNECT where easy.long(CURLINFO_OS_ERRNO) == Int(ECONNREFUSED) && proxyRemedy == nil:
      request.unreachable("connection refused")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: request.unreachable("its certificate is not valid")
    case CURLE_SSL_CONNECT_ERROR: request.unreachable("no secure connection")
    case CURLE_SSL_CACERT_BADFILE:
      SourceError(
        .noTransport, "cannot find the certificate authorities",
        remedy: "type apt-get install ca-certificates, or set CURL_CA_BUNDLE")
    case CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_SEND_ERROR: request.unreachable("no connection", remedy: proxyRemedy)
    default: SourceError(.unreachable, text(code))
    }
  }

  private func failureToAnswer(_ code: CURLcode) -> SourceError {
    switch code {
    // The codes, depending on libcurl's version, for a header longer than it accepts. 100 is CURLE_TOO_LARGE, which old headers lack.
    case CURLE_OUT_OF_MEMORY where !isHeadWhole, CURLcode(100) where !isHeadWhole: request.headTooLarge
    case CURLE_OPERATION_TIMEDOUT: request.unanswered
    case CURLE_PARTIAL_FILE: request.cutShort
    case CURLE_GOT_NOTHING: SourceError(.interrupted, "\(host) closed the connection without an answer")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      request.lost
    case CURLE_FILESIZE_EXCEEDED: request.tooLarge
    case CURLE_BAD_CONTENT_ENCODING: request.undecodable
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: request.notHTTP
    default: SourceError(.interrupted, text(code))
    }
  }

  /// Returns libcurl's name for the error, which is a constant text.
  private func text(_ code: CURLcode) -> String { "\(host): \(String(cString: ccurl_text(code)))" }

  private var proxyRemedy: Remedy? { proxyVariable.map { "check \($0)" } }

  private var proxyVariable: String? { Environment.proxyVariable(isSecure: request.origin.scheme == "https") }
}

/// The variables that the `curl` command reads. The library itself reads those for proxies, but not this one.
enum Environment {
  /// The file of certificate authorities to trust instead of the system's.
  static let authorities = value("CURL_CA_BUNDLE") ?? value("SSL_CERT_FILE")

  /// Returns the variable that may have sent a request to this kind of address through a proxy.
  static func proxyVariable(isSecure: Bool) -> String? {
    // Not HTTP_PROXY: clients of a web server can set that one.
    let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
    return names.first { value($0) != nil }
  }

  private static func value(_ name: String) -> String? {
    // Copied at once: the text is valid only until the variable is set again.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
