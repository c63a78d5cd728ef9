import AggregatorCore
import Platform
import SourceTesting
import Testing

/// Another author's package, with a source and a command of its own, and this checkout as its only dependency.
struct StrangerTests {
  /// Everything that the other author writes.
  static let program = """
    import AggregatorCommand
    import AggregatorCore

    @main struct Harbour {
      static func main() async { await AggregatorCommand.run(sources: [.ports], name: "harbour") }
    }

    extension SourceDescriptor {
      static let ports = Source("ports", "Ports of the world", settings: [.portsURL], searches: "name") {
        Ports(service: try $0.client(.portsURL))
      }.descriptor
    }

    extension Setting {
      static let portsURL = Setting("PORTS_URL", .address, "where the ports are")
    }

    struct Ports: DataSource {
      let profile = Profile("ports", paging: .offset(size: 2, end: .total))
      let service: Client

      func page(_ request: PageRequest) async throws -> Page<Port> {
        let place = try request.place(in: self)
        let body = try await service.json("ports", ["offset": "\\(place.number)", "limit": "\\(place.size)"])
        return try Page(of: self, rows: body.array("items"), total: body.intIfPresent("total"))
      }
    }

    struct Port: Record {
      var id = ""
      var name = ""

      static let fields: [Field<Port>] = [
        Field("id", \\.id, .badge, width: .whole),
        Field("name", \\.name, .title, searchable: true),
      ]
    }
    """

  static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let checkout = Context.environment["CHECKOUT"] ?? ""
    let aggregator = checkout.split(separator: "/").last.map(String.init) ?? ""

    let package = Package(
      name: "harbour", platforms: [.macOS(.v15)], dependencies: [.package(path: checkout)],
      targets: [
        .executableTarget(
          name: "harbour",
          dependencies: [
            .product(name: "AggregatorCommand", package: aggregator), .product(name: "AggregatorCore", package: aggregator),
          ])
      ])
    """

  /// Every advice names the other author's command, wherever in the library it is written.
  private static let advice = [
    (["ports", "list", "--config", "/nowhere/keys.xcconfig"], "type 'harbour config set KEY' to create it"),
    (["source", "verify", "ports", "--fixtures", "/nowhere"], "type 'harbour ports list --record /nowhere' to record one"),
    (["help", "import"], "| harbour import ports -"),
    (["ports", "list"], "type 'harbour config' to check PORTS_URL"),
    (["ports"], "type 'harbour help ports' for more"),
  ]

  private static let ports = ["Antwerp", "Busan", "Colón", "Durban", "Esbjerg"]

  @Test(
    "gets lists, search, formats, settings, help and exit codes without code of its own",
    .enabled(if: Tool.checkout != nil, "the checkout is not beside the tests"), .timeLimit(.minutes(60)))
  func stranger() async throws {
    let harbour = try await Self.build()
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

  /// Builds the package on a thread of its own, because it takes minutes for which no other test should wait.
  private static func build() async throws -> String {
    try await withCheckedThrowingContinuation { built in
      let isStarted = SystemThread.start { built.resume(with: Result { try build(Binary.products) }) }
      if !isStarted { built.resume(throwing: Spawned.Failed(reason: "no thread is to be had")) }
    }
  }

  /// Builds in a folder beside these tests, which is kept, since only the first build takes long.
  private static func build(_ products: String) throws -> String {
    let folder = try Folder.fresh()
    let checkout = try #require(Tool.checkout)
    try Folder.write(manifest, to: "\(folder)/Package.swift")
    _ = try Binary.shell("mkdir -p Sources/harbour", in: folder)
    try Folder.write(program, to: "\(folder)/Sources/harbour/Harbour.swift")
    let swift = try #require(Tool.path("swift"))
    let built = try Binary.shell(
      "mkdir -p \"$S\" && rm -rf \"$S/package\" && mv \"$PWD\" \"$S/package\" && cd \"$S/package\" && exec \"$SWIFT\" build --scratch-path \"$S/build\" 1>&2",
      environment: [
        "CHECKOUT": checkout, "S": "\(products)/stranger", "SWIFT": swift, "HOME": Tool.variable("HOME") ?? folder,
        "PATH": Tool.variable("PATH") ?? "",
      ], in: folder)
    #expect(built.code == 0, "\(built.errors)")
    return "\(products)/stranger/build/debug/harbour"
  }
}
