import AggregatorCore
import SourceTesting

/// How the new source asks its service: everything that its code, its fixture and its tests have to agree on.
struct ServicePlan: Sendable {
  let list: ListModel
  let paging: PagingModel
  /// How many rows a page has.
  let pageSize: Int
  /// What asks for so many.
  let sizeParameter: Parameter?
  /// Only one that can be trusted: a walk ends by it.
  let total: TotalModel?
  /// Whether some pages do not have it.
  let isTotalOptional: Bool
  /// What says whether there is more.
  let more: MoreModel?
  /// Whether some pages do not have it.
  let isMoreOptional: Bool
  /// Whether pages begin behind something else of a row than the record's id.
  let isKeyApart: Bool
  /// What carries a person's text.
  let search: Parameter?
  let address: ServiceAddress
  /// What every request says beside, in order.
  let constants: [HTTPResponse.Header]
  let headers: [HTTPResponse.Header]
  let keys: [KeyPlan]
  /// The JSON that is posted, keys left out.
  let body: Value?

  var method: String { list.endpoint.method }
}

/// A key of the service: where it goes and which setting holds it.
struct KeyPlan: Sendable, Hashable {
  let carrier: SecretFinder.Carrier
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
