import AggregatorCore
import Drafting
import Manifests

/// How the new source asks its service: everything that its code, its fixture and its tests have to agree on.
struct ServicePlan: Sendable {
  let list: ListModel
  /// How many rows a page has.
  let pageSize: Int
  /// What asks for so many.
  let sizeParameter: Parameter?
  /// What carries a person's text.
  let search: Parameter?
  let address: ServiceAddress
  /// What every request says beside, in order.
  let constants: [HTTPResponse.Header]
  let headers: [HTTPResponse.Header]
  let keys: [KeyPlan]
  /// The JSON that is posted, keys left out.
  let body: Value?

  /// Decided from what was recorded; `search` is where a person's text goes, when that is sure.
  init(_ name: SourceName, _ list: ListModel, search: ListModel?, start: RecordedPage, finder: SecretFinder) {
    let paging = list.paging.value
    (self.list, self.search) = (list, search?.search?.value)
    // What was asked for, where a parameter says so.
    var asked: Int?
    if let guess = list.size, guess.confidence > .weak, paging != .whole { asked = start.call[guess.value].flatMap { Int($0) } }
    sizeParameter = asked == nil ? nil : list.size?.value
    pageSize = max(asked ?? 0, list.longestPage)
    address = ServiceAddress(list: list.endpoint.address, search: search?.endpoint.address)
    constants = finder.constants(of: start, but: [paging.parameter, sizeParameter, self.search], paging)
    headers = finder.headers(of: start.exchange.request)
    keys = finder.keys(of: start.exchange.request, name)
    body = start.call.document.map(finder.plain)
  }

  var paging: PagingModel { list.paging.value }
  var method: String { list.endpoint.method }
  /// What the request is called in its code.
  var verb: String { method == "GET" ? "get" : "post" }
  /// Only one that can be trusted: a walk ends by it.
  var total: TotalModel? { list.total.flatMap { $0.confidence > .weak ? $0.value : nil } }
  /// Whether some pages do not have it.
  var isTotalOptional: Bool { total.map { total in list.pages.contains { $0.total(total) == nil } } ?? false }
  /// What says whether there is more.
  var more: MoreModel? { paging == .whole ? nil : list.more?.value }
  /// Whether some pages do not have it.
  var isMoreOptional: Bool { more.map { more in list.pages.contains { $0.more(more) == nil } } ?? false }
  /// Whether pages begin behind something else of a row than the record's id.
  var isKeyApart: Bool { if case .keyset(let path, _) = paging { path != list.key?.value } else { false } }
}

/// A key of the service: where it goes and which setting holds it.
struct KeyPlan: Sendable, Hashable {
  /// A parameter or a header, and what stands there before the key itself.
  struct Carrier: Sendable, Hashable {
    let name: String
    let isHeader: Bool
    let scheme: String?

    init(_ carrier: NamedKey.Carrier) {
      switch carrier {
      case .header(let name, let scheme): (self.name, isHeader, self.scheme) = (name, true, scheme)
      case .query(let name): (self.name, isHeader, scheme) = (name, false, nil)
      case .basic: (name, isHeader, scheme) = ("Authorization", true, "Basic")
      }
    }
  }

  let carrier: Carrier
  /// `PORTS_API_KEY`.
  let setting: String
  /// `portsKey`.
  let member: String
}

/// Where a service is: the base that can be set, and the paths below it.
struct ServiceAddress: Sendable, Hashable {
  let base: String
  let host: String
  let path: String
  /// Where it is searched, if elsewhere.
  let searchPath: String?

  init(list: WebAddress, search: WebAddress?) {
    let folder = [list, search ?? list].map { Self.folder(of: $0.path) }.reduce(list.path) { String(Self.common($0, $1)) }
    base = list.origin.description + folder
    host = list.host
    let path = String(list.path.dropFirst(folder.count))
    self.path = path
    searchPath = search.map { String($0.path.dropFirst(folder.count)) }.flatMap { $0 == path ? nil : $0 }
  }

  /// `/v1/` of `/v1/ports` and of `/v1/ports/`.
  private static func folder(of path: String) -> String {
    let leaf = path.hasSuffix("/") ? path.dropLast() : path[...]
    return leaf.lastIndex(of: "/").map { String(leaf[...$0]) } ?? "/"
  }

  private static func common(_ one: String, _ two: String) -> Substring {
    let shared = zip(one, two).prefix { $0 == $1 }.count
    let prefix = one.prefix(shared)
    return prefix.lastIndex(of: "/").map { prefix[...$0] } ?? "/"
  }
}

/// What requests carry beside the place of a page, from the first one that was recorded.
extension SecretFinder {
  /// What every request says beside `parameters`.
  fileprivate func constants(of start: RecordedPage, but parameters: [Parameter?], _ paging: PagingModel) -> [HTTPResponse
    .Header]
  {
    let parts = parameters.compactMap { $0 }.filter { $0.place == .query }.map(\.name)
    let target = paging.isAddress ? start.next(paging).flatMap(start.exchange.request.address.resolving) : nil
    let next = target?.queryItems ?? []
    return start.call.query.filter { item in
      // What the next page's address has another value for leads from page to page.
      let isLeading = next.contains { $0.name == item.name } && !next.contains(item)
      return !parts.contains(item.name) && !isSecret(item.name) && !Noise.isNoise(item.name, item.value) && !isLeading
    }
  }

  /// Those headers that choose a version or a format; browsers send dozens of others.
  fileprivate func headers(of request: RecordedRequest) -> [HTTPResponse.Header] {
    request.headers.filter { header in
      let name = header.name.lowercased()
      let isFormat = name == "accept" && (header.value.contains("vnd.") || header.value.contains("+json"))
      return !isSecretHeader(header.name) && (isFormat || name.hasSuffix("version") && name != "version")
    }
  }

  fileprivate func keys(of request: RecordedRequest, _ name: SourceName) -> [KeyPlan] {
    let carriers = keys(in: request).map { KeyPlan.Carrier($0.carrier) }
    var settings = Identifiers(avoiding: ["\(name.setting)_URL"])
    var members = Identifiers(avoiding: ["\(name.member)URL"])
    return carriers.map { carrier in
      let own = carriers.count == 1 ? [] : NameWords.words(in: carrier.name)
      let words = own.isEmpty ? ["key"] : own
      let suffix = carriers.count == 1 ? "API_KEY" : words.joined(separator: "_").uppercased()
      return KeyPlan(
        carrier: carrier, setting: settings.claim("\(name.setting)_\(suffix)"),
        member: members.claim(name.member + words.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined()))
    }
  }

  /// What was posted, without what looks like a key.
  fileprivate func plain(_ value: Value) -> Value {
    switch value {
    case .object(let members):
      .object(members.filter { !isSecret($0.name) }.map { Member(name: $0.name, value: plain($0.value)) })
    case .list(let values): .list(values.map(plain))
    default: value
    }
  }
}

extension ServicePlan {
  /// What of a request differs from page to page or with a person's text: where it goes, and the code that gives it.
  typealias Variable = (parameter: Parameter, code: String, isNumber: Bool)

  /// The place, the size and the text, as far as requests have them.
  var variables: [Variable] {
    let place =
      switch paging {
      case .token: "place.token"
      case .keyset: "place.key"
      case .whole, .offset, .number, .nextAddress, .link: "place.number"
      }
    let all: [(Parameter?, String, Bool)] = [
      (paging.parameter, place, place == "place.number"), (sizeParameter, "place.size", true),
      (search, "request.query.text", false),
    ]
    return all.compactMap { parameter, code, isNumber in parameter.map { ($0, code, isNumber) } }
  }
}
