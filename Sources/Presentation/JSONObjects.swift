package import AggregatorCore

/// Writes JSON objects of any shape as they come: in one array, or each on a line of its own.
package struct JSONObjects {
  private let isInLines: Bool
  private var output: JSONOutput

  package init(inLines isInLines: Bool, for layout: Layout, into sink: any Sink) {
    self.isInLines = isInLines
    output = JSONOutput(for: layout, into: sink, inLines: !isInLines)
    if !isInLines { output.writer.beginArray() }
  }

  /// Writes all fields of the item as one object.
  package mutating func write<Item>(_ item: Item, of fields: [Field<Item>], at moment: Moment) throws {
    output.writer.write(.object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) }))
    if isInLines { output.writer.endLine() }
    try output.send()
  }

  package mutating func end() throws {
    if isInLines { return }
    output.writer.endArray()
    output.writer.endLine()
    try output.send()
  }
}
