import AggregatorCore

/// A JSON array, and nothing else.
struct ArrayRenderer<Item>: Renderer {
  let columns: Columns<Item>
  let sink: any Sink
  private var writer = JSONWriter()

  init(_ columns: Columns<Item>, _ sink: any Sink) {
    self.columns = columns
    self.sink = sink
  }

  mutating func begin(_ origin: Origin?) throws { writer.beginArray() }

  mutating func print(_ items: [Item]) throws {
    for item in items { writer.write(columns.value(of: item)) }
  }

  mutating func end(_ summary: Summary?) throws {
    writer.endArray()
    writer.endLine()
    try sink.write(writer.take())
  }
}
