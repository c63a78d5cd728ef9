import AggregatorCore
import Terminal

/// Where JSON is written: compact for a program, in lines and coloured for a person.
struct JSONOutput {
  var writer = JSONWriter()
  private var layout: JSONLayout?
  private let sink: any Sink

  init(for layout: Layout, into sink: any Sink, inLines isIndented: Bool = true) {
    self.sink = sink
    let isIndented = isIndented && layout.isTerminal
    // Nobody but a person wants it otherwise than it comes.
    guard layout.isTerminal || layout.style.isColored else { return }
    self.layout = JSONLayout(isIndented: isIndented, isForTerminal: layout.isTerminal, style: layout.style)
  }

  /// Hands over what was written.
  mutating func send() throws {
    let bytes = writer.take()
    try sink.write(layout?.laidOut(bytes) ?? bytes)
  }
}

/// A JSON array, or one object alone.
struct ArrayRenderer<Item>: Renderer {
  private let columns: Columns<Item>
  private let isAlone: Bool
  private var output: JSONOutput

  init(_ columns: Columns<Item>, isAlone: Bool, _ output: JSONOutput) {
    self.columns = columns
    self.isAlone = isAlone
    self.output = output
  }

  mutating func begin(_ origin: Origin?) throws { if !isAlone { output.writer.beginArray() } }

  mutating func print(_ items: [Item]) throws {
    for item in items { output.writer.write(columns.value(of: item)) }
  }

  mutating func end(_ summary: Summary?) throws {
    if !isAlone { output.writer.endArray() }
    output.writer.endLine()
    try output.send()
  }
}

/// One JSON object a line, and nothing else.
struct NDJSONRenderer<Item>: Renderer {
  private let columns: Columns<Item>
  private var output: JSONOutput

  init(_ columns: Columns<Item>, _ output: JSONOutput) {
    self.columns = columns
    self.output = output
  }

  mutating func print(_ items: [Item]) throws {
    for item in items {
      output.writer.write(columns.value(of: item))
      output.writer.endLine()
      try output.send()
    }
  }
}
