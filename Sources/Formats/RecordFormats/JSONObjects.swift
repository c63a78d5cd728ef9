package import AggregatorCore

/// Writes JSON objects of any shape as they come: in one array, or each on a line of its own.
package struct JSONObjects {
  private let isInLines: Bool
  private var output: JSONOutput

  package init(inLines isInLines: Bool, into sink: any Sink) {
    (self.isInLines, output) = (isInLines, JSONOutput(into: sink))
    if !isInLines { output.writer.beginArray() }
  }

  package mutating func write(_ object: Value) throws {
    output.writer.write(object)
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
