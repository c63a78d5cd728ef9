/// The rules that decide which rows a source reads and how, as text that differs for different rules. So rows that were stored by one
/// reading are never taken for another's. Titles, roles and widths do not count.
///
/// Core adds the fields of the records and the paging of the list. A source that is all code has nothing to say here, until a new version
/// of it reads the same answers differently.
public struct ReadingRules: Sendable, Hashable {
  /// The request for the list, apart from the service's address.
  public var request: String
  /// The rules for reading the list's rows.
  public var list: String
  /// The part of ``list`` that decides which rows the list has; empty if that is not told apart.
  package var rows = ""
  /// The other rules in ``list``, by the names of the fields that they are about.
  package var fields: [String: FieldRule] = [:]
  /// The rules for reading the results of a search by the service.
  public var search: String
  /// The rules for reading one record with all its fields.
  public var detail: String

  /// The rules of a source. Empty texts stand for what the source's code decides.
  public init(request: String = "", list: String = "", search: String = "", detail: String = "") {
    (self.request, self.list, self.search, self.detail) = (request, list, search, detail)
  }

  /// Returns the digest of the rules by which an answer to `query` is read; for nil, those of the list.
  func digest<Item>(_ live: any DataSource<Item>, for query: Query? = nil) -> String {
    var print = Fingerprint()
    for text in [request, list] + live.rules { print.combine(text) }
    let own =
      switch query {
      case .matching: search
      case .record: detail
      case .everything, .changed, .following, .latest, nil: ""
      }
    // A query without rules of its own is read like the list.
    if !own.isEmpty { print.combine(own) }
    return String(print.value, radix: 16)
  }

  /// Returns the digest of the rules that decide which rows the list has, and the rules of its fields. Nothing if they are not told apart, as
  /// those of typed records, which cannot hold a value of another type.
  func parts<Item: SourceItem>(_ live: any DataSource<Item>) -> (rows: String?, fields: [String: FieldRule]) {
    guard !rows.isEmpty, Item.self == LooseRecord.self, live.profile.paging.end != .never else { return (nil, [:]) }
    var print = Fingerprint()
    for text in [request, rows, live.profile.paging.way, live.schema.idPath.text] { print.combine(text) }
    return (String(print.value, radix: 16), fields)
  }
}

extension DataSource {
  /// The paging and the fields of the records. Empty for an endless list: what was read of it cannot be read again, so a version that knows
  /// more fields leaves it as it is.
  fileprivate var rules: [String] {
    guard profile.paging.end != .never else { return [] }
    let fields = schema.fields.sorted { $0.name < $1.name }.map { field in
      let leaves = field.outline.leaves.map { "\($0.path.text):\($0.kind)\($0.mayBeList ? "*" : "")" }
      return "\(field.name)=\(leaves.joined(separator: ",")) from \(field.reader?.rowPath?.text ?? "")"
    }
    return [profile.paging.way, schema.idPath.text] + fields
  }
}

extension Paging {
  /// ``text`` without the page size, which does not change the rows.
  fileprivate var way: String {
    text.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
  }
}
