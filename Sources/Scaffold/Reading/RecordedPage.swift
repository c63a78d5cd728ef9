import AggregatorCore
import SourceTesting

/// A recorded answer with rows in it.
struct RecordedPage: Sendable, Hashable {
  let exchange: Exchange
  let call: RecordedCall
  let document: Value
  let rows: [Value]

  /// Nil unless the exchange is a successful one with `list`.
  init?(_ exchange: Exchange, of list: ListModel) {
    let call = RecordedCall(exchange.request)
    guard exchange.failure == nil, (200..<300).contains(exchange.response.status), exchange.request.method == list.endpoint.method,
      call.address == list.endpoint.address, let document = try? JSON(exchange.response.body).value,
      let rows = document[list.items.value]?.list
    else { return nil }
    self.exchange = exchange
    self.call = call
    self.document = document
    self.rows = rows
  }

  /// The number of all rows, as this page has it.
  func total(_ model: TotalModel) -> Int? {
    switch model {
    case .body(let path):
      switch document[path] {
      case .int(let int): int
      case .text(let text): Int(text)
      default: nil
      }
    case .header(let name): exchange.response[header: name].flatMap { Int($0) }
    }
  }

  /// Whether it says that there is more; nil where it says nothing.
  func more(_ model: MoreModel) -> Bool? {
    if case .bool(let word) = document[model.path] { word != model.isContrary } else { nil }
  }

  /// What leads on from it, as it stands there; nil at the end.
  func next(_ paging: PagingModel) -> String? {
    let next =
      switch paging {
      case .whole, .offset, .number: String?.none
      case .nextAddress(let path), .token(let path, _): document[path]?.word
      case .keyset(let path, _): rows.last?[path]?.word
      case .link: exchange.response.link("next")
      }
    return next?.isEmpty == true ? nil : next
  }
}
