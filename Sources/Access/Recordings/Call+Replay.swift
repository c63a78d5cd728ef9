import AggregatorCore
import Platform

/// A call, live or recorded, reduced to the parts that must be equal so that the recorded answer fits.
///
/// These are the method, scheme, host, port and path; the query as pairs in any order; the meaning of a body in JSON or of a form; and the
/// rows in a Range header. Other headers are not compared, because every tool sends its own. Cache busters are not compared either. The
/// value of a secret is never compared, only its presence.
extension RecordedCall {
  /// Makes the call from a request without its secrets; without a host if a recording answers for any host.
  init(_ request: TapedRequest, atAnyHost isAnyHost: Bool, without scrubber: Scrubber, hiding names: SecretNames) {
    let clean = scrubber.scrub(request, hiding: names)
    var address = clean.address
    if isAnyHost { (address.scheme, address.host, address.port) = ("https", "", 443) }
    address.query = WebAddress.query(of: Self.sorted(clean.address.queryItems.filter { !$0.isCacheBuster }))
    let document = clean.body.flatMap { Self.meaning(of: $0, in: clean) }
    self.init(method: clean.method, address, document: document, headers: clean.headers)
  }

  private static func sorted(_ items: [HTTPResponse.Header]) -> [HTTPResponse.Header] {
    items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
  }

  private static func meaning(of body: [UInt8], in request: TapedRequest) -> Value? {
    if body.isEmpty { return nil }
    if let json = try? JSON(body) { return json.value.inOrder }
    guard request.isForm else { return .text(Base64.encode(body)) }
    let form = copy(of: request.address) { $0.query = String(decoding: body, as: UTF8.self) }
    return .object(sorted(form.queryItems).map { Member(name: $0.name, value: .text($0.value)) })
  }

  /// The method and the address without its query: `GET https://example.com/ports`.
  var endpointText: String { "\(method) \(address.host.isEmpty ? "" : address.origin.description)\(address.path)" }

  /// The endpoint with its query; long values are cut.
  var shown: String {
    endpointText + (query.isEmpty ? "" : "?" + query.map { "\($0.name)=\($0.value.brief())" }.joined(separator: "&"))
  }

  /// Returns the differences of a recorded call from this one, each in a few words; empty if they are the same.
  func differences(from recorded: RecordedCall) -> [String] {
    let (own, others) = (words, recorded.words)
    let parameters = Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }
    func isSaid(in location: Parameter.ParameterLocation) -> Bool { parameters.contains { $0.location == location } }
    func rank(_ parameter: Parameter) -> (Int, Int, String) {
      (parameter.location == .query ? 0 : 1, own[parameter] == nil ? 1 : 0, parameter.name)
    }
    return [
      method == recorded.method ? nil : "\(recorded.method) instead of \(method)",
      address.path == recorded.address.path ? nil : "\(recorded.address.path) instead of \(address.path)",
      query == recorded.query || isSaid(in: .query) ? nil : "a different query",
    ].compactMap(\.self)
      + parameters.sorted { rank($0) < rank($1) }.map { parameter in
        guard let asked = own[parameter] else { return "also \(parameter.name)=\((others[parameter] ?? "").brief())" }
        guard let other = others[parameter] else { return "no \(parameter.name)=\(asked.brief())" }
        return "\(parameter.name)=\(other.brief(unlike: asked)) instead of \(asked.brief(unlike: other))"
      } + (document == recorded.document || isSaid(in: .body) ? [] : ["a different body"])
  }

  /// Its parameters, including null values and the text of a GraphQL query.
  private var words: [Parameter: String] {
    (document?.scalars(depth: 4) ?? []).reduce(into: parameters) { words, scalar in
      if !scalar.path.names.isEmpty {
        words[Parameter(.body, scalar.path.names.joined(separator: "."))] = scalar.value.word ?? "null"
      }
    }
  }

  /// Returns the distance of a recorded call from this one; the host counts most.
  func distance(to recorded: RecordedCall) -> Int {
    (address.origin == recorded.address.origin ? 0 : 1000) + (address.path == recorded.address.path ? 0 : 100)
      + (method == recorded.method ? 0 : 10) + differences(from: recorded).count
  }
}

extension String {
  /// Its beginning if it is long, or the part around the first difference from `other`.
  fileprivate func brief(unlike other: String = "") -> String {
    let common = zip(self, other).prefix { $0 == $1 }.count
    let rest = common > 12 ? "…\(dropFirst(common - 5))" : self
    return rest.count > 24 ? "\(rest.prefix(23))…" : rest
  }
}

extension Value {
  /// The same value in one form: members sorted by name, and whole numbers as integers.
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
