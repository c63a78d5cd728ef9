import AggregatorCore

/// A request, live or recorded, reduced to what must be the same for the recorded answer to be its answer.
///
/// Method, scheme, host, port and path; the query as pairs in any order; the body, JSON and forms by what they mean. Headers
/// are not compared, since every tool sends its own, nor is what browsers add against caches. The value of a secret is never
/// compared, only that there is one.
struct Likeness: Sendable, Hashable {
  let method: String
  /// Nil where a recording answers for any host.
  let origin: WebAddress.Origin?
  let path: String
  let query: [HTTPResponse.Header]
  let body: Value?

  /// A request by what is left of it without its secrets.
  init(_ request: RecordedRequest, atAnyHost isAnyHost: Bool, without scrubber: Scrubber, hiding names: SecretNames) {
    let clean = scrubber.scrub(request, hiding: names)
    method = clean.method
    origin = isAnyHost ? nil : clean.address.origin
    path = clean.address.path
    query = Self.sorted(clean.address.queryItems.filter { !$0.isCacheBuster })
    body = clean.body.flatMap { Self.meaning(of: $0, in: clean) }
  }

  private static func sorted(_ items: [HTTPResponse.Header]) -> [HTTPResponse.Header] {
    items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
  }

  private static func meaning(of body: [UInt8], in request: RecordedRequest) -> Value? {
    if body.isEmpty { return nil }
    if let json = try? JSON(body) { return json.value.inOrder }
    guard request.isForm else { return .text(Base64.encode(body)) }
    var address = request.address
    address.query = String(decoding: body, as: UTF8.self)
    return .object(sorted(address.queryItems).map { Member(name: $0.name, value: .text($0.value)) })
  }
}

extension Likeness: CustomStringConvertible {
  /// `GET https://example.com/ports`.
  var place: String { "\(method) \(origin?.description ?? "")\(path)" }

  /// The place with its query, long values cut.
  var description: String { place + (query.isEmpty ? "" : "?" + query.map { $0.brief() }.joined(separator: "&")) }

  /// What a recorded request has instead of what this one has, each in a few words; none if they are the same.
  func differences(from recorded: Likeness) -> [String] {
    var differences: [String] = []
    if method != recorded.method { differences.append("\(recorded.method) instead of \(method)") }
    if path != recorded.path { differences.append("\(recorded.path) instead of \(path)") }
    differences += Self.differences(query, from: recorded.query)
    let inBody = Self.differences(words, from: recorded.words)
    differences += inBody.isEmpty && body != recorded.body ? ["a different body"] : inBody
    return differences
  }

  private static func differences(_ asked: [HTTPResponse.Header], from recorded: [HTTPResponse.Header]) -> [String] {
    let (extra, missing) = (subtract(recorded, from: asked), subtract(asked, from: recorded))
    let changed = Set(extra.map(\.name))
    return extra.map { item in
      guard let other = missing.first(where: { $0.name == item.name }) else { return "no \(item.brief())" }
      return "\(other.brief(unlike: item)) instead of \(item.briefValue(unlike: other))"
    } + missing.filter { !changed.contains($0.name) }.map { "also \($0.brief())" }
  }

  /// What an object that is its body says.
  private var words: [HTTPResponse.Header] {
    body?.scalars(depth: 4).filter { !$0.path.names.isEmpty }.map { .init($0.path.text, $0.value.word ?? "null") } ?? []
  }

  /// How far a recorded request is from being this one: the host counts most.
  func distance(to recorded: Likeness) -> Int {
    (origin == recorded.origin ? 0 : 1000) + (path == recorded.path ? 0 : 100) + (method == recorded.method ? 0 : 10)
      + differences(from: recorded).count
  }

  private static func subtract(_ some: [HTTPResponse.Header], from all: [HTTPResponse.Header]) -> [HTTPResponse.Header] {
    some.reduce(into: all) { rest, item in
      if let index = rest.firstIndex(of: item) { rest.remove(at: index) }
    }
  }
}

extension HTTPResponse.Header {
  fileprivate func brief(unlike other: Self? = nil) -> String { "\(name)=\(briefValue(unlike: other))" }

  /// Its beginning where it is long, or what comes where it is not like another one any more.
  fileprivate func briefValue(unlike other: Self? = nil) -> String {
    let common = zip(value, other?.value ?? "").prefix { $0 == $1 }.count
    let rest = common > 12 ? "…\(value.dropFirst(common - 5))" : value
    return rest.count > 24 ? "\(rest.prefix(23))…" : rest
  }
}

extension Value {
  /// The same value in one spelling: members by name, and whole numbers as such.
  fileprivate var inOrder: Value {
    switch self {
    case .list(let values): .list(values.map(\.inOrder))
    case .object(let members):
      .object(members.map { Member(name: $0.name, value: $0.value.inOrder) }.sorted { $0.name < $1.name })
    case .double(let double): Int(exactly: double).map(Value.int) ?? self
    default: self
    }
  }
}
