import AggregatorCore
import SourceTesting

/// The requests that the new source will send, as its fixture has them.
struct RequestWriter {
  let service: ServicePlan
  /// What is searched for.
  let text: String?

  /// The request for the page that so many rows and this page came before.
  func request(page: Int, received: Int, after before: RecordedPage?) -> RecordedRequest {
    let token = before?.next(service.paging)
    var address = WebAddress(service.address.base)?.appending(path) ?? service.list.endpoint.address
    if path.isEmpty { address = WebAddress(service.address.base) ?? address }
    if let before, service.list.isFollowed, let target = token.flatMap(before.exchange.request.address.resolving) {
      let own = Set(service.keys.filter { $0.carrier.place == .query }.map(\.carrier.name))
      address = target
      address.query = Self.query(RecordedCall.items(of: target).filter { !own.contains($0.name) } + credentials)
      return RecordedRequest("GET", address)
    }
    let place = place(page: page, received: received, token: token)
    let query = place.filter { $0.parameter.place == .query }.compactMap { parameter, text in
      text.map { HTTPResponse.Header(parameter.name, $0) }
    }
    address.query = Self.query(credentials + query + service.constants)
    guard service.method != "GET", let document = service.body else { return RecordedRequest(service.method, address) }
    var writer = JSONWriter()
    writer.write(place.filter { $0.parameter.place == .body }.reduce(document) { $0.setting($1.parameter, $1.text) })
    return RecordedRequest(service.method, address, headers: [.init("Content-Type", "application/json")], body: writer.bytes)
  }

  private var path: String { (text == nil ? nil : service.address.searchPath) ?? service.address.path }

  private var credentials: [HTTPResponse.Header] {
    service.keys.filter { $0.carrier.place == .query }.map { .init($0.carrier.name, Scrubber.placeholder) }
  }

  /// What says which page, how large, and of what; nil where a query leaves it out and a body says null.
  private func place(page: Int, received: Int, token: String?) -> [(parameter: Parameter, text: String?)] {
    var place: [(parameter: Parameter, text: String?)] = []
    switch service.paging {
    case .offset(let parameter): place.append((parameter, String(received)))
    case .number(let parameter, let first): place.append((parameter, String(first + page)))
    case .token(_, let parameter), .keyset(_, let parameter): place.append((parameter, token))
    case .whole, .nextAddress, .link: break
    }
    if let size = service.sizeParameter { place.append((size, String(service.pageSize))) }
    if let search = service.search { place.append((search, text)) }
    return place
  }

  private static func query(_ items: [HTTPResponse.Header]) -> String? {
    items.isEmpty
      ? nil : items.map { "\(PercentEncoding.query($0.name))=\(PercentEncoding.query($0.value))" }.joined(separator: "&")
  }
}

extension Value {
  /// The same value with what a parameter says, as a number where a number was recorded.
  func setting(_ parameter: Parameter, _ text: String?) -> Value {
    let path = FieldPath(text: parameter.name)
    guard let text else { return setting(path, to: .null) }
    if self[path]?.isText != true, let int = Int(text) { return setting(path, to: .int(int)) }
    return setting(path, to: .text(text))
  }
}
