import AggregatorCore
import Asking

/// Changes as an Atom feed (RFC 4287): an entry for each record and the moment at which a sync saw it changed.
struct AtomFeed {
  private(set) var bytes: [UInt8] = []

  init(of changes: [FoundChange], called title: String, saying notices: [String] = [], at request: Request, _ now: Moment) {
    // A reader resolves what has no scheme by the address that it asked, also behind a proxy.
    let address = request.target
    write("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n")
    element("title", title)
    if !notices.isEmpty { element("subtitle", notices.joined(separator: "; ")) }
    element("id", "urn:aggregator:\(PercentEncoding.query(title))")
    write("<link rel=\"self\" href=\"\(Self.escaped(address))\"/>\n")
    element("updated", (changes.first?.at ?? now).iso)
    write("<author><name>aggregator</name></author>\n")
    for entry in Self.entries(of: changes) { write(entry) }
    write("</feed>\n")
  }

  /// The changes of one record at one moment, in the order in which they came.
  private static func entries(of changes: [FoundChange]) -> [[FoundChange]] {
    var (entries, places): ([[FoundChange]], [String: Int]) = ([], [:])
    for change in changes {
      let key = "\(change.at.iso) \(change.source) \(change.id)"
      if let place = places[key] {
        entries[place].append(change)
      } else {
        places[key] = entries.count
        entries.append([change])
      }
    }
    return entries
  }

  private mutating func write(_ changes: [FoundChange]) {
    let change = changes[0]
    let record = "/api/\(change.source)/records/\(PercentEncoding.query(change.id))"
    write("<entry>\n")
    element("title", "\(change.title ?? change.id): \(change.kind.rawValue) (\(change.source))")
    element("id", "urn:aggregator:\(change.source):\(PercentEncoding.query(change.id)):\(change.at.iso)")
    element("updated", change.at.iso)
    write("<link href=\"\(Self.escaped(record))\"/>\n")
    let lines = changes.compactMap { change in
      change.difference.map { "\($0.leaf.path.text): \(Self.shown($0.one)) → \(Self.shown($0.other))" }
    }
    element("content", lines.isEmpty ? change.kind.rawValue : lines.joined(separator: "\n"))
    write("</entry>\n")
  }

  private static func shown(_ value: Value) -> String { value.isNull ? "nothing" : value.plainText }

  private mutating func element(_ name: String, _ text: String) { write("<\(name)>\(Self.escaped(text))</\(name)>\n") }
  private mutating func write(_ markup: String) { bytes += markup.utf8 }

  /// A text without what XML cannot hold.
  private static func escaped(_ text: String) -> String {
    Printable.clean(text, lines: .kept).replacingEach("&", with: "&amp;").replacingEach("<", with: "&lt;")
      .replacingEach(">", with: "&gt;").replacingEach("\"", with: "&quot;")
  }
}
