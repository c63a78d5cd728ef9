import AggregatorCore
package import Drafting
package import Manifests
import SourceVerification

extension Draft {
  package static func temporary(_ name: String, _ fixture: Fixture) throws -> Draft {
    let model = try ServiceModel(of: fixture)
    let list = model.list
    let finder = SecretFinder(sparing: ([list] + model.searches).compactMap(\.paging.value.parameter?.name))
    func isSearch(_ page: RecordedPage, _ list: ListModel) -> Bool {
      list.search.flatMap { page.call[$0.value] }.map { !$0.isEmpty } ?? false
    }
    let first = list.pages.first { !isSearch($0, list) } ?? list.pages[0]
    let recorded = first.exchange.request
    var address = recorded.address
    let noise = address.queryItems.filter { !finder.isSecret($0.name) }
    address.query = WebAddress.query(of: noise)
    var request = NamedRequest(address)
    if recorded.method == "POST" { request.method = .post }
    request.body = first.call.document
    for carrier in finder.carriers(in: recorded) {
      request.keys.append(NamedKey(carrier.isHeader ? .header(carrier.name, scheme: carrier.scheme) : .query(carrier.name)))
    }
    request.headers = recorded.headers.filter {
      $0.name.lowercased() == "accept" && ($0.value.contains("vnd.") || $0.value.contains("+json")) || $0.name.lowercased().hasSuffix("version")
    }
    let scrubber = Scrubber(recording: finder.secrets(in: fixture.exchanges))
    var exchanges = list.pages.map(\.exchange)
    let other = model.searches.first { other in
      other.endpoint != list.endpoint && other.search?.confidence == .strong && other.paging.value == list.paging.value
        && other.items.value == list.items.value
    }
    if let other { exchanges += other.pages.map(\.exchange) }
    let own = Fixture("\(name).har", exchanges: exchanges.map { scrubber.scrub($0) })
    var draft = try SourceDraft(name, of: list, asking: request)
    if let other, let search = other.search { draft.search = (search.value, other.endpoint.address) }
    if isSearch(first, list) { draft.search = nil }
    return Draft(draft, of: list, over: own)
  }
}
