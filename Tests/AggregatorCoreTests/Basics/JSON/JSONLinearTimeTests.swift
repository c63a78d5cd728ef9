import AggregatorCore
import ProcessorTime
import Testing

/// Sixteen times the document takes about sixteen times as long; if the time were quadratic, 256 times.
@Suite(.serialized) struct JSONLinearTimeTests {
  @Test(
    "reading JSON takes linear time",
    arguments: [
      Shape("elements", "[0", ",0", "]"), Shape("rows", "[{}", ",{}", "]"), Shape("open brackets", "", "[", ""),
      Shape("one name", #"{"a":0"#, #","a":0"#, "}"), Shape("escapes", "\"", #"\n"#, "\""), Shape("half pairs", "\"", #"\ud800"#, "\""),
      Shape("wide characters", "\"", "é", "\""), Shape("one number", "1", "1", ""), Shape("lines", "[", "\n", "1]"),
      Shape("open strings", "[\"\"", ",\"\"", ",\""), Shape("an escaped name each", #"{"\n":0"#, #","\n":0"#, "}"),
    ])
  func reading(shape: Shape) {
    expectLinear(shape) { bytes in
      guard let json = try? JSON(bytes) else { return }
      _ = (json.value, json["a"], json.raw.count, try? json.asString())
    }
  }

  @Test(
    "describing an error in every row of JSON takes linear time",
    arguments: [Shape("rows", "[{}", ",{}", "]"), Shape("nulls", "[0", ",0", "]")])
  func complaining(shape: Shape) {
    expectLinear(shape) { bytes in
      guard let json = try? JSON(bytes) else { return }
      for row in json.elements { _ = try? row.string("name") }
    }
  }

  @Test("names in JSON that differ are copied in linear time")
  func names() {
    expectLinear(Shape("names", "", "", "")) { bytes in
      let members = (0..<bytes.count / 16).map { #""n\#($0)":0"# }.joined(separator: ",")
      _ = try? JSON("{" + members + "}").value
    }
  }

  struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let head, repeated, tail: String

    init(_ name: String, _ head: String, _ repeated: String, _ tail: String) {
      testDescription = name
      (self.head, self.repeated, self.tail) = (head, repeated, tail)
    }

    func document(of size: Int) -> [UInt8] {
      let count = size / max(1, repeated.utf8.count)
      return Array((head + String(repeating: repeated, count: repeated.isEmpty ? 0 : count) + tail).utf8)
    }
  }

  private func expectLinear(_ shape: Shape, work: ([UInt8]) -> Void) {
    let (small, large) = (document(shape, of: 4_096), document(shape, of: 16 * 4_096))
    LinearTime.expect("64 kB for 4 kB of \(shape.testDescription)", factor: 16, small: { work(small) }, large: { work(large) })
  }

  private func document(_ shape: Shape, of size: Int) -> [UInt8] {
    shape.repeated.isEmpty ? [UInt8](repeating: 0, count: size) : shape.document(of: size)
  }
}
