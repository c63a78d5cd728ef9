import Testing

/// Key files: which are read, which are refused, and what `config set` writes.
struct ConfigTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  @Test("the settings of a program name the addresses of services in the environment, and no key")
  func programSettings() async throws {
    let environment = [
      "PRODUCTS_BASE_URL": "http://127.0.0.1:9/shop", "COUNTRIES_URL": "http://ada:secret@127.0.0.1:9/", "COMIC_VINE_API_KEY": "5ecret",
    ]
    for client in ["claude", "codex"] {
      let printed = try await expect(InProcess.run("mcp --print-config \(client)", environment: environment), 0).output
      #expect(printed.contains("PRODUCTS_BASE_URL") && printed.contains("http://127.0.0.1:9/shop"), "\(printed)")
      #expect(!printed.contains("secret") && !printed.contains("5ecret"), "\(printed)")
    }
  }

  @Test("the key files are that of the flag, the variable, the working folder and the person, in this order")
  func order() async throws {
    for (name, value) in [
      ("flag", "1"), ("variable", "2"), ("Configuration/Debug", "3"), ("Configuration/Other", "4"), (".config/aggregator/aggregator", "5"),
    ] {
      _ = try Binary.shell("mkdir -p \"$(dirname \"$F\")\"", environment: ["F": "\(folder)/\(name)"])
      try Folder.write("COUNTRIES_URL = http:/$()/\(value).example/\n", to: "\(folder)/\(name).xcconfig")
    }
    func value(_ environment: [String: String] = [:], in place: String = folder, _ arguments: String...) async throws -> String {
      let outcome = try await InProcess.run(
        ["config", "--fields", "value"] + arguments,
        environment: environment.merging(["COUNTRIES_URL": "", "HOME": folder]) { $0.isEmpty ? $1 : $0 }, in: place)
      #expect(outcome.errors == "")
      // The first line is the countries' own setting.
      return (outcome.lines.first ?? "") + "\n"
    }
    let variable = ["AGGREGATOR_CONFIG": "variable.xcconfig"]
    #expect(try await value(variable, in: folder, "--config", "flag.xcconfig") == "http://1.example/\n")
    #expect(try await value(variable) == "http://2.example/\n")
    #expect(try await value() == "http://3.example/\n")
    #expect(try await value(["AGGREGATOR_CONFIGURATION": "Other"]) == "http://4.example/\n")
    #expect(try await value(in: "/") == "http://5.example/\n")
    #expect(try await value(["COUNTRIES_URL": "http://6.example/"]) == "http://6.example/\n")
  }

  @Test("a file that the person may not read ends with 78", .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func forbidden() throws {
    try Folder.write("COUNTRIES_URL = http:/$()/example.org/\n", to: "\(folder)/keys.xcconfig")
    let outcome = try Binary.shell(
      "chmod 755 . .. && chmod 600 keys.xcconfig && cp \"$A\" ./moved && exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved config --config keys.xcconfig",
      in: folder)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("keys.xcconfig (from --config): Permission denied"))
  }

  @Test("names in the key file that no source reads are listed, and can be unset like others")
  func unread() async throws {
    try Folder.write("OLD_KEY = s3cret\nCOUNTRIES_URL = http:/$()/a.example/\nOLD_KEY[sdk=*] = s3cret\n", to: "\(folder)/keys")
    func run(_ line: String) async throws -> Binary.Outcome {
      try #require(
        await InProcess.run(typed: "aggregator \(line) --config keys", environment: ["COUNTRIES_URL": ""], in: folder))
    }
    let listed = try await expect(run("config --format csv"), 0)
    #expect(listed.lines.last == "OLD_KEY,,\(folder)/keys:3 (no source reads it),")
    #expect(!(listed.output + listed.errors).contains("s3cret"))
    let offered = try await InProcess.run("__complete", "--", "config", "--config", "keys", "unset", "old", in: folder)
    #expect(offered.output.contains("\nOLD_KEY\t"))
    try await expect(run("config set OLD_KEY"), 64)
    try await expect(run("config unset OLD_KEY"), 0, errors: "aggregator: removed OLD_KEY from \(folder)/keys\n")
    #expect(try Folder.read("\(folder)/keys").contains("COUNTRIES_URL"))
    #expect(try !Folder.read("\(folder)/keys").contains("OLD_KEY"))
    try await expect(run("config unset OLD_KEY"), 64)
  }
}
