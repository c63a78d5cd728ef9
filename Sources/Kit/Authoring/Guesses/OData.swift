import AggregatorCore
import Recordings
import Services

/// The conventions of a service that answers as OData, by a member of its answer. In OData `$top` bounds the whole list, a header asks for
/// longer pages, and the total comes only when it is asked for.
struct OData {
  /// The header `Prefer: odata.maxpagesize=100`.
  static let pageSize = Parameter(.header, "Prefer")
  /// The text before the number of rows in that header.
  static let unit = "odata.maxpagesize="
  /// The number of rows in the whole list.
  static let top = Parameter(.query, "$top")

  /// The member for the address of the next page. An answer without it is the last page.
  let next: ValuePath
  /// The parameter that asks for the total, and its value.
  let total: (parameter: Parameter, value: Value)

  /// Nil if the answer is not one of OData.
  init?(_ answer: TapedPage) {
    func has(_ path: ValuePath) -> Bool { answer.document[path] != nil }
    let all = [ValuePath(["@odata.nextLink"]), ValuePath(["odata.nextLink"]), "d.__next"]
    let isNew = has(all[0]) || has(ValuePath(["@odata.context"]))
    guard let next = isNew ? all[0] : all.first(where: has) else { return nil }
    self.next = next
    total = isNew ? (Parameter(.query, "$count"), "true") : (Parameter(.query, "$inlinecount"), "allpages")
  }

  /// Returns the number of rows to which a request bounds the whole list; nil if it does not.
  func bound(of call: RecordedCall) -> Int? { call.number(Self.top) }
}

extension ListModel {
  /// The conventions of OData, if its pages are found by the addresses in its answers.
  var linkedOData: OData? {
    guard paging.way.value.kind == .link || paging.way.value.kind == .whole else { return nil }
    return recorded.pages.first.flatMap(OData.init)
  }
}
