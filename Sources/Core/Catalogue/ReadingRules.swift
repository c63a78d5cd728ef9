/// All that decides which rows a source reads and how, as text that no other rules have: what was stored by one reading is never taken for
/// another's. Titles, roles and widths decide nothing of it.
///
/// Core adds the fields of the records and the paging of the list. A source whose code alone decides has nothing to say here, until a new
/// version of it reads the same answers otherwise.
public struct ReadingRules: Sendable, Hashable {
  /// What is asked of the service's address for the list.
  public var request: String
  /// How its rows are read.
  public var list: String
  /// The same of a search by the service.
  public var search: String
  /// The same of one record in full.
  public var detail: String

  /// The rules of a source; the code says what is not said here.
  public init(request: String = "", list: String = "", search: String = "", detail: String = "") {
    (self.request, self.list, self.search, self.detail) = (request, list, search, detail)
  }

  /// The digest of the rules by which an answer to `query` is read; by that of the list, where nil.
  func digest<Item>(_ live: any DataSource<Item>, for query: Query? = nil) -> String {
    var print = Fingerprint()
    for text in [request, list] + live.rules { print.combine(text) }
    let own =
      switch query {
      case .matching: search
      case .record: detail
      case .everything, .changed, .latest, nil: ""
      }
    // What has no rules of its own is read as the list is.
    if !own.isEmpty { print.combine(own) }
    return String(print.value, radix: 16)
  }
}

extension DataSource {
  /// How pages follow each other, and what its records are made of. What was read of a list without an end cannot be read again, and so is
  /// left as it is by a version that knows more fields.
  fileprivate var rules: [String] {
    guard profile.paging.end != .never else { return [] }
    let fields = schema.fields.sorted { $0.name < $1.name }.map { field in
      let leaves = field.outline.leaves.map { "\($0.path.text):\($0.kind)\($0.mayBeList ? "*" : "")" }
      return "\(field.name)=\(leaves.joined(separator: ",")) from \(field.reader?.place?.text ?? "")"
    }
    return [profile.paging.way, schema.idPath.text] + fields
  }
}

extension Paging {
  /// ``text`` without the size of a page, which decides nothing.
  fileprivate var way: String {
    text.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
  }
}
