import AggregatorCore
import Asking
import Feed
import Terminal

/// A command that is typed after `:`: its name, the value that follows it if it takes one, and what it does.
struct BrowserCommand {
  let name: String
  let value: String?
  let does: String

  private init(_ name: String, _ value: String? = nil, _ does: String) {
    (self.name, self.value, self.does) = (name, value, does)
  }

  /// The commands, as the completion and the help read them. The first three take what the options of `list` take.
  static let all = [
    BrowserCommand("where", "FIELD=VALUE", "only records that meet the condition; alone, no condition"),
    BrowserCommand("sort", "FIELD,-FIELD", "another order; alone, the list's own"),
    BrowserCommand("fields", "FIELD,FIELD", "the columns of the table; alone, the usual ones"),
    BrowserCommand("search", "TEXT", "search this source"),
    BrowserCommand("find", "TEXT", "search every source"),
    BrowserCommand("source", "NAME", "another source"),
    BrowserCommand("status", nil, "the state of every stored list"),
    BrowserCommand("changes", nil, "what syncs found new, changed or gone"),
    BrowserCommand("sync", "NAME", "store every record of a source; alone, of this one"),
    BrowserCommand("export", "FILE", "write the marked records, else the list; .csv, .json and others"),
    BrowserCommand("refresh", nil, "ask the service anew"), BrowserCommand("help", nil, "the keys"),
    BrowserCommand("quit", nil, "leave the browser"),
  ]

  /// Returns the name with which a line begins, written in full; the word itself if no command has that name.
  static func word(of line: String) -> String {
    let word = String(line.drop { $0 == " " || $0 == "-" || $0 == ":" }.prefix { $0 != " " })
    return ["q": "quit", "q!": "quit", "order": "sort", "filter": "where", "columns": "fields", "h": "help"][word] ?? word
  }
}

extension Browser {
  /// Runs a line: a command, the name of a source, or a condition.
  mutating func run(_ line: String) -> [BrowserAction] {
    let line = line.trimmingSpaces
    guard !line.isEmpty else { return [] }
    let word = BrowserCommand.word(of: line)
    let value = String(line.drop { $0 != " " }).trimmingSpaces
    if let command = BrowserCommand.all.first(where: { $0.name == word }), command.value == nil, !value.isEmpty {
      return tell("\(word) takes no value")
    }
    switch word {
    case "where": return filter(by: value)
    case "sort": return sort(by: value)
    case "fields": return chooseColumns(value)
    case "search": return searchNow(value)
    case "find": return find(value)
    case "source": return showSource(named: value)
    case "status": return perform(.status)
    case "changes": return perform(.changes)
    case "sync": return sync(value)
    case "export": return export(to: value)
    case "refresh": return perform(.refresh)
    case "help": return mode == .help ? [] : perform(.help)
    case "quit": return [.quit(isInterrupted: false)]
    default: break
    }
    if tabs.contains(where: { $0.source.name == line }) { return showSource(named: line) }
    if let condition = try? RecordCondition(line, on: tab.leaves, at: look.now()) { return filter(by: condition.description) }
    let names = BrowserCommand.all.map(\.name)
    return tell(Unknown("command", word, among: names + tabs.map(\.source.name)))
  }

  private mutating func tell(_ unknown: Unknown) -> [BrowserAction] {
    tell("\(unknown)" + (unknown.nearest.map { "; did you mean \($0)?" } ?? "; Tab completes, ? lists the commands"))
  }

  private mutating func searchNow(_ text: String) -> [BrowserAction] {
    guard tab.source.searches != nil else { return tell("\(tab.source.name) cannot be searched") }
    return search(text) + [.feed(tab: current, .submit)]
  }

  /// Stores every record of the source called `name`, which is shown then; of the present one without a name.
  private mutating func sync(_ name: String) -> [BrowserAction] {
    guard !name.isEmpty else { return perform(.sync) }
    guard let index = tabs.firstIndex(where: { $0.source.name == name && $0.source.view == nil }) else {
      return tell(Unknown("source", name, among: tabs.filter { $0.source.view == nil }.map(\.source.name)))
    }
    return perform(.tab(index)) + perform(.sync)
  }

  private mutating func showSource(named name: String) -> [BrowserAction] {
    if let index = tabs.firstIndex(where: { $0.source.name == name }) { return perform(.tab(index)) }
    if name.isEmpty { return perform(.sources) }
    return tell(Unknown("source", name, among: tabs.map(\.source.name)))
  }

  private mutating func chooseColumns(_ text: String) -> [BrowserAction] {
    (tab.table.wish, tab.table.column) = (TableWish(), nil)
    guard !text.isEmpty else { return [] }
    var fields: [FieldPath] = []
    for name in text.split(separator: ",").map({ String($0).trimmingSpaces }) {
      let found = tab.leaves.filter { $0.path.text == name || name == "all" || $0.path.text.hasPrefix(name + ".") }
      guard !found.isEmpty else { return tell(Unknown("field", name, among: tab.leaves.map(\.path.text))) }
      fields += found.map(\.path).filter { !fields.contains($0) }
    }
    tab.table.wish.fields = fields
    return layout.isTable ? [] : tellNoColumns()
  }
}
