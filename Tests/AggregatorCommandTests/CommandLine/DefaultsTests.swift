import Testing

@Suite("Defaults as settings") struct DefaultsTests {
  private func run(_ line: String, _ environment: [String: String] = [:], input: String = "", in folder: String = "/") async throws
    -> Binary.Outcome
  {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), input: input,
      environment: ["COUNTRIES_URL": "http://127.0.0.1:1/"] + environment, in: folder)
  }

  @Test("the age up to which a cached answer is used, unless the line insists on the service")
  func age() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    let environment = service.environment + ["AGGREGATOR_MAX_AGE": "1h", "XDG_DATA_HOME": try Folder.fresh()]
    func list(_ line: String = "") async throws { #expect(try await run("countries list \(line)", environment).code == 0) }
    try await list()
    try await list()
    #expect(service.targets.count == 1)
    try await list("--live")
    try await list("--refresh")
    try await list("--max-age 1ms")
    #expect(service.targets.count == 4)
  }
}
