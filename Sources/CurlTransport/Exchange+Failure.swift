internal import AggregatorCore
internal import CCurl

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What went wrong, for a person. Each names the host at most: an address holds secrets, and so may what libcurl says of it.
extension Exchange {
  static let couldNotStart = SourceError(.unreachable, "libcurl could not start a transfer")

  var stalled: SourceError { SourceError(.timedOut, "\(request.host) sent nothing for \(request.limits.stall.inWords)") }

  var tooLarge: SourceError { SourceError(.malformed, "the body is larger than \(sizeInWords(request.limits.bodyBytes))") }

  func failure(_ code: CURLcode) -> SourceError {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: SourceError(.unreachable, "could not resolve host \(request.host)")
    case CURLE_COULDNT_RESOLVE_PROXY: SourceError(.unreachable, "could not resolve the proxy", remedy: "check http_proxy and https_proxy")
    case CURLE_COULDNT_CONNECT: couldNotConnect
    case CURLE_OPERATION_TIMEDOUT: isConnected ? noAnswer : noConnection
    case CURLE_PARTIAL_FILE: SourceError(.truncated, "the answer of \(request.host) broke off")
    case CURLE_GOT_NOTHING: SourceError(.interrupted, "\(request.host) closed the connection without an answer")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: lost
    case CURLE_FILESIZE_EXCEEDED: tooLarge
    case CURLE_BAD_CONTENT_ENCODING: SourceError(.malformed, "\(request.host) sent a body that cannot be decoded")
    case CURLE_UNSUPPORTED_PROTOCOL where isConnected, CURLE_WEIRD_SERVER_REPLY:
      SourceError(.malformed, "\(request.host) does not speak HTTP")
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED: SourceError(.badRequest, "the address is not one")
    case CURLE_SSL_CACERT_BADFILE:
      SourceError(.unreachable, "no certificate authorities were found", remedy: "apt-get install ca-certificates")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      SourceError(.unreachable, "the certificate of \(request.host) is not valid")
    case CURLE_SSL_CONNECT_ERROR: SourceError(.unreachable, "no secure connection to \(place)")
    // These texts are constants of the library.
    default: SourceError(isConnected ? .interrupted : .unreachable, "\(request.host): \(String(cString: ccurl_text(code)))")
    }
  }

  /// Whether it came as far as sending the request, over a new connection or a kept one.
  private var isConnected: Bool { easy.size(CURLINFO_PRETRANSFER_TIME_T) > 0 }

  private var couldNotConnect: SourceError {
    let isRefusal = easy.long(CURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
    return SourceError(.unreachable, isRefusal ? "connection refused by \(place)" : "could not connect to \(place)")
  }

  private var noConnection: SourceError {
    SourceError(.unreachable, "no connection to \(place) within \(min(request.limits.connect, request.limits.total).inWords)")
  }

  private var noAnswer: SourceError { SourceError(.timedOut, "no answer from \(request.host) within \(request.limits.total.inWords)") }

  private var lost: SourceError { SourceError(.interrupted, "the connection to \(request.host) was lost") }

  private var place: String { "\(request.host):\(request.port)" }
}

extension Duration {
  /// `30 s`, `250 ms`.
  fileprivate var inWords: String {
    let milliseconds = roundedUpToMilliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

private func sizeInWords(_ bytes: Int) -> String {
  if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20) MB" }
  return bytes >= 1 << 10 ? "\(bytes >> 10) kB" : "\(bytes) bytes"
}
