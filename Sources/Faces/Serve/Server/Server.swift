import AggregatorCore

/// A server of HTTP. Everything above it knows only this, so that another library can take its place.
protocol Server: Sendable {
  /// Serves requests on this thread until ``stop()``, and gives each to `answer`, which must not wait. Returns the reason if it cannot.
  func run(_ answer: @escaping @Sendable (Request) -> Answering) -> SourceError?
  /// Accepts no more connections, and ends as soon as what runs has ended, or after some seconds. Any thread may call it.
  func stop()
}

/// The way in which a request is answered.
enum Answering: Sendable {
  /// With a reply that is at hand.
  case now(Reply)
  /// With what a task finds; the task is cancelled when the client leaves.
  case later(@Sendable () async -> Reply)
}

/// A request as it came.
struct Request: Sendable {
  /// A header; the name is in small letters.
  typealias Header = (name: String, value: String)

  var method = ""
  /// True for HTTP/1.1, where a client sees that the rest of a reply is missing.
  var seesBreaks = true
  /// The path with the query, as it was sent.
  let target: String
  /// The host in the target, which counts in place of the header; nil for the usual target, which is a path.
  var hostInTarget: String?
  var headers: [Header] = []
  var body: [UInt8] = []
  /// True when a header holds a byte that no header may hold.
  var hasBrokenHeader = false
  /// True when the body is larger than the server takes.
  var isTooLarge = false

  /// The path as it was sent.
  var path: Substring { target.prefix { $0 != "?" } }

  /// The values of a header, in the order in which they came.
  func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

  /// True when a browser asks for a page: it takes HTML, and the address is not one for programs.
  var wantsPage: Bool {
    let forPrograms = ["api", "metrics", "healthz", "readyz", "openapi.json", "problems", Route.messagesName]
    guard !forPrograms.contains(path.split(separator: "/").first.map(String.init) ?? "") else { return false }
    return values(of: "accept").flatMap { $0.split(separator: ",") }
      .contains { String($0.prefix { $0 != ";" }).trimmingSpaces.lowercased() == "text/html" }
  }

  /// The value of a header that came once; nil otherwise.
  subscript(name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }
}

extension Request {
  /// Reads a target, which is a whole address if a client takes this server for a proxy (RFC 9112, 3.2.2).
  init(asSent target: String) {
    let scheme = "http://"
    guard target.prefix(scheme.count).lowercased() == scheme else {
      self.init(target: target)
      return
    }
    let address = target.dropFirst(scheme.count)
    let host = address.prefix { $0 != "/" && $0 != "?" }
    let path = address.dropFirst(host.count)
    self.init(target: path.first == "/" ? String(path) : "/\(path)", hostInTarget: String(host))
  }
}

/// The reply to a request.
struct Reply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Bytes that are still being made.
    case stream(Outlet)
  }

  var status: Int
  var headers: [Request.Header]
  var body: Body

  init(_ status: Int = 200, _ type: String? = nil, _ body: Body = .bytes([]), headers: [Request.Header] = []) {
    (self.status, self.body, self.headers) = (status, body, (type.map { [("Content-Type", $0)] } ?? []) + headers)
  }
}
