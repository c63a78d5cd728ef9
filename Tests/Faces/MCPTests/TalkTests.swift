import AggregatorCore
import Asking
import Platform
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import MCP

/// The talk over two descriptors: order, bad input, cancellation and the end.
@Suite("Talks over standard streams", .timeLimit(.minutes(30))) struct TalkTests {
  /// A talk with a server. What it writes is read on a thread of its own.
  private final class Talk: Sendable {
    private let input: CInt
    private let running: Task<Void, Never>
    let lines: AsyncStream<[UInt8]>

    private struct NoPipe: Error {}

    init(_ server: MCPServer) throws {
      guard let input = Pipe(), let output = Pipe() else { throw NoPipe() }
      self.input = input.writing
      running = Task {
        await server.run(reading: input.reading, writing: output.writing)
        close(output.writing)
      }
      let (lines, continuation) = AsyncStream<[UInt8]>.makeStream()
      self.lines = lines
      SystemThread.start {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while let count = part.withUnsafeMutableBytes({ Descriptor.read(output.reading, into: $0) }), count > 0 {
          bytes += part.prefix(count)
          while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(Array(bytes[..<end]))
            bytes.removeSubrange(...end)
          }
        }
        continuation.finish()
        close(output.reading)
      }
    }

    func send(_ line: [UInt8]) {
      _ = (line + [UInt8(ascii: "\n")]).withUnsafeBytes { Descriptor.write($0, to: input) }
    }

    func end() { close(input) }
    func finish() async { await running.value }
  }

  @Test("a thousand calls at once have a thousand answers, each to its own")
  func thousand() async throws {
    let client = try TestClient()
    let talk = try Talk(client.server)
    SystemThread.start {
      for number in 0..<1_000 {
        let arguments: Value = ["source": "ports", "id": .text("p\(number % 10)")]
        talk.send(client.message("tools/call", ["name": "show", "arguments": arguments], id: .int(number)))
      }
    }
    var seen: Set<Int> = []
    for await line in talk.lines {
      let answer = try JSON(line).value
      let id = try #require(answer["id"]?.int)
      #expect(seen.insert(id).inserted)
      #expect(answer["result"]?["structuredContent"]?["items"]?.list?.first?["id"] == .text("p\(id % 10)"))
      if seen.count == 1_000 { talk.end() }
    }
    #expect(seen.count == 1_000)
  }

  @Test("a message that is broken has an error, and the next one its answer")
  func broken() async throws {
    let client = try TestClient()
    let talk = try Talk(client.server)
    let lines: [(String, Int?)] = [
      ("{", -32_700), ("", nil), ("   \r", nil), ("\u{1}", -32_700), ("[]", -32_600), ("[1,2]", -32_600), ("1", -32_600),
      (#"{"id":1,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600), (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32_600),
      (#"{"jsonrpc":"2.0","id":7}"#, -32_600), (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#, -32_602),
      (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#, nil),
      (#"{"jsonrpc":"2.0","method":"nothing"}"#, nil), (#"{"jsonrpc":"2.0","id":"last","result":{}}"#, nil),
      (#"{"jsonrpc":"2.0","id":8,"method":"tools/list"}"#, -32_602),
      (String(repeating: "[", count: 100_000), -32_700),
    ]
    SystemThread.start {
      for (line, _) in lines { talk.send(Array(line.utf8)) }
      talk.send(client.message("nothing", id: "last"))
    }
    var codes: [Int] = []
    for await line in talk.lines {
      let answer = try JSON(line).value
      codes.append(try #require(answer["error"]?["code"]?.int))
      if answer["id"] == "last" { talk.end() }
    }
    #expect(codes.sorted() == (lines.compactMap(\.1) + [-32_601]).sorted())
  }

  @Test("a message that is too long has an error, and the next one its answer")
  func tooLong() async throws {
    let client = try TestClient()
    let talk = try Talk(client.server)
    SystemThread.start {
      talk.send([UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20))
      talk.send(client.message("nothing"))
      talk.end()
    }
    var codes: Set<Int?> = []
    for await line in talk.lines { codes.insert(try JSON(line).value["error"]?["code"]?.int) }
    #expect(codes == [-32_600, -32_601])
  }

  @Test("a request that is cancelled in mid-walk has no answer, and its work ends")
  func cancels() async throws {
    let client = try TestClient()
    let held = client.services.hold("ports", after: 1)
    let talk = try Talk(client.server)
    talk.send(client.message("tools/call", ["name": "list", "arguments": ["source": "ports", "limit": 9, "live": true]], id: "a"))
    try await held.gate.arrivals(atLeast: 1)
    // One id at a time.
    talk.send(client.message("tools/list", id: "a"))
    talk.send(client.message("notifications/cancelled", ["requestId": "a"], id: nil))
    await held.cancellations.reach(1)
    client.services.mend("ports")
    talk.send(client.message("tools/call", ["name": "list", "arguments": ["source": "ports", "live": true]], id: "b"))
    var answers: [Value] = []
    for await line in talk.lines {
      answers.append(try JSON(line).value)
      if answers.last?["id"] == "b" { talk.end() }
    }
    #expect(answers.map { $0["error"]?["code"]?.int } == [-32_600, nil])
    #expect(answers.last?["result"]?["structuredContent"]?["rows"] == 10)
  }

  @Test("the end of the input ends the talk, although a service is silent")
  func ends() async throws {
    let client = try TestClient()
    let held = client.services.hold("ports")
    let talk = try Talk(client.server)
    talk.send(client.message("tools/call", ["name": "list", "arguments": ["source": "ports", "live": true]]))
    try await held.gate.arrivals(atLeast: 1)
    talk.end()
    await held.cancellations.reach(1)
    await talk.finish()
    var count = 0
    for await _ in talk.lines { count += 1 }
    #expect(count == 0)
  }

  @Test("what was asked before the end of the input is answered", arguments: [true, false])
  func answersAll(isModern: Bool) async throws {
    var client = try TestClient()
    client.isModern = isModern
    let talk = try Talk(client.server)
    if !isModern { talk.send(client.message("initialize", ["protocolVersion": "2024-11-05"], id: 0)) }
    for number in 1...20 { talk.send(client.message("tools/list", id: .int(number))) }
    talk.end()
    var seen: Set<Int> = []
    for await line in talk.lines { if let id = try JSON(line).value["id"]?.int { seen.insert(id) } }
    #expect(seen == Set((isModern ? 1 : 0)...20))
  }
}
