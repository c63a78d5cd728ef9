import AggregatorCore

/// Headers that browsers and tools add to a request, which choose nothing of the answer.
enum Noise {
  private static let headers: Set<String> = [
    "accept-charset", "accept-encoding", "accept-language", "authority", "baggage", "cache-control", "connection",
    "content-length",
    "cookie", "date", "device-memory", "dnt", "downlink", "dpr", "ect", "expect", "forwarded", "host", "keep-alive", "method",
    "newrelic",
    "origin", "path", "postman-token", "pragma", "priority", "range", "referer", "rtt", "save-data", "scheme", "sentry-trace",
    "te",
    "traceparent", "tracestate", "transfer-encoding", "upgrade", "upgrade-insecure-requests", "user-agent", "via",
    "viewport-width",
    "width", "x-amzn-trace-id", "x-client-data", "x-correlation-id", "x-request-id",
  ]
  private static let beginnings = [":", "access-control-", "if-", "proxy-", "sec-", "x-b3-", "x-datadog-", "x-forwarded-"]

  /// Whether a header of this name and value says nothing that the service needs, or nothing that is not said anyway.
  static func isNoise(header: HTTPResponse.Header) -> Bool {
    let name = header.name.lowercased()
    // What is posted is JSON anyway; a service may answer with XML unless told.
    if name == "accept" || name == "content-type" { return !Self.chooses(header.value, isPosted: name == "content-type") }
    return headers.contains(name) || beginnings.contains(where: name.hasPrefix)
  }

  private static func chooses(_ type: String, isPosted: Bool) -> Bool {
    type.contains("vnd.") || type.contains("+json") || !isPosted && type.contains("json")
  }
}
