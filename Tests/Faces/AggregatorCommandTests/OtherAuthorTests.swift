import AggregatorCore
import Platform
import SourceTesting
import Testing

/// A command of another author, whose whole program is OtherAuthor/HarbourProgram.swift. `Scripts/test-scaffold` builds it in a package of its own, and
/// runs these tests.
struct OtherAuthorTests {
  private static let harbour = Tool.variable("AGGREGATOR_OTHER_AUTHOR")

  /// Every advice names the other author's command, wherever in the library it is written.
  private static let advice = [
    (["ports", "list", "--config", "/nowhere/keys.xcconfig"], "type 'harbour config set KEY' to create it"),
    (["source", "verify", "ports", "--fixtures", "/nowhere"], "type 'harbour ports list --record /nowhere' to record one"),
    (["help", "import"], "| harbour import ports -"),
    (["ports", "list"], "type 'harbour config' to check PORTS_URL"),
    (["ports", "lst"], "type 'harbour help ports' for more"),
  ]

  private static let ports = ["Antwerp", "Busan", "Colón", "Durban", "Esbjerg"]

  @Test(
    "a command of another author has lists, search, formats, settings, help and exit codes without code of its own",
    .enabled(if: harbour != nil, "Scripts/test-scaffold builds the other author's command"))
  func otherAuthor() throws {
    let harbour = try #require(Self.harbour)
    let service = try Service { connection in
      while let request = connection.request() {
        let offset = request.line.firstMatch(of: /offset=(\d+)/).flatMap { Int($0.1) } ?? 0
        let items = Self.ports.enumerated().dropFirst(offset).prefix(2).map { #"{"id":"p\#($0.offset)","name":"\#($0.element)"}"# }
        connection.answer(#"{"items":[\#(items.joined(separator: ","))],"total":\#(Self.ports.count)}"#)
      }
    }
    func run(_ arguments: String...) throws -> Binary.Outcome {
      try Binary.run(
        [harbour] + arguments.words, input: "", environment: ["PORTS_URL": service.environment["COUNTRIES_URL"] ?? ""], in: "/")
    }
    #expect(try run("ports list").output == "p0\tAntwerp\np1\tBusan\np2\tColón\np3\tDurban\np4\tEsbjerg\n")
    #expect(try run("ports search COLON --fields name").output == "Colón\n")
    #expect(try run("ports show p3").output == "ID: p3\nName: Durban\n")
    #expect(try run("ports list --limit 1 --format csv").output == "id,name\np0,Antwerp\n")
    #expect(try run("ports list --format json").output.hasSuffix(#""verdict":{"kind":"complete","reason":null}}"# + "\n"))
    #expect(
      try run("ports list --format cards --limit 1").output == "Antwerp" + String(repeating: " ", count: 71) + "p0\n")
    #expect(try run("config --fields key,origin").output.hasPrefix("PORTS_URL\tenvironment\n"))
    #expect(try run("--help").output.contains("ports  "))
    #expect(try run("ports show p9").code == 66)
    try expect(run("prots list"), 64, errors: .begins("harbour: unknown source or command \"prots\"\ndid you mean \"ports\"?\n"))
    for (line, advice) in Self.advice {
      let outcome = try Binary.run([harbour] + line, input: "", environment: ["PORTS_URL": "http://127.0.0.1:1/"], in: "/")
      #expect((outcome.output + outcome.errors).contains(advice), "\(line): \(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains("aggregator "))
    }
    let unset = try Binary.run([harbour, "ports", "list"], input: "", environment: [:], in: "/")
    #expect(unset.code == 78)
    #expect(unset.errors == "harbour: ports: PORTS_URL is not set; set PORTS_URL to an address such as https://example.com/\n")
  }
}
