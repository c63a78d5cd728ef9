import AggregatorCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Sixteen times the document takes about sixteen times as long; if the time were quadratic, 256 times.
///
/// It is the thread's own processor time that counts, and of several tries the shortest, so a busy machine changes nothing.
@Suite(.serialized) struct JSONLinearTimeTests {
  @Test(
    "reading takes linear time",
    arguments: [
      Shape("elements", "[0", ",0", "]"), Shape("rows", "[{}", ",{}", "]"), Shape("open brackets", "", "[", ""),
      Shape("one name", #"{"a":0"#, #","a":0"#, "}"), Shape("escapes", "\"", #"\n"#, "\""), Shape("half pairs", "\"", #"\ud800"#, "\""),
      Shape("wide characters", "\"", "é", "\""), Shape("one number", "1", "1", ""), Shape("lines", "[", "\n", "1]"),
      Shape("open strings", "[\"\"", ",\"\"", ",\""), Shape("an escaped name each", #"{"\n":0"#, #","\n":0"#, "}"),
    ])
  func reading(shape: Shape) {
    expectLinear(shape) { bytes in
      guard let json = try? JSON(bytes) else { return }
      _ = (json.value, json["a"], json.digest(), try? json.asString())
    }
  }

  @Test(
    "telling what is wrong with every row takes linear time",
    arguments: [Shape("rows", "[{}", ",{}", "]"), Shape("nulls", "[0", ",0", "]")])
  func complaining(shape: Shape) {
    expectLinear(shape) { bytes in
      guard let json = try? JSON(bytes) else { return }
      for row in json.elements { _ = try? row.string("name") }
    }
  }

  @Test("names that differ are copied in linear time")
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
    let small = processorTime(of: 4_096, shape, work)
    let large = processorTime(of: 16 * 4_096, shape, work)
    #expect(large < max(small, .microseconds(20)) * 64, "\(small) for 4 kB, \(large) for 64 kB")
  }

  private func processorTime(of size: Int, _ shape: Shape, _ work: ([UInt8]) -> Void) -> Duration {
    let document = shape.repeated.isEmpty ? [UInt8](repeating: 0, count: size) : shape.document(of: size)
    return (0..<3).map { _ in
      let start = threadTime()
      work(document)
      return threadTime() - start
    }.min() ?? .zero
  }

  private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
