public import AggregatorCore
import Platform

/// Recorded exchanges with one service, in the order of their requests.
public struct Fixture: Sendable, Hashable {
  /// The name in messages, usually the file.
  public var name: String
  /// The exchanges, in the order in which the requests were sent.
  public var exchanges: [Exchange]

  /// A recording made by hand, or an empty one to record into.
  public init(_ name: String, exchanges: [Exchange] = []) {
    self.name = name
    self.exchanges = exchanges
  }
}

/// One recorded request and its result.
public struct Exchange: Sendable, Hashable {
  /// The request, without secrets.
  public var request: TapedRequest
  /// The response, without secrets.
  public var response: HTTPResponse
  /// The error in place of a response; the response is then empty and has the status 0.
  public var failure: SourceError?
  /// The time when the request was sent. A replay runs at this time.
  public var startedAt: Moment
  /// The time from the request to the end of the answer.
  public var took: Duration

  /// Makes an exchange of a request and its response, or of a request and its error.
  public init(
    _ request: TapedRequest, _ response: HTTPResponse = HTTPResponse(status: 0), failing failure: SourceError? = nil,
    startedAt: Moment, took: Duration = .zero
  ) {
    (self.request, self.response, self.failure) = (request, response, failure)
    (self.startedAt, self.took) = (startedAt, took)
  }
}

/// A request in a recording: what was sent, without secrets.
public struct TapedRequest: Sendable, Hashable {
  /// The method as it was sent, such as `GET`.
  public var method: String
  /// The address with its query.
  public var address: WebAddress
  /// The headers in the order in which they were sent, without secrets.
  public var headers: [HTTPResponse.Header]
  /// The body; nil if none was sent.
  public var body: [UInt8]?

  /// Makes a request for a recording written by hand.
  public init(_ method: String, _ address: WebAddress, headers: [HTTPResponse.Header] = [], body: [UInt8]? = nil) {
    self.method = method
    self.address = address
    self.headers = headers
    self.body = body
  }

  /// The first header with this name, in upper or lower case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Its method and address for a person, with secrets masked.
  package var shown: String {
    "\(method) \(SecretName.hidden(inText: address.shown, leaving: Secret.mask) { SecretName.isUsual($0, holding: $1) })"
  }

  /// True when its body is a form, which is encoded like a query.
  package var isForm: Bool {
    self[header: "Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
  }

  /// The request as it is sent over HTTP.
  package init(_ request: HTTPRequest) {
    self.init(
      request.method.rawValue, request.wireAddress, headers: request.wireHeaders.map { .init($0.name, $0.value) },
      body: request.body)
  }
}

extension WebAddress {
  /// The pairs of its query, decoded and in order.
  package var queryItems: [HTTPResponse.Header] {
    (query ?? "").split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return HTTPResponse.Header(PercentEncoding.decode(name), PercentEncoding.decode(pair.dropFirst(name.count + 1)))
    }
  }

  /// Returns the pairs as a query; nil without pairs.
  package static func query(of items: [HTTPResponse.Header]) -> String? {
    items.isEmpty
      ? nil : items.map { "\(PercentEncoding.query($0.name))=\(PercentEncoding.query($0.value))" }.joined(separator: "&")
  }
}

/// HTTP Archives (HAR 1.2), as every browser and most proxies export them.
extension Fixture {
  /// Reads an archive. Errors call it `name`: `spider.har: log.entries[3].request.url: expected a string, found null`.
  ///
  /// - Throws: a `SourceError` of kind `malformed` with the file and the path in it.
  public init(har bytes: [UInt8], name: String) throws {
    self.init(name, exchanges: try HARReader(name: name).exchanges(bytes))
  }

  /// The exchanges as an archive. The same exchanges always give the same bytes, and one change shows as one change in a diff.
  ///
  /// Secrets are not removed here; the recording of a run removes them before it writes.
  public var har: [UInt8] { HARWriter.log(exchanges).prettyBytes }

  /// The largest archive that is read, in bytes.
  package static let mostBytes = 256 << 20

  /// Reads the archive at `path`, relative to `home` or to the working directory of the process.
  public init(contentsOf path: String, in home: String = "") throws {
    do {
      try self.init(har: SystemFiles().read(Paths.join(home, path), upTo: Self.mostBytes).bytes, name: path)
    } catch let problem as FileProblem {
      throw SourceError(.settings, "cannot read \(path): \(problem.reason)")
    }
  }

  /// Reads every `.har` file of a folder, sorted by name; hidden files are left out. The folder is relative to `home`, or to the working
  /// directory of the process. `remedy` is the advice if the folder has none; by default it is how a command records one.
  public static func load(folder: String, in home: String = "", remedy: Remedy? = nil) throws -> [Fixture] {
    let record = remedy ?? .give([.init("record", folder)], "to record one")
    let names: [String]
    do {
      names = try SystemFiles().list(Paths.join(home, folder))
    } catch {
      if case .missing = error { throw SourceError(.settings, "no such folder: \(folder)", remedy: record) }
      throw SourceError(
        .settings, "cannot read the recordings in \(folder): \(error.reason)", remedy: "name the folder that contains them")
    }
    let archives = names.filter { $0.hasSuffix(".har") && !$0.hasPrefix(".") }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    guard !archives.isEmpty else { throw SourceError(.settings, "no recording (.har) in \(folder)", remedy: record) }
    return try archives.map { try Fixture(contentsOf: Paths.join(folder, $0), in: home) }
  }
}
