import AggregatorCore
import Asking
import Presentation
import RecordFormats
import Synchronization
import Terminal

/// The written bytes, as text.
final class Page: Sink {
  private let bytes = Mutex<[UInt8]>([])

  func write(_ bytes: [UInt8]) throws { self.bytes.withLock { $0 += bytes } }

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
  var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
}

/// A record with one field of every kind that a table treats differently.
struct Thing: Fielded {
  var id = "1"
  var name: String? = nil
  var badge: String? = nil
  var about: String? = nil
  var url: String? = nil
  var place: Place? = nil
  var secret = "s"

  struct Place: Part {
    var city: String?
    var code: String?
    static let fields: [Field<Place>] = [Field("city", \.city), Field("code", \.code)]
    static let lineFormat: LineFormat? = "{city} ({code})"
  }

  static let fields = [
    Field<Thing>("name", .title) { $0.name },
    Field<Thing>("id", width: .hidden) { $0.id },
    Field<Thing>("badge", .badge, width: .whole) { $0.badge },
    Field<Thing>("about", .subtitle, width: .extra) { $0.about },
    Field<Thing>("url", .link) { $0.url },
    Field<Thing>("place", width: .hidden) { $0.place },
    Field<Thing>("secret", width: .hidden) { $0.secret }.inTextOnly,
  ]

  /// Texts that break a careless layout.
  static let hostile = [
    Thing(id: "a", name: "plain", badge: "B", about: "short", url: "https://example.com/a"),
    Thing(id: String(repeating: "id", count: 6), name: String(repeating: "long ", count: 80), badge: "BADGE"),
    Thing(id: "東京", name: "日本国にほんこくジャパン大阪京都名古屋", badge: "日本", about: "東京 🇯🇵"),
    Thing(id: "e\u{301}", name: "e\u{301}\u{302}\u{303}clair \u{301}", badge: "👨‍👩‍👧‍👦", about: "🕷️❤️‍🔥👍🏽"),
    Thing(id: "עברית", name: "שלום עולם, מה שלומך היום", badge: "العربية", about: "مُحَمَّد \u{202E}abc\u{202C}"),
    Thing(id: "t\tb", name: "a\tb\nc\r\nd", badge: "\u{1B}[31mred\u{1B}[0m", about: "\u{9B}2J\u{7}bell\u{1B}]8;;http://evil\u{7}x"),
    Thing(id: "", name: "", badge: "", about: "", url: ""),
    Thing(id: "z", name: nil, url: "https://example.com/\(String(repeating: "path/", count: 40))"),
  ]
}

extension Thing: SourceItem {
  static let schema = Schema<Thing>(fields) { row, _ in Thing(id: try row.string("id")) }
}

extension Format {
  /// The output for `things` in this format on a terminal of `width` columns, or for a program if that is nil.
  func text(
    of things: [Thing], width: Int?, style: Style = Style(isColored: false), fields: String? = nil, in enclosure: Enclosure = .array,
    id: FieldPath = "id"
  ) throws -> (lines: [String], text: String, shortage: String?) {
    let page = Page()
    let layout = Layout(isTerminal: width != nil, width: width ?? 80, style: style, hasHeader: true)
    var renderer = renderer(try Thing.columns(fields, id: id), for: layout, into: page, in: enclosure)
    try renderer.write(things)
    return (page.lines, page.text, renderer.shortage)
  }
}

extension Thing {
  static func columns(_ names: String? = nil, id: FieldPath = "id") throws -> Columns {
    Columns(try Selection(names, of: schema.outline, detail: true), of: schema.outline, id: id, at: Moment(nanoseconds: 0))
  }
}

extension Renderer {
  mutating func write(_ things: [Thing]) throws { try write(Thing.schema.shown(things)) }

  mutating func write(_ records: [ShownRecord]) throws {
    try begin(nil)
    try print(records)
    try end(nil)
  }
}

/// The line without sequences that a terminal obeys and does not show.
func shown(_ line: String) -> String { Printable.clean(line) }
