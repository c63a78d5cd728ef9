/// Of several records that answer to one name, the one that is meant.
package enum Namesakes {
  /// The record whose id the name is, else the best known. A person hears that there are others.
  package static func choose<Item>(among items: [Item], called name: String, by schema: Schema<Item>, of source: String) -> Item? {
    let identity = schema.identity(name)
    guard let first = items.first else { return nil }
    if items.count == 1 { return first }
    if let own = items.first(where: { $0.id == identity }) { return own }
    let best = Matcher(name, in: schema).ranked(items).first ?? first
    tell(items.count, called: name, shown: best.id, of: source)
    return best
  }

  /// Says that a name is that of several.
  package static func tell(_ count: Int, called name: String, shown id: String, of source: String) {
    Event.emit(.noticed(source: source, "\(count) are called \"\(name)\"; showing the best known, \(id)"))
  }
}
